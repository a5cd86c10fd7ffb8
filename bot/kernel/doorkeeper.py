"""Who comes in: the judgement of one event, and what its sender is told at the door."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Final

from bot.access.gates import ToldOfGates
from bot.access.loops import LoopGuard
from bot.access.owners import Owners, Redeemed, said_code
from bot.access.pace import Paces
from bot.access.pairing import Pairing
from bot.access.rank import Ranks
from bot.contracts.admission import Admission, Dispatch, Drop, Handled, Observe
from bot.contracts.channel import Accepted
from bot.contracts.clock import Clock
from bot.contracts.inbound import ConversationKind, EventClass, Inbound
from bot.contracts.reply import Target
from bot.contracts.turn import Arrival, Rank
from bot.kernel import bounds
from bot.kernel.admit import admit
from bot.kernel.classify import classify
from bot.reply import notices
from bot.settings.terminal import command_name

_NOT_PAIRED: Final = "sender:not-paired"
_TOO_LONG: Final = "message:too-long"
_TOO_FAST: Final = "sender:too-fast"
_WRITES: Final = frozenset({EventClass.MESSAGE, EventClass.COMMAND})
_UNLISTED: Final = frozenset({"room:not-listed", "rooms:disabled"})
"""Rules of rooms in which the bot does not listen, and so does not speak if it can help it."""
_NOT_KEPT: Final = _UNLISTED | {"room:not-mentioned"}
"""Rules that keep no words: besides those, where what is not said to the bot is not observed."""


RoomNames = Callable[[str, str, str], Sequence[str]]
"""Gives every id that a room of a channel and account has had, by any of them."""


def _only_its_own(channel: str, account: str, room_id: str) -> Sequence[str]:
    del channel, account
    return (room_id,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """An event, what kind it is, who its sender is here, and what becomes of it."""

    inbound: Inbound
    event: EventClass
    rank: Rank
    admission: Admission

    @property
    def may_be_told(self) -> bool:
        """Whether it hangs on being the first: a code, a command about one, a notice given once."""
        kept_back = isinstance(self.admission, Drop | Observe)
        return (
            (kept_back and self.rank is Rank.OWNER)
            or (kept_back and self.admission.reason == _NOT_PAIRED)
            or said_code(self.inbound) is not None
            or (self.rank is Rank.OWNER and self.inbound.text.lstrip().startswith("/"))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What the door remembers: in the store, or for as long as it runs."""

    pairing: Pairing | None
    """None where nobody is let in for now."""
    owners: Owners
    gates: ToldOfGates
    loops: LoopGuard
    paces: Paces
    one_by_one: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by whoever may be told something once: one for all doorkeepers with this memory."""

    @classmethod
    def of(
        cls, pairing: Pairing | None, owners: Owners, gates: ToldOfGates, clock: Clock
    ) -> "Memory":
        """Begin with nobody counted yet."""
        return cls(
            pairing=pairing,
            owners=owners,
            gates=gates,
            loops=LoopGuard(clock),
            paces=Paces(clock),
        )


class Doorkeeper:
    """Judges every event alike, and answers those that go no further."""

    def __init__(self, ranks: Ranks, memory: Memory, names: RoomNames = _only_its_own) -> None:
        self._ranks = ranks
        self._memory = memory
        self._names = names
        self._one_by_one = memory.one_by_one

    def told_of(self, inbound: Inbound) -> Accepted | None:
        """Return the row that tells of a flood to which *inbound* belongs, if it does."""
        return self._memory.paces.told_of(inbound)

    async def judge(self, inbound: Inbound) -> Judged:
        """Say who that is and what becomes of it. Nothing is changed but what is counted.

        Raises:
            StoreUnavailable: it is not known who that is.
        """
        inbound = bounds.bounded(inbound)
        event = classify(inbound)
        listed = self._as_listed(inbound)
        rank = await self._ranks.of(listed)
        admission = admit(listed, event, rank, self._ranks.policy(inbound.channel))
        goes_on = not isinstance(admission, Drop)
        if goes_on and inbound.sender.is_bot and not self._memory.loops.takes(inbound):
            admission = Drop(reason="loop:bots")
        elif goes_on and bounds.is_too_long(inbound):
            admission, inbound = Drop(reason=_TOO_LONG), bounds.beginning(inbound)
        is_counted = inbound.sender.is_me or (goes_on and inbound.sender.is_bot)
        if not is_counted and not self._memory.paces.bears(inbound, rank):
            admission = Drop(reason=_TOO_FAST)
        return Judged(inbound=inbound, event=event, rank=rank, admission=admission)

    def in_order(self, judged: Sequence[Judged]) -> AbstractAsyncContextManager[object]:
        """Let those wait for each other of whom only the first is told something.

        The lock is held until its row is there: a redelivery of the same event at the same time
        finds that row and no code of its own.
        """
        return self._one_by_one if any(one.may_be_told for one in judged) else nullcontext()

    async def answer(self, arrival: Arrival, judged: Judged) -> Arrival:
        """Return *arrival* with what its sender is told, and without words that nobody may keep.

        Raises:
            StoreUnavailable: nothing was changed.
        """
        told = await self._code_told(arrival, judged)
        if told is not None:
            return told
        match judged.admission:
            case Drop(reason=reason) if reason == _NOT_PAIRED:
                arrival = await self._asked(arrival, judged)
            case Drop(reason=reason) if reason == _TOO_LONG:
                notice = notices.too_long(bounds.LONGEST_TEXT, _language(judged))
                arrival = replace(arrival, replies=(notice,))
            case Drop(reason=reason) if reason == _TOO_FAST and judged.rank >= Rank.GUEST:
                if self._was_meant(judged):
                    arrival = replace(arrival, replies=(notices.too_fast(_language(judged)),))
            case Drop() | Observe() if judged.rank is Rank.OWNER:
                arrival = await self._told_of_gate(arrival, judged)
            case _:
                pass
        is_nobody = judged.rank is Rank.STRANGER or judged.admission.reason in _NOT_KEPT
        if isinstance(judged.admission, Drop) and is_nobody:
            return replace(arrival, inbound=bounds.without_words(arrival.inbound))
        return arrival

    async def opened(self, arrival: Arrival, judged: Judged, accepted: Accepted) -> None:
        """Note what its row has told, now that the row is there.

        Raises:
            StoreUnavailable: it is told again; nothing else is lost.
        """
        inbound, admission = judged.inbound, arrival.admission
        if admission.reason == _TOO_FAST:
            self._memory.paces.tells(inbound, accepted)
        if arrival.rank is Rank.OWNER:
            await self._memory.owners.saw(inbound)
        if not arrival.replies or not isinstance(admission, Drop | Observe):
            return
        if admission.reason == _NOT_PAIRED and self._memory.pairing is not None:
            await self._memory.pairing.was_told(inbound)
        elif judged.rank is Rank.OWNER:
            await self._memory.gates.told(inbound, judged.admission.reason)

    def failed(self, judged: Sequence[Judged]) -> None:
        """Forget what was to be told: nothing was recorded, and it comes again."""
        for one in judged:
            if one.rank is Rank.OWNER and isinstance(one.admission, Drop | Observe):
                self._memory.gates.not_told(one.inbound, one.admission.reason)

    async def _code_told(self, arrival: Arrival, judged: Judged) -> Arrival | None:
        """Make owner who tells the code; nobody else, a model neither, sees what was told."""
        if judged.inbound.sender.is_bot or judged.admission.reason == "direct:disabled":
            return None
        redeemed = await self._memory.owners.redeem(judged.inbound)
        if redeemed is Redeemed.MADE:
            return replace(
                arrival,
                inbound=bounds.without_words(arrival.inbound),
                rank=Rank.OWNER,
                admission=Handled(reason="owner:made"),
                replies=(notices.owner_made(_language(judged)),),
            )
        is_known = redeemed is Redeemed.UNHEARD and judged.rank > Rank.STRANGER
        if redeemed is Redeemed.WRONG or is_known:
            return replace(
                arrival,
                inbound=bounds.without_words(arrival.inbound),
                admission=Handled(reason="owner:wrong-code"),
                replies=(notices.wrong_code(_language(judged)),),
            )
        return None

    async def _asked(self, arrival: Arrival, judged: Judged) -> Arrival:
        """Give a stranger who writes their code, once."""
        who = f"{judged.inbound.channel}:{judged.inbound.sender.id}"
        is_owner = who in self._memory.owners  # by a code that came a moment before
        if self._memory.pairing is None or judged.event not in _WRITES or is_owner:
            return arrival
        code = await self._memory.pairing.ask(judged.inbound)
        if code is None:
            return arrival
        notice = notices.not_paired(code, f"{command_name()} pair approve", _language(judged))
        return replace(arrival, replies=(notice,))

    async def _told_of_gate(self, arrival: Arrival, judged: Judged) -> Arrival:
        """Tell the owner, once for each place, which rule kept back what they wrote."""
        inbound, reason = judged.inbound, judged.admission.reason
        if judged.event not in _WRITES:
            return arrival
        notice = notices.kept_back(
            reason, _place(inbound), _setting(inbound, reason), _language(judged)
        )
        if notice is None or not await self._memory.gates.is_news(inbound, reason):
            return arrival
        return replace(arrival, replies=(notice,), target=self._where(arrival, reason))

    def _where(self, arrival: Arrival, reason: str) -> Target:
        """Say it in place, or in the owner's direct chat where the bot is not to speak."""
        inbound = arrival.inbound
        place = self._memory.owners.place_of(inbound.channel, inbound.sender.id)
        if reason not in _UNLISTED or place is None:
            return arrival.target
        return Target(channel=inbound.channel, account=inbound.account, conversation_id=place)

    def _as_listed(self, inbound: Inbound) -> Inbound:
        """Return *inbound* with the listed id of its room: one that moved keeps its rule."""
        where = inbound.conversation
        policy = self._ranks.policy(inbound.channel)
        for name in self._names(inbound.channel, inbound.account, where.id):
            known = where if name == where.id else replace(where, id=name)
            if policy.rule(known) is not None:
                return inbound if known is where else replace(inbound, conversation=known)
        return inbound

    def _was_meant(self, judged: Judged) -> bool:
        """Whether it would have been answered, had it not come so fast."""
        policy = self._ranks.policy(judged.inbound.channel)
        would = admit(self._as_listed(judged.inbound), judged.event, judged.rank, policy)
        return isinstance(would, Dispatch | Handled)


def _language(judged: Judged) -> notices.Language:
    return notices.language_of(judged.inbound.text)


def _place(inbound: Inbound) -> str:
    where = inbound.conversation
    if where.kind is ConversationKind.DIRECT:
        return "this chat"
    return f"{where.title} ({where.id})" if where.title else where.id


def _setting(inbound: Inbound, reason: str) -> str:
    """Name the setting that a rule hangs on."""
    channel = f"channels.{inbound.channel}"
    match reason:
        case "room:not-listed" | "room:not-mentioned":
            return f'{channel}.rooms.allow."{inbound.conversation.id}"'
        case "rooms:disabled":
            return f"{channel}.rooms.policy"
        case _:
            return f"{channel}.direct.policy"

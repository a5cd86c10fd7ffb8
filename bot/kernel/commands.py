"""What a message asks of the bot itself: commands, and directives before a message."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import structlog

from bot.contracts.admission import Dispatch, Drop, Handled
from bot.contracts.command import About, Command, CommandAnswer, CommandContext, Inlined
from bot.contracts.errors import BotError, StoreUnavailable
from bot.contracts.inbound import ConversationKind, EventClass, Inbound
from bot.contracts.people import Pairs, People
from bot.contracts.store import Store
from bot.contracts.turn import Arrival, QueueMode, SessionChange, SessionChoices
from bot.kernel.decisions import decided, decides
from bot.kernel.tracing import Tracing
from bot.reply import notices

_log = structlog.get_logger(__name__)

_CALL: Final = re.compile(
    r"\s*/(?P<name>[^\W_][\w-]*)(?:@(?P<bot>[\w.-]+))?(?:\s*:\s*|\s+|\Z)(?P<rest>.*)", re.DOTALL
)
"""``/name``, ``/name@bot`` or ``/name:``, and what follows."""

_MENTION: Final = re.compile(r"\s*(?:<@[!&]?\w+>|@[\w.-]+)[,:]?\s+(?=/)")
"""How a bot is addressed before a command in a room, as platforms write it."""

_TEXTS: Final = frozenset({EventClass.MESSAGE, EventClass.COMMAND, EventClass.INTERACTION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A command, and what was said behind its name."""

    command: Command
    rest: str
    addressed: bool = False
    """Some bot was named, which in a room may be another one."""


class CommandDoor:
    """Answers at the door what is asked of the bot itself."""

    def __init__(
        self,
        commands: tuple[Command, ...],
        store: Store,
        people: People,
        about: About,
        pairs: Pairs | None = None,
    ) -> None:
        self._commands = commands
        self._by_name = by_name(commands)
        self._store = store
        self._people = people
        self._about = about
        self._pairs = pairs
        self._traces = Tracing(store.ledger, about.summary_of)

    async def answer(self, arrival: Arrival) -> Arrival:
        """Return *arrival* with what its command answers and changes; others as they are.

        Whoever may not speak is not heard here either. A command that somebody may not give
        is refused in a direct chat, and met with silence in a room.

        Raises:
            StoreUnavailable: the session cannot be read.
        """
        inbound = arrival.inbound
        called = None if _is_not_for_us(arrival) else read(_without_mention(inbound), self._by_name)
        if called is None or (called.addressed and not _means_me(inbound)):
            return arrival
        context = await self._known_to(arrival)
        directives = _Directives.read(called, context, self._by_name)
        if directives is not None and directives.message:
            return replace(
                arrival,
                admission=_dispatched(arrival, called.command),
                directives=directives.chosen,
                told=directives.message,
            )
        if called.command.inline and directives is None and _is_a_message(called.rest):
            return arrival
        if arrival.rank < called.command.least_rank:
            return _refused(arrival, called.command)
        calls = [called] if directives is None else directives.calls
        answers = [await _answered(one, context) for one in calls]
        return _applied(arrival, called.command, answers)

    async def _known_to(self, arrival: Arrival) -> CommandContext:
        return CommandContext(
            inbound=arrival.inbound,
            turn_id=arrival.turn_id,
            route=arrival.route,
            rank=arrival.rank,
            now=arrival.received_at,
            session=await self._store.sessions.get(arrival.route.session_key),
            store=self._store,
            people=self._people,
            pairs=self._pairs,
            about=self._about,
            traces=self._traces,
            commands=self._commands,
        )


def by_name(commands: Sequence[Command]) -> dict[str, Command]:
    """Return *commands* under their names and aliases (pure)."""
    return {name: command for command in commands for name in (command.name, *command.aliases)}


def read(text: str, known: Mapping[str, Command]) -> Called | None:
    """Read *text* as a command of those that are *known*, or None for any other (pure)."""
    match = _CALL.match(text)
    command = known.get(match["name"].casefold()) if match else None
    if match is None or command is None:
        return None
    return Called(command=command, rest=match["rest"].strip(), addressed=bool(match["bot"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Directives:
    """What stands before a message: one directive or more, and the message itself."""

    calls: tuple[Called, ...]
    chosen: SessionChoices
    message: str

    @classmethod
    def read(
        cls, first: Called, context: CommandContext, known: Mapping[str, Command]
    ) -> "_Directives | None":
        """Read as many as there are; None if already the *first* is none that one may give."""
        calls: list[Called] = []
        chosen, rest = SessionChoices(), ""
        called: Called | None = first
        while called is not None and (inlined := _inlined(called, context)) is not None:
            value = called.rest[: len(called.rest) - len(inlined.rest)].strip()
            calls.append(replace(called, rest=value))
            chosen, rest = chosen.under(inlined.chosen), inlined.rest
            called = read(rest, known)
        return cls(calls=tuple(calls), chosen=chosen, message=rest) if calls else None


def _inlined(called: Called, context: CommandContext) -> Inlined | None:
    if called.command.inline is None or context.rank < called.command.least_rank:
        return None
    return called.command.inline(context, called.rest)


def _is_not_for_us(arrival: Arrival) -> bool:
    """Whether its sender may not speak here, or it says nothing that could be a command."""
    inbound, admission = arrival.inbound, arrival.admission
    return isinstance(admission, Drop) or inbound.event not in _TEXTS


def _without_mention(inbound: Inbound) -> str:
    """Return the text without a mention before a command, if it is us who are mentioned."""
    return inbound.text[_mention_length(inbound.text) :] if inbound.mentions_me else inbound.text


def _mention_length(text: str) -> int:
    match = _MENTION.match(text)
    return match.end() if match else 0


def _means_me(inbound: Inbound) -> bool:
    return inbound.mentions_me or inbound.conversation.kind is ConversationKind.DIRECT


def _is_a_message(rest: str) -> bool:
    """Whether what follows a directive's name is no value that was mistyped, but a sentence."""
    return len(rest.split()) > 1


def _dispatched(arrival: Arrival, command: Command) -> Dispatch:
    if isinstance(arrival.admission, Dispatch):
        return arrival.admission
    return Dispatch(reason=f"command:{command.name}")


def _refused(arrival: Arrival, command: Command) -> Arrival:
    inbound = arrival.inbound
    direct = inbound.conversation.kind is ConversationKind.DIRECT
    notice = notices.not_permitted(
        f"/{command.name}", command.least_rank, notices.language_of(inbound.text)
    )
    return replace(
        arrival,
        admission=Handled(reason=f"command:refused:{command.name}"),
        replies=(notice,) if direct else (),
    )


async def _answered(called: Called, context: CommandContext) -> CommandAnswer:
    """Run the command; what it fails with is said, and nothing is changed."""
    language = notices.language_of(context.inbound.text)
    try:
        return await called.command.run(context, called.rest)
    except StoreUnavailable:
        raise
    except BotError as error:
        return CommandAnswer(replies=(notices.command_failed(str(error), language),))
    except Exception:  # noqa: BLE001 - a broken command costs its answer, not the channel
        _log.exception("command failed", command=called.command.name)
        return CommandAnswer(replies=(notices.command_broke(language),))


def _applied(arrival: Arrival, command: Command, answers: Sequence[CommandAnswer]) -> Arrival:
    """Return *arrival* with what *answers* say and change, together."""
    change = _together([one.change for one in answers if one.change is not None])
    reason = f"command:{command.name}"
    allowances = tuple(allowed for one in answers for allowed in one.allowances)
    goes_on = next((one.goes_on for one in answers if one.goes_on is not None), None)
    if goes_on is not None:
        admission = Dispatch(reason=reason)
        return replace(
            arrival, admission=admission, change=change, allowances=allowances, told=goes_on
        )
    ruling = next((one.ruling for one in answers if one.ruling is not None), None)
    return replace(
        arrival,
        admission=Handled(reason=reason),
        decides=None if ruling is None else decides(arrival, ruling),
        decided=None if ruling is None else decided(arrival, ruling),
        mode=_mode(answers),
        replies=tuple(reply for one in answers for reply in one.replies),
        change=change,
        allowances=allowances,
        stopped_notice=notices.not_started(notices.language_of(arrival.inbound.text)),
    )


def _mode(answers: Sequence[CommandAnswer]) -> QueueMode:
    stops = any(one.mode is QueueMode.INTERRUPT for one in answers)
    return QueueMode.INTERRUPT if stops else QueueMode.STEER


def _together(changes: Sequence[SessionChange]) -> SessionChange | None:
    if len(changes) <= 1:
        return changes[0] if changes else None
    chosen, dropped = SessionChoices(), set[str]()
    for change in changes:
        chosen = chosen.without(change.dropped).under(change.chosen)
        dropped |= set(change.dropped)
    turns_to = next((one.turns_to for one in changes if one.turns_to is not None), None)
    return SessionChange(chosen=chosen, dropped=tuple(sorted(dropped)), turns_to=turns_to)

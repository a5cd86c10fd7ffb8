"""Transcript to messages: what the model reads of what a session remembers."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Final

from bot.context.quoted import named, quoted, stamp
from bot.context.standing import standing
from bot.contracts.approval import NOES
from bot.contracts.inbound import ConversationKind
from bot.contracts.messages import (
    AssistantMessage,
    Message,
    ResultState,
    StopReason,
    ToolCall,
    ToolResult,
    UserMessage,
)
from bot.contracts.transcript import (
    CallStarted,
    Corrected,
    Decided,
    Entry,
    Nudge,
    Observed,
    Received,
    Recorded,
    Reset,
    Stopped,
    Summarized,
    Unanswered,
)
from bot.contracts.turn import TurnId
from bot.media.told import with_files

_STRIDE: Final = 4
"""A long history is cut only at every (limit / 4)th turn, so that the prefix of the request
stays byte-identical between cuts and providers can cache it."""

_MOST_TURNS: Final = 1_000
_MOST_CHARS: Final = 8 * 1024 * 1024
"""How many turns, of all sessions, are kept folded, and how long they may be together."""

_STOPPED: Final = "[The turn was stopped here, because somebody asked for it.]"

_TURN_ID: Final = attrgetter("turn_id")


class Fold:
    """Folds sessions; what a past turn was folded to is kept.

    A turn's entries are only added to, so that their number and the last one's
    place tell whether they are the same as before. The very same messages come
    back for a past turn: who encodes them may keep that, too.
    """

    def __init__(self, zone: tzinfo) -> None:
        self.zone: Final = zone
        self._turns: dict[TurnId, _Folded] = {}
        self._chars = 0

    def messages(self, recorded: Sequence[Recorded], *, history: int) -> tuple[Message, ...]:
        """Return the session as messages, its latest *history* turns at least.

        An assistant message and the results of its calls stay together, results in
        the order of the calls; a call that has no result (its turn ended before)
        gets one that says so. What was said anew has replaced what it was said instead
        of (`standing`). Whatever the record holds, the messages are legal.
        """
        turns = _latest(recorded, history)
        return tuple(message for turn in turns for message in self._of(turn))

    def _of(self, turn: Sequence[Recorded]) -> tuple[Message, ...]:
        key, stand = turn[0].turn_id, (len(turn), turn[-1].seq)
        known = self._turns.get(key)
        if known is None or known.stand != stand:
            messages = tuple(_messages([one.entry for one in turn], self.zone))
            known = _Folded(stand=stand, messages=messages, chars=sum(map(_length, messages)))
            self._keep(key, known)
        return known.messages

    def _keep(self, key: TurnId, folded: "_Folded") -> None:
        """Keep what a turn was folded to; what was folded first goes first."""
        self._let_go(key)
        self._turns[key] = folded
        self._chars += folded.chars
        while len(self._turns) > _MOST_TURNS or self._chars > _MOST_CHARS:
            self._let_go(next(iter(self._turns)))

    def _let_go(self, key: TurnId) -> None:
        if (gone := self._turns.pop(key, None)) is not None:
            self._chars -= gone.chars


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folded:
    stand: tuple[int, int]
    messages: tuple[Message, ...]
    chars: int


def said(received: Received, zone: tzinfo) -> UserMessage:
    """Return what somebody said as the model reads it: when, where, the words, the files (pure).

    Where several people write, it says who.
    """
    inbound = received.inbound
    where = f"{stamp(inbound.sent_at, zone)}, {inbound.channel}"
    if inbound.conversation.kind is not ConversationKind.DIRECT:
        where = f"{where}, from {named(inbound.sender)}"
    told = with_files(inbound.text, inbound.attachments)
    return UserMessage(text=f"[{where}] {told}")


def _length(message: Message) -> int:
    """Return about how many characters a message holds."""
    if not isinstance(message, AssistantMessage):
        return len(message.text)
    thoughts = sum(len(block.text) + len(block.signature) for block in message.thinking)
    return len(message.text) + thoughts + sum(len(call.arguments) for call in message.tool_calls)


def _latest(recorded: Sequence[Recorded], history: int) -> Sequence[Sequence[Recorded]]:
    """Return the turns that are kept. What lies before them is counted and not read."""
    turn_ids = map(_TURN_ID, recorded)
    begins = [0, *(at for at, (a, b) in enumerate(pairwise(turn_ids), 1) if a != b)]
    late = recorded[begins[_first_kept(len(begins), history)] :]
    if (stands := standing(late)) is late:
        return _by_turn(stands)
    turns = _by_turn(standing(recorded))  # some of them are not read any more: others are instead
    return turns[_first_kept(len(turns), history) :]


def _by_turn(recorded: Sequence[Recorded]) -> Sequence[Sequence[Recorded]]:
    return [list(turn) for _, turn in groupby(recorded, key=_TURN_ID)]


def _first_kept(turns: int, history: int) -> int:
    stride = max(history // _STRIDE, 1)
    over = max(turns - history, 0)
    return over // stride * stride


def _messages(entries: Sequence[Entry], zone: tzinfo) -> Iterable[Message]:
    results = {e.call_id: e for e in entries if isinstance(e, ToolResult)}
    started = {e.call_id for e in entries if isinstance(e, CallStarted)}
    for entry in entries:
        match entry:
            case AssistantMessage():
                if entry.text or entry.tool_calls:
                    yield entry
                for call in entry.tool_calls:
                    yield results.get(call.id) or _left_open(call, started=call.id in started)
            case Decided():
                yield from _decided(entry, results.get(entry.call.id), started)
            case CallStarted() | ToolResult() | Reset() | Unanswered():
                pass
            case _:
                yield from _told(entry, zone)


def _told(
    entry: Received | Nudge | Observed | Summarized | Corrected | Stopped, zone: tzinfo
) -> Iterable[Message]:
    """Yield what the model did not say itself."""
    match entry:
        case Received():
            yield said(entry, zone)
        case Nudge():
            yield UserMessage(text=entry.text)
        case Observed() | Summarized() | Corrected():
            yield UserMessage(text=quoted(entry, zone))
        case Stopped():
            yield from _stopped(entry)


def _stopped(entry: Stopped) -> Iterable[Message]:
    if entry.said.strip():
        yield AssistantMessage(text=entry.said, stop=StopReason.END)
    yield UserMessage(text=_STOPPED)


def _decided(
    entry: Decided, result: ToolResult | None, started: Collection[str]
) -> Iterable[Message]:
    """Tell what a person decided; what they approved is a call as if it had been made here.

    It has an id of its own: that of the call which asked has its result, which is that it waits.
    """
    what = f"call {entry.call.name} ({entry.code})"
    if not entry.is_approved:
        rest = (
            "That is the second no: the plan is over. Stop, and do not go on with it in any way."
            if entry.noes >= NOES
            else "Do not try to reach the same in another way. Say so, or ask what to do instead."
        )
        yield UserMessage(text=f"[decision] {entry.by} refused the {what}. {rest}")
        return
    approved = f"[decision] {entry.by} approved the {what}. It is carried out as it was."
    yield UserMessage(text=approved)
    call = replace(entry.call, id=f"{entry.call.id}_{entry.code}")
    yield AssistantMessage(text="", stop=StopReason.TOOL_USE, tool_calls=(call,))
    found = result or _left_open(call, started=entry.call.id in started)
    yield replace(found, call_id=call.id)


def _left_open(call: ToolCall, *, started: bool) -> ToolResult:
    """Answer a call of a turn that ended before it had a result, as far as is known."""
    return ToolResult(
        call_id=call.id,
        name=call.name,
        text=(
            "The turn ended while this was running; its outcome is unknown."
            if started
            else "The turn ended before this began."
        ),
        state=ResultState.UNKNOWN if started else ResultState.KILLED,
    )

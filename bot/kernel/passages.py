"""Tells a message's way part by part, as a new user would ask for it: pure."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, assert_never

from bot.contracts.admission import Dispatch, Drop, Handled, Observe
from bot.contracts.channel import CallMade
from bot.contracts.delivery import Delivery, DeliveryState
from bot.contracts.inbound import ConversationKind, Inbound
from bot.contracts.ledger import Attempt, TurnRecord
from bot.contracts.messages import AssistantMessage, ResultState
from bot.contracts.reply import ReplyKind
from bot.contracts.trace import Part, Passage, Sign
from bot.contracts.transcript import Recorded
from bot.contracts.turn import OutcomeKind, Rank, Usage
from bot.kernel.reasons import GIVEN_UP, UNDER_WAY, of_admission
from bot.kernel.steps import steps_of
from bot.kernel.telling import Telling, count, span

_LONGEST: Final = 120
"""Characters of a message's own words: enough to know it again."""

_MOST_CALLS: Final = 12

_RANKS: Final = {
    Rank.STRANGER: "a stranger",
    Rank.GUEST: "a guest",
    Rank.MEMBER: "a member",
    Rank.ADMIN: "an admin",
    Rank.OWNER: "the owner",
}

_KINDS: Final = {ReplyKind.ANSWER: "the answer", ReplyKind.NOTICE: "a notice about it"}

_WORDS: Final = {
    ResultState.OK: "done",
    ResultState.ERROR: "failed",
    ResultState.DENIED: "refused",
    ResultState.ASKED: "put to a person",
    ResultState.KILLED: "cut off",
    ResultState.UNKNOWN: "begun, and nobody knows how it ended",
}


def passages(told: Telling) -> Iterator[Passage]:
    """Tell it part by part."""
    yield _received(told)
    yield _admitted(told)
    if isinstance(told.arrival.admission, Dispatch):
        yield _routed(told)
        yield _waited(told)
        if told.sees_host:
            yield from _attempted(told)
            yield from _called(told)
        yield from _ended(told)
    yield from _delivered(told)


def _received(told: Telling) -> Passage:
    inbound = told.inbound
    name = inbound.sender.display_name
    account = f"{inbound.channel}:{inbound.sender.id}"
    sender = f"{name} ({account})" if name else account
    details = [f"from {sender}, {_RANKS[told.arrival.rank]} here"]
    if inbound.text.strip():
        details.append(f"“{_short(inbound.text)}”")
    if inbound.attachments:
        details.append(f"with {count(len(inbound.attachments), 'file')}")
    details.append(f"message {inbound.native_id}, turn {told.turn.id}")
    received = told.at(told.arrival.received_at)
    place = f"{inbound.channel}, {_place(inbound)}"
    return Passage(
        part=Part.RECEIVED,
        sign=Sign.DONE,
        text=f"{received} on {place}",
        details=tuple(details),
    )


def _admitted(told: Telling) -> Passage:
    admission = told.arrival.admission
    words = of_admission(admission.reason, told.inbound)
    match admission:
        case Dispatch():
            sign, verb = Sign.DONE, "yes"
        case Handled():
            sign, verb = Sign.PLAIN, "answered at the door"
        case Observe():
            sign, verb = Sign.ENDED, "no, only overheard"
        case Drop():
            sign, verb = Sign.ENDED, "no"
        case _:
            assert_never(admission)
    if sign is Sign.ENDED:  # why, the verdict has said already
        return Passage(
            part=Part.ADMITTED, sign=sign, text=f"{verb}, by the rule {admission.reason}"
        )
    return Passage(
        part=Part.ADMITTED,
        sign=sign,
        text=f"{verb}: {words.why}",
        details=(f"rule {admission.reason}",),
    )


def _routed(told: Telling) -> Passage:
    route = told.arrival.route
    text = f"to the agent {route.agent_id}"
    if not told.viewer.sees_all:
        return Passage(part=Part.ROUTED, sign=Sign.DONE, text=text)
    details = [f"session {route.session_key}"]
    details += [
        f"bindings[{one.binding}] fits too, to {one.agent_id}, and lost: {one.why}"
        for one in route.losers
    ]
    return Passage(
        part=Part.ROUTED,
        sign=Sign.DONE,
        text=f"{text}, by {route.matched_by}",
        details=tuple(details),
    )


def _waited(told: Telling) -> Passage:
    behind = told.behind()
    begun = min((one.started_at for one in told.record.attempts), default=None)
    if told.known.host is not None:
        host = told.known.host.turn
        named = f", turn {host.id}" if told.sees_host else ""
        text = f"joined the message that was being answered when it came{named}"
        return Passage(part=Part.WAITED, sign=Sign.DONE, text=text)
    if begun is None:
        over = told.record.ended_at
        sign = Sign.OPEN if over is None else Sign.ENDED
        text = (
            f"waits, for {told.lasted(told.arrival.received_at)} so far"
            if over is None
            else f"{span(told.arrival.received_at, over)}, and never began"
        )
    else:
        sign, text = Sign.DONE, span(told.arrival.received_at, begun)
    details = [_ahead(told, one) for one in behind[:5]]
    if len(behind) > 5:
        details.append(f"and {len(behind) - 5} more")
    return Passage(
        part=Part.WAITED,
        sign=sign,
        text=f"{text}, behind {count(len(behind), 'message')}" if behind else text,
        details=tuple(details),
    )


def _ahead(told: Telling, record: TurnRecord) -> str:
    """Name one that was before it, and nobody else's words."""
    if not told.viewer.may_see(record.turn.arrival.inbound):
        return "behind somebody else's message"
    return f"behind turn {record.turn.id}"


def _attempted(told: Telling) -> Iterator[Passage]:
    answering = told.known.answering
    for attempt in answering.attempts:
        mine = [one for one in told.known.entries if one.attempt == attempt.number]
        yield _attempt(told, attempt, mine, len(answering.attempts), answering)


def _attempt(
    told: Telling, attempt: Attempt, entries: Sequence[Recorded], of: int, record: TurnRecord
) -> Passage:
    said = [one.entry for one in entries if isinstance(one.entry, AssistantMessage)]
    models = [_used(model, list(group)) for model, group in groupby(said, lambda m: m.model)]
    numbered = f"attempt {attempt.number} of {of}: " if of > 1 else ""
    ended = attempt.ended_at
    took = (
        f"ran for {told.lasted(attempt.started_at)}"
        if ended is None
        else (f"took {span(attempt.started_at, ended)}")
    )
    why = f", ended: {attempt.reason}" if attempt.reason else ""
    is_last = attempt.number == record.turn.attempt
    failed = record.outcome is not None and record.outcome.kind is OutcomeKind.FAILED
    sign = Sign.OPEN if ended is None else Sign.DONE
    if not is_last or failed:
        sign = Sign.ENDED
    return Passage(
        part=Part.ANSWERED_BY,
        sign=sign,
        text=f"{numbered}{took}{why}",
        details=tuple(models) or ("no model answered in it",),
    )


def _called(told: Telling) -> Iterator[Passage]:
    made = [
        one for one in steps_of(told.known.entries, told.summary_of) if isinstance(one, CallMade)
    ]
    if not made:
        return
    bad = [one for one in made if one.state is not ResultState.OK]
    details = [
        f"{one.name} {_short(one.summary)}".rstrip() + f": {_WORDS[one.state]}"
        for one in made[:_MOST_CALLS]
    ]
    if len(made) > _MOST_CALLS:
        details.append(f"and {len(made) - _MOST_CALLS} more")
    text = count(len(made), "call")
    if bad:
        text += f", {len(bad)} of them not done"
    yield Passage(
        part=Part.CALLS,
        sign=Sign.PLAIN if bad else Sign.DONE,
        text=text,
        details=tuple(details),
    )


def _ended(told: Telling) -> Iterator[Passage]:
    record = told.known.answering
    outcome = record.outcome
    if outcome is None:
        return
    ended = "" if record.ended_at is None else f" at {told.at(record.ended_at)}"
    match outcome.kind:
        case OutcomeKind.ANSWERED | OutcomeKind.ASKED:
            sign, why = Sign.DONE, ""
        case OutcomeKind.FAILED:
            sign, why = Sign.ENDED, f": {told.failed(outcome)[0]}"
        case OutcomeKind.INTERRUPTED:
            sign, why = Sign.ENDED, f": {told.interrupted(outcome)}"
        case OutcomeKind.SILENT:
            sign, why = Sign.ENDED, f": {outcome.reason}".removesuffix(": ")
        case _:
            assert_never(outcome.kind)
    details = (_usage(outcome.usage),) if told.sees_host and outcome.usage.model_calls else ()
    yield Passage(part=Part.OUTCOME, sign=sign, text=f"{outcome.kind}{ended}{why}", details=details)


def _delivered(told: Telling) -> Iterator[Passage]:
    deliveries = told.deliveries()
    if not deliveries:
        over = told.known.answering.outcome is not None
        if over:
            yield Passage(part=Part.DELIVERED, sign=Sign.PLAIN, text="nothing was to be sent")
        return
    for number, delivery in enumerate(deliveries, start=1):
        yield _delivery(told, delivery, number, len(deliveries))


def _delivery(told: Telling, delivery: Delivery, number: int, of: int) -> Passage:
    target = delivery.target
    part = f"{number} of {of}, " if of > 1 else ""
    part += _KINDS[delivery.payload.kind]
    where = f"{target.channel}, {target.conversation_id}"
    why = f": {delivery.reason}" if delivery.reason else ""
    tries = f" after {count(delivery.attempt, 'try', 'tries')}" if delivery.attempt > 1 else ""
    if delivery.state is DeliveryState.SENT:
        receipt = delivery.receipt
        details = () if receipt is None else (f"receipt {', '.join(receipt.message_ids)}",)
        arrived = "" if receipt is None else f" at {told.at(receipt.at)}"
        text = f"{part} arrived{arrived}{tries} on {where}"
        return Passage(part=Part.DELIVERED, sign=Sign.DONE, text=text, details=details)
    if delivery.state in GIVEN_UP:
        text = f"{part} did not arrive{tries} on {where}: {GIVEN_UP[delivery.state]}{why}"
        return Passage(part=Part.DELIVERED, sign=Sign.ENDED, text=text)
    text = f"{part} is on its way to {where}: {UNDER_WAY[delivery.state]}{why}"
    return Passage(part=Part.DELIVERED, sign=Sign.OPEN, text=text)


def _place(inbound: Inbound) -> str:
    where = inbound.conversation
    kind = "direct chat" if where.kind is ConversationKind.DIRECT else str(where.kind)
    thread = f", thread {where.thread_id}" if where.thread_id else ""
    title = f" {where.title!r}" if where.title else ""
    return f"{kind}{title} ({where.id}){thread}"


def _used(model: str, messages: Sequence[AssistantMessage]) -> str:
    usage = sum((one.usage for one in messages), Usage())
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    return f"{model or 'the model'}: {count(len(messages), 'answer')}, {tokens}"


def _usage(usage: Usage) -> str:
    calls = f"{count(usage.model_calls, 'model call')}, {count(usage.tool_calls, 'tool call')}"
    return f"{calls}, {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"

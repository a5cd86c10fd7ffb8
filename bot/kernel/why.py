"""Says in one sentence what became of a message, and what to do about it: pure."""

from typing import Final, assert_never

from bot.contracts.admission import Dispatch, Drop, Handled, Observe
from bot.contracts.delivery import DeliveryState
from bot.contracts.reply import ReplyKind
from bot.contracts.trace import Sign
from bot.contracts.turn import OutcomeKind, TurnState
from bot.kernel.reasons import GIVEN_UP, UNDER_WAY, of_admission
from bot.kernel.telling import Telling, count

_NOT_ARRIVED: Final = (
    "Look whether the bot may still write there, then ask again. `stonechat outbox` lists what "
    "did not arrive."
)


def verdict(told: Telling) -> tuple[str, Sign, str]:
    """Say in one sentence what became of it, and what is to be done."""
    admission = told.arrival.admission
    words = of_admission(admission.reason, told.inbound)
    match admission:
        case Drop():
            return f"No reply, because {words.why}.", Sign.ENDED, _rule(told, words.fix)
        case Observe():
            what = "It was written down and is told with the next message that is meant for it."
            return f"No reply, because {words.why}. {what}", Sign.ENDED, _rule(told, words.fix)
        case Handled() if words.fix:
            return f"Not done, because {words.why}.", Sign.ENDED, _rule(told, words.fix)
        case Handled():
            return f"No turn was needed: {words.why}.", Sign.DONE, ""
        case Dispatch():
            return _of_turn(told)
        case _:
            assert_never(admission)


def _rule(told: Telling, fix: str) -> str:
    """Leave to admins what only they can change."""
    if told.viewer.sees_all or "config.yaml" not in fix:
        return fix
    return "Ask the owner of the bot, and give them the id of this trace."


def _of_turn(told: Telling) -> tuple[str, Sign, str]:
    outcome = told.known.answering.outcome
    if outcome is None:
        return _of_open_turn(told)
    match outcome.kind:
        case OutcomeKind.ASKED if told.sees_host:
            asked = "It asked whether it may do something, and goes on when somebody has answered."
            return asked, Sign.OPEN, "Answer there, by the buttons or with /approve."
        case OutcomeKind.ANSWERED | OutcomeKind.ASKED:
            return _of_answer(told)
        case OutcomeKind.SILENT:
            why = outcome.reason or "the model chose to say nothing"
            return f"No reply: it ended in silence ({why}).", Sign.ENDED, ""
        case OutcomeKind.INTERRUPTED:
            return f"No answer: {told.interrupted(outcome)}", Sign.ENDED, "Send it again."
        case OutcomeKind.FAILED:
            why, fix = told.failed(outcome)
            return f"No answer, because {why}.", Sign.ENDED, _rule(told, fix)
        case _:
            assert_never(outcome.kind)


def _of_open_turn(told: Telling) -> tuple[str, Sign, str]:
    answering = told.known.answering
    if told.known.host is not None:
        return "It joined a message before it, which is being answered.", Sign.OPEN, ""
    if answering.turn.state is TurnState.RUNNING:
        since = max((one.started_at for one in answering.attempts), default=None)
        begun = "" if since is None else f" since {told.at(since)} ({told.lasted(since)})"
        return f"It is being answered{begun}.", Sign.OPEN, "/stop ends it."
    behind = told.behind()
    ahead = f" behind {count(len(behind), 'other message')}" if behind else ""
    due = told.arrival.not_before
    if not behind and due is not None and due > told.now:
        return f"It waits until {told.at(due)}, for more of the same.", Sign.OPEN, ""
    return f"It waits{ahead}, for {told.lasted(told.arrival.received_at)}.", Sign.OPEN, ""


def _of_answer(told: Telling) -> tuple[str, Sign, str]:
    every = told.deliveries()
    answers = [one for one in every if one.payload.kind is ReplyKind.ANSWER]
    deliveries = answers or every
    lost = [one for one in deliveries if one.state in GIVEN_UP]
    if lost:
        worst = next((one for one in lost if one.state is DeliveryState.REJECTED), lost[0])
        why = f"{GIVEN_UP[worst.state]}: {worst.reason}".removesuffix(": ")
        return (
            f"It was answered, and the answer did not arrive: {why}.",
            Sign.ENDED,
            _NOT_ARRIVED,
        )
    open_ones = [one for one in deliveries if one.state in UNDER_WAY]
    if open_ones:
        why = f"{UNDER_WAY[open_ones[0].state]}: {open_ones[0].reason}".removesuffix(": ")
        return f"It was answered, and the answer is on its way: {why}.", Sign.OPEN, ""
    if told.known.host is not None:
        together = "It was answered together with a message before it, in one answer for both"
        return f"{together}.", Sign.DONE, ""
    return "It was answered, and the answer arrived.", Sign.DONE, ""

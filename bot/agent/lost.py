"""Which attempts ended with their process while a model was perhaps asked. Pure."""

from collections.abc import Sequence

from bot.contracts.messages import AssistantMessage, ToolResult
from bot.contracts.transcript import CallStarted, Entry, Recorded, Unanswered
from bot.contracts.turn import Turn


def lost_attempts(recorded: Sequence[Recorded], turn: Turn) -> tuple[int, ...]:
    """Return the attempts of *turn* whose last model call nobody has counted.

    What the provider did of such a call is known to nobody. At most as many as its crashes:
    whoever saw the end of a call has counted it.
    """
    mine = [one for one in recorded if one.turn_id == turn.id]
    counted = {
        one.entry.lost_attempt
        for one in mine
        if isinstance(one.entry, Unanswered) and one.entry.lost_attempt is not None
    }
    asked = [
        number
        for number in range(turn.attempt - 1, 0, -1)
        if number not in counted
        and _model_is_next([one.entry for one in mine if one.attempt <= number])
    ]
    return tuple(sorted(asked[: max(turn.crashes - len(counted), 0)]))


def _model_is_next(entries: Sequence[Entry]) -> bool:
    """Whether what comes after *entries* is a model call, by the order of the loop."""
    told = [entry for entry in entries if not isinstance(entry, Unanswered)]
    if not told or isinstance(told[-1], AssistantMessage | CallStarted):
        return False
    if not isinstance(told[-1], ToolResult):
        return True
    results = {entry.call_id for entry in told if isinstance(entry, ToolResult)}
    calls = [call.id for e in told if isinstance(e, AssistantMessage) for call in e.tool_calls]
    return results.issuperset(calls)

"""Which calls died with their process is told by the record alone: never one too few."""

import pytest

from bot.agent.lost import lost_attempts
from bot.contracts.messages import ResultState, ToolResult
from bot.contracts.tool import Effect
from bot.contracts.transcript import CallStarted, Entry, Nudge, Received, Recorded, Unanswered
from bot.contracts.turn import Rank, Turn, TurnId, TurnState, Usage
from tests.doubles.arrivals import an_arrival
from tests.doubles.clock import START
from tests.doubles.scripted_model import call, words

_ASKED = call("act", word="a")
_CALL_ID = _ASKED.tool_calls[0].id
_SAID = Received(inbound=an_arrival("hello").inbound, rank=Rank.OWNER)
_RESULT = ToolResult(call_id=_CALL_ID, name="act", text="ok", state=ResultState.OK)
_STARTED = CallStarted(call_id=_CALL_ID, name="act", effect=Effect.UNSAFE)


def lost(attempt: int | None) -> Unanswered:
    return Unanswered(model="m", usage=Usage(micro_usd=1), lost_attempt=attempt)


def a_turn(attempt: int, crashes: int) -> Turn:
    return Turn(
        id=TurnId("t"),
        seq=1,
        arrival=an_arrival("hello"),
        state=TurnState.RUNNING,
        attempt=attempt,
        crashes=crashes,
    )


def recorded(*entries: tuple[int, Entry]) -> list[Recorded]:
    return [
        Recorded(seq=seq, turn_id=TurnId("t"), attempt=attempt, at=START, entry=entry)
        for seq, (attempt, entry) in enumerate(entries, start=1)
    ]


@pytest.mark.parametrize(
    ("entries", "attempt", "crashes", "found"),
    [
        pytest.param([(1, _SAID)], 2, 1, (1,), id="the first call was asked"),
        pytest.param([(1, _SAID)], 2, 0, (), id="it was put back by a graceful stop"),
        pytest.param([(1, _SAID)], 1, 0, (), id="it runs for the first time"),
        pytest.param([(1, _SAID), (1, _ASKED)], 2, 1, (), id="a tool ran"),
        pytest.param([(1, _SAID), (1, _ASKED), (1, _STARTED)], 2, 1, (), id="an effect had begun"),
        pytest.param([(1, _SAID), (1, _ASKED), (1, _RESULT)], 2, 1, (1,), id="after the results"),
        pytest.param([(1, _SAID), (1, words("So."))], 2, 1, (), id="the last word was said"),
        pytest.param(
            [(1, _SAID), (1, words("So.")), (1, Nudge(text="?"))], 2, 1, (1,), id="nudged"
        ),
        pytest.param([(1, _SAID), (1, lost(None))], 2, 1, (1,), id="a second try was asked"),
        pytest.param([(1, _SAID), (2, lost(1))], 3, 1, (), id="it is counted, then put back"),
        pytest.param([(1, _SAID), (2, lost(1))], 3, 2, (2,), id="it is counted, then died again"),
        pytest.param([(1, _SAID)], 3, 2, (1, 2), id="it died twice before it was counted"),
        pytest.param([], 2, 1, (), id="nothing was heard yet"),
    ],
)
def test_it_is_found_by_what_comes_next_in_the_record(
    entries: list[tuple[int, Entry]], attempt: int, crashes: int, found: tuple[int, ...]
) -> None:
    assert lost_attempts(recorded(*entries), a_turn(attempt, crashes)) == found


def test_what_other_turns_recorded_does_not_count() -> None:
    (one,) = recorded((1, _SAID))
    other = Recorded(seq=2, turn_id=TurnId("other"), attempt=1, at=START, entry=words("So."))

    assert lost_attempts([one, other], a_turn(2, 1)) == (1,)

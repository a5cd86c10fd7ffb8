"""Models that will not do what they should: each message still ends in exactly one outcome."""

from pathlib import Path

import pytest

from bot.contracts.turn import OutcomeKind
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Script
from tests.doubles.rig import a_rig
from tests.doubles.stubborn import (
    call_as_text,
    path_in_prose,
    promise,
    same_call_again,
    says_nothing,
    stops_at_tool_use,
    unknown_tool,
)


@pytest.mark.parametrize(
    ("script", "outcome", "most_calls"),
    [
        pytest.param(path_in_prose, OutcomeKind.ANSWERED, 1, id="a path in prose is what it says"),
        pytest.param(call_as_text, OutcomeKind.FAILED, 2, id="a call as text, again and again"),
        pytest.param(promise, OutcomeKind.ANSWERED, 2, id="a promise, again and again"),
        pytest.param(same_call_again, OutcomeKind.FAILED, 10, id="the same denied call for ever"),
        pytest.param(stops_at_tool_use, OutcomeKind.FAILED, 2, id="stops for a tool, names none"),
        pytest.param(unknown_tool, OutcomeKind.ANSWERED, 2, id="a tool that does not exist"),
        pytest.param(says_nothing, OutcomeKind.FAILED, 2, id="not a word"),
    ],
)
async def test_one_outcome_and_an_end(
    tmp_path: Path, script: Script, outcome: OutcomeKind, most_calls: int
) -> None:
    async with FakeOpenAI(script) as model:
        environ = {"OPENAI_API_KEY": model.key, "OPENAI_BASE_URL": model.base_url}
        async with a_rig(tmp_path / "home", environ=environ) as rig:
            accepted = await rig.say("read notes/meeting.md and list my tasks")
            record = await rig.outcome(accepted.turn_id)
            shown = await rig.said_to(accepted.turn_id)

    assert record.outcome is not None
    assert record.outcome.kind is outcome
    assert len(shown) == 1
    assert "<tool_call>" not in shown[0]
    assert record.outcome.usage.model_calls == len(model.requests) <= most_calls
    assert model.complaints == []

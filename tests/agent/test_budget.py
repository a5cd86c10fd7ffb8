import pytest

from bot.agent.budget import Budget, Limits, Repetition
from bot.contracts.errors import BudgetSpent
from bot.contracts.messages import AssistantMessage, ResultState, ToolCall, ToolResult
from bot.contracts.transcript import Entry
from tests.doubles.scripted_model import call, words

ASKED = ToolCall(id="new", name="read_file", arguments='{"path": "a"}')


def asked_before(
    times: int, *, text: str = "same", state: ResultState = ResultState.OK
) -> list[Entry]:
    entries: list[Entry] = []
    for number in range(times):
        message: AssistantMessage = call("read_file", id=f"c{number}", path="a")
        entries += [
            message,
            ToolResult(call_id=f"c{number}", name="read_file", text=text, state=state),
        ]
    return entries


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (0, Repetition.FINE),
        (1, Repetition.FINE),
        (2, Repetition.WARN),
        (4, Repetition.WARN),
        (5, Repetition.DENY),
        (8, Repetition.DENY),
    ],
)
def test_the_same_call_with_the_same_result_is_warned_of_then_denied(
    times: int, expected: Repetition
) -> None:
    assert Budget(Limits(), asked_before(times)).repetition(ASKED) is expected


def test_the_same_call_with_ever_new_results_is_fine() -> None:
    entries: list[Entry] = []
    for number in range(9):
        entries += [
            call("read_file", id=f"c{number}", path="a"),
            ToolResult(call_id=f"c{number}", name="read_file", text=f"line {number}"),
        ]

    assert Budget(Limits(), entries).repetition(ASKED) is Repetition.FINE


def test_a_call_with_an_unknown_end_is_not_begun_again_in_the_same_turn() -> None:
    entries = asked_before(1, state=ResultState.UNKNOWN)

    assert Budget(Limits(), entries).repetition(ASKED) is Repetition.UNKNOWN_BEFORE


def test_sixty_model_calls_are_all_there_are() -> None:
    entries: list[Entry] = [words("hm")] * 59
    budget = Budget(Limits(), entries)

    budget.check_model_call()
    entries.append(words("hm"))

    with pytest.raises(BudgetSpent, match="60 model calls"):
        budget.check_model_call()


def test_a_hundred_and_twenty_tool_calls_are_all_there_are() -> None:
    entries: list[Entry] = [call("read_file", id=f"c{n}", path=str(n)) for n in range(120)]

    with pytest.raises(BudgetSpent, match="120 tool calls"):
        Budget(Limits(model_calls=1000), entries).check_model_call()


def test_a_model_that_asks_ten_times_for_one_thing_is_ended() -> None:
    with pytest.raises(BudgetSpent, match="the same thing 10 times"):
        Budget(Limits(), asked_before(10)).check_model_call()

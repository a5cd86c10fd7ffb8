"""What a turn did on its way, told from its record."""

from bot.agent.summary import summaries
from bot.contracts.channel import CallMade, Remark
from bot.contracts.messages import AssistantMessage, ResultState, StopReason, ToolCall, ToolResult
from bot.contracts.tool import Effect
from bot.contracts.transcript import CallStarted, Entry, Received, Recorded
from bot.contracts.turn import Rank, TurnId
from bot.kernel.steps import steps_of
from bot.tools import BUILTIN
from tests.doubles.arrivals import NOON, an_inbound


def told(*entries: Entry) -> list[Remark | CallMade]:
    recorded = [
        Recorded(seq=seq, turn_id=TurnId("t"), attempt=1, at=NOON, entry=entry)
        for seq, entry in enumerate(entries)
    ]
    return list(steps_of(recorded, summaries(BUILTIN)))


def asked(text: str, *calls: ToolCall) -> AssistantMessage:
    return AssistantMessage(text=text, stop=StopReason.TOOL_USE, tool_calls=calls, model="m")


def reads(call_id: str, path: str = "notes/a.md") -> ToolCall:
    return ToolCall(id=call_id, name="read_file", arguments=f'{{"path": "{path}"}}')


def result(call_id: str, state: ResultState) -> ToolResult:
    return ToolResult(call_id=call_id, name="read_file", text="x", state=state)


def test_words_before_calls_and_calls_in_order_and_no_answer() -> None:
    assert told(
        Received(inbound=an_inbound("read it"), rank=Rank.OWNER),
        asked("<think>secret</think>I will look.", reads("1"), reads("2", "b.md")),
        result("2", ResultState.ERROR),
        result("1", ResultState.OK),
        asked("", reads("3")),
        result("3", ResultState.DENIED),
        AssistantMessage(text="Done.", stop=StopReason.END, model="m"),
    ) == [
        Remark(text="I will look."),
        CallMade(name="read_file", summary="notes/a.md", state=ResultState.OK),
        CallMade(name="read_file", summary="b.md", state=ResultState.ERROR),
        CallMade(name="read_file", summary="notes/a.md", state=ResultState.DENIED),
    ]


def calls(*entries: Entry) -> list[CallMade]:
    return [step for step in told(*entries) if isinstance(step, CallMade)]


def test_a_call_without_a_result_is_unknown_if_it_began_and_else_never_did() -> None:
    begun = CallStarted(call_id="1", name="read_file", effect=Effect.PURE)
    made = calls(asked("", reads("1"), reads("2")), begun)

    assert [call.state for call in made] == [ResultState.UNKNOWN, ResultState.KILLED]


def test_a_tool_that_is_gone_or_arguments_that_do_not_fit_have_no_summary() -> None:
    gone = ToolCall(id="1", name="fly", arguments="{}")
    broken = ToolCall(id="2", name="read_file", arguments='{"path"')

    assert [call.summary for call in calls(asked("", gone, broken))] == ["", ""]

import pytest

from bot.contracts.messages import (
    AssistantMessage,
    Message,
    ResultState,
    StopReason,
    ToolCall,
    ToolResult,
    UserMessage,
)
from bot.models.legal import arguments_of, arguments_text, dumps, finished, groups, legal_name

HELLO = UserMessage(text="hello")
A = ToolCall(id="a", name="f", arguments="{}")
B = ToolCall(id="b", name="g", arguments="{}")


def asks(*calls: ToolCall, text: str = "") -> AssistantMessage:
    return AssistantMessage(text=text, stop=StopReason.TOOL_USE, tool_calls=calls)


def result(call: ToolCall, text: str = "done") -> ToolResult:
    return ToolResult(call_id=call.id, name=call.name, text=text)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param(
            [HELLO, asks(A, B), result(B), HELLO, result(A)],
            [(HELLO,), (asks(A, B), result(A), result(B)), (HELLO,)],
            id="results stand behind their message, in the calls' order",
        ),
        pytest.param(
            [HELLO, asks(A), result(A), result(A, "again")],
            [(HELLO,), (asks(A), result(A))],
            id="the first of two results counts",
        ),
        pytest.param(
            [HELLO, result(A), asks(text="hi")],
            [(HELLO,), (asks(text="hi"),)],
            id="a result without its call is left out",
        ),
        pytest.param(
            [HELLO, asks(text=" \n"), HELLO],
            [(HELLO,), (HELLO,)],
            id="a message that says nothing is left out",
        ),
    ],
)
def test_groups(messages: list[Message], expected: list[tuple[Message, ...]]) -> None:
    assert list(groups(messages)) == expected


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    (_, made), _ = groups([asks(A), asks(text="hi"), result(A)])

    assert isinstance(made, ToolResult)
    assert (made.call_id, made.state) == ("a", ResultState.UNKNOWN)


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("read_file", "read_file"),
        ("functions.read_file:0", "functions_read_file_0"),
        ("", "unnamed"),
        ("x" * 99, "x" * 64),
        ("名", "_"),
    ],
)
def test_a_name_is_made_legal(name: str, legal: str) -> None:
    assert legal_name(name) == legal


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("", {}),
        (" \n", {}),
        ('{"a": 1}', {"a": 1}),
        ("[1]", {"not_an_object": "[1]"}),
        ('{"a": NaN}', {"not_an_object": '{"a": NaN}'}),
        ('{"a"', {"not_an_object": '{"a"'}),
        ('{"a":' * 9999, {"not_an_object": '{"a":' * 9999}),
    ],
)
def test_arguments_are_an_object(written: str, meant: dict[str, object]) -> None:
    assert arguments_of(ToolCall(id="a", name="f", arguments=written)) == meant


def test_arguments_that_are_an_object_keep_their_bytes() -> None:
    assert arguments_text(ToolCall(id="a", name="f", arguments='{ "b":1,"a" : 2}')) == (
        '{ "b":1,"a" : 2}'
    )


def test_arguments_are_finished_unless_they_were_cut_off() -> None:
    assert finished("", StopReason.TOOL_USE) == "{}"
    assert finished("", StopReason.LENGTH) == ""
    assert finished('{"a"', StopReason.TOOL_USE) == '{"a"'


def test_lone_surrogates_are_replaced() -> None:
    assert dumps({"a": "x\ud800"}) == '{"a":"x\ufffd"}'.encode()

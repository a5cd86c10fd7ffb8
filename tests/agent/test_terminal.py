import pytest

from bot.agent.terminal import Judgement, Said, SaidNothing, Unfinished, judge
from bot.contracts.messages import StopReason
from tests.doubles.scripted_model import words

TOOLS = ("read_file", "shell")


def judged(text: str, *, stop: StopReason = StopReason.END, acted: bool = False) -> Judgement:
    return judge(words(text, stop=stop), visible=text, silent=False, tools=TOOLS, acted=acted)


@pytest.mark.parametrize(
    "text",
    [
        "You have three things to do.",
        "I will not be able to do that; the file is missing.",
        "Let me know if you want more.",
        'The config is {"name": "read_file"} and that is all.',
        "你今天有三件事。",
    ],
)
def test_an_answer_is_an_answer(text: str) -> None:
    assert isinstance(judged(text), Said)


@pytest.mark.parametrize(
    "text",
    [
        "I'll read notes/meeting.md now.",
        "Sure! Let me check the file.",
        "I’m going to run the tests.",
        "好的,我这就去读一下文件。",
        "让我看看这个文件。",
    ],
)
def test_a_promise_without_an_act_is_unfinished(text: str) -> None:
    assert isinstance(judged(text), Unfinished)


def test_the_same_words_after_an_act_are_the_answer() -> None:
    assert isinstance(judged("I'll read it again tomorrow.", acted=True), Said)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "read_file", "arguments": {"path": "a"}}',
        '```json\n{"name": "shell", "arguments": {}}\n```',
        '<tool_call>{"name": "shell"}</tool_call>',
        "<function=shell>ls</function>",
    ],
)
def test_a_tool_call_written_as_text_is_unfinished(text: str) -> None:
    assert isinstance(judged(text, acted=True), Unfinished)


def test_a_message_that_stops_at_tool_use_is_unfinished_whatever_it_says() -> None:
    assert isinstance(judged("Here you are.", stop=StopReason.TOOL_USE), Unfinished)


def test_an_empty_message_is_unfinished_and_silence_must_be_said() -> None:
    assert isinstance(judged("  \n"), Unfinished)
    said = judge(words("[[silent]]"), visible="", silent=True, tools=TOOLS, acted=False)
    assert said == SaidNothing()

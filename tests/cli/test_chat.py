"""The conversation in the terminal: what is typed, what is painted."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.cli.chat import Conversation, Screen
from bot.cli.client import Talk, control
from bot.contracts.messages import ResultState
from bot.contracts.turn import OutcomeKind, TurnId
from channels.webchat.protocol import (
    AcceptedFrame,
    CommandOffer,
    DroppedFrame,
    EndedFrame,
    LineFrame,
    MadeFrame,
    RefusedFrame,
    ServerFrame,
    StatusFrame,
    ToolFrame,
    WelcomeFrame,
    WordsFrame,
)
from tests.channels.webchat.house import House, a_house


async def typed(*lines: str) -> AsyncIterator[str]:
    for line in lines:
        yield line


async def talk(house: House, *lines: str, stops: "asyncio.Queue[None] | None" = None) -> str:
    painted: list[str] = []
    async with control(house.control_path) as http:
        conversation = Conversation(Talk(http, patience=5), painted.append)
        await conversation.run(typed(*lines), stops or asyncio.Queue())
    return "".join(painted)


async def test_words_are_painted_as_they_come_and_not_again_as_a_line() -> None:
    async with a_house() as house:
        house.gateway.on_message = lambda turn, _: house.gateway.answer(turn, "good morning")

        painted = await talk(house, "hello")

    assert painted.count("good morning") == 1
    assert painted.endswith("\n> \n")


def test_words_that_come_behind_their_line_are_not_painted_again() -> None:
    """News may be late; what is a line is a line."""
    painted: list[str] = []
    screen = Screen(painted.append)
    line = LineFrame(
        seq=2, direction="said", turn="t", at="2026-03-01T09:30:00Z", text="hi", kind="answer"
    )
    for frame in (line, WordsFrame(turn="t", text="hi"), MadeFrame(turn="t", final=True)):
        screen.show(frame)

    assert "".join(painted).count("hi") == 1


async def test_a_tool_is_a_quiet_line_and_its_failure_is_told() -> None:
    async with a_house() as house:

        def answer(turn: TurnId, _text: str) -> None:
            house.gateway.start(turn)
            house.gateway.words(turn, "I look.")
            house.gateway.made(turn, final=False)
            house.gateway.call(turn, "call-1", "read_file", "notes/meeting.md")
            house.gateway.result(turn, "call-1", "read_file", ResultState.ERROR)
            house.gateway.words(turn, "There is no such file.")
            house.gateway.made(turn, final=True)
            house.gateway.finish(turn, "There is no such file.")

        house.gateway.on_message = answer

        painted = await talk(house, "read it")

    assert painted == (
        "I look.\n· read_file notes/meeting.md\n· read_file: error\nThere is no such file.\n> \n"
    )


async def test_empty_and_endless_lines_are_not_sent() -> None:
    async with a_house() as house:
        painted = await talk(house, "", "x" * 200_001)

    assert house.gateway.said == []
    assert "200,001 characters are too many; at most 200,000 are taken" in painted


async def test_ctrl_c_stops_what_runs() -> None:
    async with a_house() as house:
        stops: asyncio.Queue[None] = asyncio.Queue()
        turns: list[TurnId] = []

        def hold(turn: TurnId, text: str) -> None:
            turns.append(turn)
            if text == "/stop":
                house.gateway.finish(turns[0], "", kind=OutcomeKind.INTERRUPTED, reason="stopped")
                house.gateway.finish(turn, "", kind=OutcomeKind.SILENT)
            else:
                stops.put_nowait(None)

        house.gateway.on_message = hold

        painted = await talk(house, "think for an hour", stops=stops)

    assert "· interrupted: stopped" in painted


async def test_words_that_were_stopped_stay_and_only_the_mark_is_added() -> None:
    async with a_house() as house:
        stops: asyncio.Queue[None] = asyncio.Queue()
        turns: list[TurnId] = []

        def hold(turn: TurnId, text: str) -> None:
            turns.append(turn)
            if text == "/stop":
                said = "The answer is\n\nStopped."
                house.gateway.finish(turns[0], said, kind=OutcomeKind.INTERRUPTED, reason="stopped")
                house.gateway.finish(turn, "", kind=OutcomeKind.SILENT)
            else:
                house.gateway.start(turn)
                house.gateway.words(turn, "The answer is")
                stops.put_nowait(None)

        house.gateway.on_message = hold

        painted = await talk(house, "think for an hour", stops=stops)

    assert painted.startswith("The answer is\nStopped.\n")


def screen_of(*frames: ServerFrame) -> str:
    painted: list[str] = []
    screen = Screen(painted.append)
    for frame in frames:
        screen.show(frame)
    return "".join(painted)


def a_line(text: str, *, turn: str = "t", kind: str = "answer") -> LineFrame:
    return LineFrame(
        seq=1,
        direction="said",
        turn=turn,
        at="2026-03-01T09:30:00+00:00",
        text=text,
        kind="notice" if kind == "notice" else "answer",
    )


def test_a_line_that_was_not_streamed_is_painted() -> None:
    assert screen_of(a_line("hello")) == "hello\n"


def test_a_notice_is_painted_whatever_was_streamed() -> None:
    painted = screen_of(
        WordsFrame(turn="t", text="half"),
        MadeFrame(turn="t", final=True),
        a_line("It broke.", kind="notice"),
    )

    assert painted == "half\nIt broke.\n"


def test_what_comes_after_the_prompt_stands_below_it_and_before_the_next_one() -> None:
    painted: list[str] = []
    screen = Screen(painted.append)
    screen.prompt()
    screen.prompt()
    screen.show(a_line("Stopped.", kind="notice"))
    screen.show(WordsFrame(turn="another terminal's", text="Yes"))

    assert "".join(painted) == "> \nStopped.\n> \nYes"


def test_a_typed_line_has_left_the_prompt() -> None:
    painted: list[str] = []
    screen = Screen(painted.append)
    screen.prompt()
    screen.typed()
    screen.note("that is too long")

    assert "".join(painted) == "> · that is too long\n> "


def test_after_a_reconnect_a_half_seen_answer_is_painted_whole() -> None:
    painted = screen_of(
        WordsFrame(turn="t", text="two "),
        MadeFrame(turn="t", final=True),
        WelcomeFrame(conversation="terminal", seq=0),
        a_line("one two"),
    )

    assert painted.endswith("one two\n")


def test_what_the_model_wrote_cannot_command_the_terminal() -> None:
    painted = screen_of(
        WordsFrame(turn="t", text="\x1b]0;owned\x07red\x9b31m"), a_line("a\x1b[2Jb")
    )

    assert "\x1b" not in painted
    assert "\x9b" not in painted


@pytest.mark.parametrize(
    ("frame", "painted"),
    [
        pytest.param(DroppedFrame(turn="t"), "· that broke off; it begins again\n", id="dropped"),
        pytest.param(
            StatusFrame(turn="t", state="retrying", reason="the model is busy"),
            "· the model is busy\n",
            id="retrying",
        ),
        pytest.param(
            RefusedFrame(id="x", reason="The disk is full.", retry=3.0),
            "· The disk is full.\n> ",
            id="refused",
        ),
        pytest.param(
            WelcomeFrame(conversation="terminal", seq=0, problem="A key is wrong."),
            "! A key is wrong.\n",
            id="problem",
        ),
        pytest.param(EndedFrame(turn="of another", outcome="failed"), "", id="not ours"),
        pytest.param(AcceptedFrame(id="x", seq=1, turn="t"), "", id="said elsewhere"),
        pytest.param(
            ToolFrame(turn="t", call="c", name="shell", state="ok"), "", id="a tool that worked"
        ),
    ],
)
def test_what_is_painted_for(frame: ServerFrame, painted: str) -> None:
    assert screen_of(frame) == painted


THINK = CommandOffer(name="think", summary="how long", arguments="[level]", aliases=("t",))
STATUS = CommandOffer(name="status", summary="how I stand")


def test_the_beginning_of_a_command_is_answered_with_what_could_be_meant() -> None:
    painted: list[str] = []
    screen = Screen(painted.append)
    screen.show(WelcomeFrame(conversation="terminal", seq=0, commands=(THINK, STATUS)))
    assert screen.completions("/") == [THINK, STATUS]
    assert screen.completions(" /TH ") == [THINK]
    screen.offer([THINK])
    assert painted == ["· /think [level]: how long\n", "> "]


@pytest.mark.parametrize("text", ["/think", "/t", "/nobody", "/think high", "th", "/etc/passwd"])
def test_whatever_is_no_beginning_is_said_to_the_bot(text: str) -> None:
    screen = Screen(lambda _: None)
    screen.show(WelcomeFrame(conversation="terminal", seq=0, commands=(THINK, STATUS)))
    assert list(screen.completions(text)) == []

"""What is on the screen of a turn that runs, for whoever comes in the middle of it."""

import asyncio

from bot.contracts.document import Growing
from bot.contracts.events import (
    Event,
    MessageDropped,
    MessageMade,
    ToolEnded,
    ToolStarted,
    TurnAbsorbed,
    TurnEnded,
    TurnStarted,
    WordsCame,
)
from bot.contracts.inbound import ConversationKey
from bot.contracts.messages import ResultState
from bot.contracts.turn import OutcomeKind, TurnId
from bot.markup.live import LiveMarkdown
from channels.webchat.live import Live
from channels.webchat.places import TERMINAL
from channels.webchat.protocol import (
    MadeFrame,
    OpenTurn,
    ServerFrame,
    ShownFrame,
    StatusFrame,
    ToolFrame,
    WordsFrame,
)
from tests.doubles.fake_gateway import FakeGateway

_HERE = ConversationKey(channel="webchat", account="default", conversation_id="main")
_TURN = TurnId("t")


class Eye:
    """A viewer that remembers."""

    def __init__(self) -> None:
        self.frames: list[ServerFrame] = []
        self.looks: list[TurnId | None] = []

    def show(self, frame: ServerFrame) -> None:
        self.frames.append(frame)

    def expect(self, turn_id: TurnId) -> None:
        self.looks.append(turn_id)

    def look(self, turn_id: TurnId | None = None) -> None:
        self.looks.append(turn_id)


def words(text: str, turn: TurnId = _TURN) -> WordsCame:
    return WordsCame(conversation=_HERE, turn_id=turn, text=text)


def live(*events: Event) -> Live:
    picture = Live(_HERE, LiveMarkdown)
    for event in events:
        picture.apply(event)
    return picture


def test_words_and_tools_so_far_are_in_the_picture() -> None:
    picture = live(
        words("I look. "),
        MessageMade(conversation=_HERE, turn_id=_TURN, final=False),
        ToolStarted(conversation=_HERE, turn_id=_TURN, call_id="c", name="shell", summary="ls"),
        ToolEnded(
            conversation=_HERE, turn_id=_TURN, call_id="c", name="shell", state=ResultState.OK
        ),
        words("There "),
        words("is"),
    ).picture(_TURN, "queued")

    assert picture == OpenTurn(
        turn="t",
        state="running",
        words="There is",
        html="<p>There is</p>",
        tools=(ToolFrame(turn="t", call="c", name="shell", state="ok", summary="ls"),),
    )


def test_a_turn_without_news_is_as_the_store_says() -> None:
    assert live().picture(_TURN, "queued") == OpenTurn(turn="t", state="queued")


def test_words_that_were_dropped_are_gone() -> None:
    picture = live(words("half"), MessageDropped(conversation=_HERE, turn_id=_TURN))

    assert picture.picture(_TURN, "running").words == ""


def test_another_attempt_begins_with_an_empty_screen() -> None:
    picture = live(words("half"), TurnStarted(conversation=_HERE, turn_id=_TURN, attempt=2))

    assert picture.picture(_TURN, "queued") == OpenTurn(turn="t", state="running")


def test_a_turn_that_ended_or_joined_another_leaves_nothing() -> None:
    other = TurnId("o")
    picture = live(
        words("a"),
        TurnEnded(conversation=_HERE, turn_id=_TURN, outcome=OutcomeKind.ANSWERED, reason=""),
        words("b", other),
        TurnAbsorbed(conversation=_HERE, turn_id=other, into=_TURN),
    )

    assert picture.picture(_TURN, "queued").words == ""
    assert picture.picture(other, "queued").words == ""


def test_ends_that_were_lost_do_not_pile_up() -> None:
    picture = live(*(words("x", TurnId(str(number))) for number in range(100)))

    assert picture.picture(TurnId("35"), "queued").words == ""
    assert picture.picture(TurnId("36"), "queued").words == "x"


def test_viewers_are_told_as_long_as_they_watch() -> None:
    picture, eye = live(), Eye()
    picture.attach(eye)
    picture.apply(words("a"))
    picture.apply(TurnAbsorbed(conversation=_HERE, turn_id=_TURN, into=TurnId("o")))
    picture.apply(
        TurnEnded(conversation=_HERE, turn_id=_TURN, outcome=OutcomeKind.SILENT, reason="")
    )
    picture.detach(eye)
    picture.apply(words("b"))

    assert eye.frames == [
        WordsFrame(turn="t", text="a"),
        StatusFrame(turn="t", state="joined", into="o"),
    ]
    assert eye.looks == [_TURN]


async def test_words_are_shown_as_they_look_and_what_is_settled_is_sent_once() -> None:
    gateway, picture, eye = FakeGateway(), Live(_HERE, LiveMarkdown), Eye()
    picture.attach(eye)
    following = asyncio.create_task(picture.follow(gateway))
    await asyncio.sleep(0)

    async def shown(text: str) -> tuple[int, str]:
        gateway._bus.publish(words(text))
        async with asyncio.timeout(10):
            while not (eye.frames and isinstance(eye.frames[-1], ShownFrame)):  # noqa: ASYNC110 - a viewer has no bell
                await asyncio.sleep(0.005)
        frame = eye.frames.pop()
        assert isinstance(frame, ShownFrame)
        return frame.keep, frame.html

    assert await shown("Some **bo") == (0, "<p>Some <strong>bo</strong></p>")
    assert await shown("ld**.\n\nTwo\n\n> three\n\n") == (
        0,
        "<p>Some <strong>bold</strong>.</p><p>Two</p><blockquote><p>three</p></blockquote>",
    )
    assert await shown("four `co") == (
        2,
        "<blockquote><p>three</p></blockquote><p>four <code>co</code></p>",
    )

    gateway._bus.publish(words("de`."))
    gateway._bus.publish(MessageMade(conversation=_HERE, turn_id=_TURN, final=True))
    await asyncio.sleep(0.01)
    assert [type(frame) for frame in eye.frames[-2:]] == [ShownFrame, MadeFrame]
    following.cancel()
    await asyncio.wait({following})


async def test_the_terminal_shows_words_and_is_painted_nothing() -> None:
    class Untouched(LiveMarkdown):
        def picture(self) -> Growing:
            raise AssertionError

    picture, eye = Live(TERMINAL, Untouched), Eye()
    picture.attach(eye)
    for event in (
        words("Some **bold**."),
        MessageMade(turn_id=_TURN, conversation=_HERE, final=True),
    ):
        picture.apply(event)

    assert [type(frame) for frame in eye.frames] == [WordsFrame, MadeFrame]


async def test_nobody_watches_and_nothing_is_painted() -> None:
    class Untouched(LiveMarkdown):
        def picture(self) -> Growing:
            raise AssertionError

    gateway, picture = FakeGateway(), Live(_HERE, Untouched)
    following = asyncio.create_task(picture.follow(gateway))
    await asyncio.sleep(0)
    gateway._bus.publish(words("x"))
    await asyncio.sleep(0.01)

    assert not following.done()
    following.cancel()
    await asyncio.wait({following})


async def test_a_screen_that_fails_does_not_end_the_listening() -> None:
    class Broken(Eye):
        def show(self, frame: ServerFrame) -> None:
            super().show(frame)
            raise ValueError("no screen")

    gateway, picture, eye = FakeGateway(), Live(_HERE, LiveMarkdown), Broken()
    picture.attach(eye)
    following = asyncio.create_task(picture.follow(gateway))
    await asyncio.sleep(0)
    for text in ("one", "two"):
        gateway._bus.publish(words(text))
        await asyncio.sleep(0)

    assert not following.done()
    assert [frame for frame in eye.frames if isinstance(frame, WordsFrame)] == [
        WordsFrame(turn="t", text="one"),
        WordsFrame(turn="t", text="two"),
    ]
    following.cancel()
    await asyncio.wait({following})

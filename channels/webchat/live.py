"""What would be on the screen but is in no store yet: words and tool calls of turns that run."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from bot.contracts.channel import Gateway
from bot.contracts.document import LiveDocument
from bot.contracts.events import (
    AttemptFailed,
    Delivered,
    Event,
    MessageDropped,
    MessageMade,
    ToolEnded,
    ToolStarted,
    TurnAbsorbed,
    TurnEnded,
    TurnFinishing,
    TurnQueued,
    TurnStarted,
    WordsCame,
)
from bot.contracts.inbound import ConversationKey
from bot.contracts.turn import TurnId
from channels.webchat.painting import Painting
from channels.webchat.places import TERMINAL
from channels.webchat.protocol import (
    DroppedFrame,
    ForgottenFrame,
    MadeFrame,
    OpenTurn,
    ServerFrame,
    StatusFrame,
    ToolFrame,
    ToolWord,
    TurnWord,
    WordsFrame,
)

_log = logging.getLogger(__name__)

_MOST_TURNS: Final = 64
"""The end of a turn is news too and may be lost; beyond this many the oldest is forgotten."""


_PAINT_SECONDS: Final = 0.06
"""How often words are shown anew: more often no eye can tell apart."""

_PAINTED_A_SECOND: Final = 400_000
"""Characters of HTML; a long piece of code that grows is shown the less often for it."""


class Viewer(Protocol):
    """Somebody with a screen."""

    def show(self, frame: ServerFrame) -> None:
        """Put a frame on its way; never waits."""
        ...

    def expect(self, turn_id: TurnId) -> None:
        """Look into the store soon, for the line that began a turn; its end is to be told, too."""
        ...

    def look(self, turn_id: TurnId | None = None) -> None:
        """Look into the store soon, for new lines and for the ends of turns; maybe of this one."""
        ...


@contextmanager
def _costing_a_screen() -> Iterator[None]:
    """Whoever fails to show something has a screen less; no fact hangs on it."""
    try:
        yield
    except Exception:  # noqa: BLE001 - a listener that fails costs a screen, no fact
        _log.exception("news not shown")


@dataclass(slots=True, kw_only=True)
class _Running:
    """One turn as the screen has it."""

    painting: Painting
    state: TurnWord = "running"
    tools: dict[str, ToolFrame] = field(default_factory=dict)


class Live:
    """One conversation's news, kept as a picture, and passed on to everybody who watches."""

    def __init__(
        self, conversation: ConversationKey, live_document: Callable[[], LiveDocument]
    ) -> None:
        self.conversation = conversation
        self._live_document = live_document
        self._is_painted = conversation != TERMINAL
        self._fresh = asyncio.Event()
        self._turns: dict[TurnId, _Running] = {}
        self._viewers: set[Viewer] = set()

    async def follow(self, gateway: Gateway) -> None:
        """Listen until cancelled."""
        async with asyncio.TaskGroup() as group:
            if self._is_painted:
                group.create_task(self._paint(), name="paint")
            with gateway.follow(self.conversation) as news:
                async for event in news:
                    with _costing_a_screen():
                        self.apply(event)

    async def _paint(self) -> None:
        """Show what fresh words look like, at once and then not too often."""
        while True:
            await self._fresh.wait()
            self._fresh.clear()
            shown = 0
            for running in tuple(self._turns.values()):
                with _costing_a_screen():
                    shown += self._show_change(running)
            await asyncio.sleep(_PAINT_SECONDS + shown / _PAINTED_A_SECOND)

    def _show_change(self, running: _Running) -> int:
        """Show a turn's fresh words; return how many characters that took."""
        if not (self._is_painted and running.painting.is_fresh and self.is_watched):
            return 0
        frame = running.painting.change()
        for viewer in tuple(self._viewers):
            viewer.show(frame)
        return len(frame.html)

    def attach(self, viewer: Viewer) -> None:
        """Pass everything on to *viewer* from now on."""
        self._viewers.add(viewer)

    def detach(self, viewer: Viewer) -> None:
        """Stop passing things on to *viewer*."""
        self._viewers.discard(viewer)

    @property
    def is_watched(self) -> bool:
        """Whether anybody has it on the screen."""
        return bool(self._viewers)

    def forget(self) -> None:
        """Tell the viewers that the conversation was deleted."""
        self._turns.clear()
        for viewer in tuple(self._viewers):
            viewer.show(ForgottenFrame())

    def picture(self, turn_id: TurnId, otherwise: TurnWord) -> OpenTurn:
        """Return what is on the screen of a turn; its state is *otherwise* if no news came."""
        running = self._turns.get(turn_id)
        if running is None:
            return OpenTurn(turn=turn_id, state=otherwise)
        return OpenTurn(
            turn=turn_id,
            state=running.state,
            words=running.painting.words,
            html=running.painting.whole(),
            tools=tuple(running.tools.values()),
        )

    def apply(self, event: Event) -> None:
        """Change the picture by one event, and tell the viewers."""
        frame = self._frame(event)
        for viewer in tuple(self._viewers):
            if frame is not None:
                viewer.show(frame)
            match event:
                case TurnQueued(turn_id=turn_id):
                    viewer.expect(turn_id)
                case TurnEnded(turn_id=turn_id):
                    viewer.look(turn_id)
                case Delivered():
                    viewer.look()
                case _:
                    pass

    def _frame(self, event: Event) -> ServerFrame | None:
        turn = event.turn_id
        match event:
            case TurnEnded():
                self._turns.pop(turn, None)
                return None
            case WordsCame(text=text):
                self._running(turn).painting.feed(text)
                self._fresh.set()
                return WordsFrame(turn=turn, text=text)
            case MessageMade(final=final):
                self._message_made(self._running(turn), final=final)
                return MadeFrame(turn=turn, final=final)
            case MessageDropped():
                self._running(turn).painting.clear()
                return DroppedFrame(turn=turn)
            case ToolStarted() | ToolEnded():
                return self._tool(event)
            case _:
                return self._status(event)

    def _message_made(self, running: _Running, *, final: bool) -> None:
        if final:
            self._show_change(running)
        else:
            running.painting.clear()

    def _tool(self, event: ToolStarted | ToolEnded) -> ToolFrame:
        tools = self._running(event.turn_id).tools
        state: ToolWord
        match event:
            case ToolStarted():
                state, summary = "running", event.summary
            case ToolEnded():
                begun = tools.get(event.call_id)
                state, summary = event.state.value, begun.summary if begun else ""
        frame = ToolFrame(
            turn=event.turn_id,
            call=event.call_id,
            name=event.name,
            state=state,
            summary=summary,
        )
        tools[event.call_id] = frame
        return frame

    def _status(self, event: Event) -> StatusFrame | None:
        turn = event.turn_id
        match event:
            case TurnQueued():
                frame = StatusFrame(turn=turn, state="queued")
            case TurnStarted():
                self._turns.pop(turn, None)
                frame = StatusFrame(turn=turn, state="running")
            case TurnFinishing():
                frame = StatusFrame(turn=turn, state="finishing")
            case AttemptFailed(reason=reason):
                frame = StatusFrame(turn=turn, state="retrying", reason=reason)
            case TurnAbsorbed(into=into):
                self._turns.pop(turn, None)
                return StatusFrame(turn=turn, state="joined", into=into)
            case _:
                return None
        self._running(turn).state = frame.state
        return frame

    def _running(self, turn: TurnId) -> _Running:
        running = self._turns.get(turn)
        if running is None:
            painting = Painting(turn, self._live_document)
            running = self._turns[turn] = _Running(painting=painting)
        if len(self._turns) > _MOST_TURNS:
            del self._turns[next(iter(self._turns))]
        return running

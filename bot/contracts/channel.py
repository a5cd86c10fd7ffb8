"""What a channel must be, what it may be besides, and what it may ask of the bot."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from bot.contracts.approval import Approval
from bot.contracts.clock import Clock, Ids
from bot.contracts.command import Command
from bot.contracts.delivery import OnUnknown, Receipt
from bot.contracts.document import Document, LiveDocument
from bot.contracts.events import Event
from bot.contracts.inbound import ConversationKey, Inbound, Source
from bot.contracts.ledger import Found, Line, Listed, TurnRecord
from bot.contracts.media import Media
from bot.contracts.messages import ResultState
from bot.contracts.people import People
from bot.contracts.reply import ReplyPayload, Target
from bot.contracts.route import Match
from bot.contracts.store import Cursor, Records
from bot.contracts.turn import TurnId
from bot.contracts.waiting import Waited, WaitFor


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What the platform can do. `repeat` says what to do after a send with an unknown end."""

    repeat: OnUnknown
    reads_the_store: bool = False
    """Its readers read the lines of the store, so that an answer has arrived with its commit."""


class Dialect(Protocol):
    """A platform's markup and its measure. Pure, and usable before anything is connected."""

    def render(self, document: Document) -> str:
        """Write *document* in the platform's markup."""
        ...

    def fits(self, document: Document) -> bool:
        """Whether the platform takes it as one message."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The message is ours: committed, with its place among the lines of its conversation."""

    source: Source
    turn_id: TurnId
    seq: int
    duplicate: bool = False
    """It had been accepted before; turn and seq are those of the first time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Words of a turn that were no answer: what the model said before it asked for a tool."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallMade:
    """A call that a turn made, and how it ended."""

    name: str
    summary: str
    state: ResultState


class Gateway(Protocol):
    """What a channel may ask of the bot. Most need only the first."""

    async def receive(self, *inbounds: Inbound, cursor: Cursor | None = None) -> Sequence[Accepted]:
        """Take messages over, all or none; in order; once each.

        Raises:
            StoreUnavailable: nothing was recorded; do not tell the platform that we have it.
        """
        ...

    async def accepted(self, conversation: ConversationKey, source: Source) -> Accepted | None:
        """Return what `receive` said of a message before, or None if it was never taken over."""
        ...

    async def cursor(self, key: str) -> int | None:
        """Return where a channel stopped listening, as last committed with `receive`."""
        ...

    async def lines(
        self, conversation: ConversationKey, *, after: int, limit: int = 200
    ) -> Sequence[Line]:
        """Return the latest *limit* lines after line *after*, in order."""
        ...

    async def lines_before(
        self, conversation: ConversationKey, seq: int, *, limit: int = 200
    ) -> Sequence[Line]:
        """Return the latest *limit* lines before line *seq*, in order."""
        ...

    async def steps(self, turn_id: TurnId) -> Sequence[Remark | CallMade]:
        """Return what a turn did on its way to its answer, in order."""
        ...

    async def question(self, code: str) -> Approval | None:
        """Return how a question stands, or None if there is none of that name (any more)."""
        ...

    async def conversations(self, place: ConversationKey, *, limit: int = 200) -> Sequence[Listed]:
        """Return the first conversation of *place* and its threads, what was last used first."""
        ...

    async def conversation(self, conversation: ConversationKey) -> Listed | None:
        """Return what a list shows of one, or None if nothing stands in it."""
        ...

    async def search(
        self, place: ConversationKey, words: Sequence[str], *, limit: int = 50
    ) -> Sequence[Found]:
        """Return lines of *place* and its threads that hold every one of *words*, newest first."""
        ...

    async def rename(self, conversation: ConversationKey, title: str | None) -> bool:
        """Name a conversation, or take its name away; say whether there is such a one."""
        ...

    async def forget(self, conversation: ConversationKey) -> None:
        """Stop what runs and waits in a conversation, and delete what was said in it."""
        ...

    async def open_turns(self, conversation: ConversationKey) -> Sequence[TurnRecord]:
        """Return the turns of the conversation that wait or run, oldest first."""
        ...

    async def turn(self, turn_id: TurnId) -> TurnRecord | None:
        """Return all that is known of one turn."""
        ...

    async def wait(
        self, turn_id: TurnId, timeout_seconds: float, until: WaitFor = WaitFor.ENDED
    ) -> Waited:
        """Return what is known of a turn once it is over, or after so many seconds.

        A wait that expires says so, and says nothing about the turn, which goes on. It may be
        asked for before, during and after the turn, again, and after a restart.

        Raises:
            StoreUnavailable: it cannot be looked up.
        """
        ...

    def follow(self, conversation: ConversationKey) -> AbstractContextManager[AsyncIterator[Event]]:
        """Listen to the news of one conversation. It may lose some; `lines` does not."""
        ...


class Channel(Protocol):
    """A two-way door to one account on one platform."""

    @property
    def name(self) -> str:
        """The platform: also the folder's name and the key in the YAML."""
        ...

    @property
    def account(self) -> str:
        """Which login on the platform."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the platform can do."""
        ...

    @property
    def dialect(self) -> Dialect:
        """The platform's markup and measure."""
        ...

    async def listen(self, gateway: Gateway) -> None:
        """Hand every event to `gateway.receive` until cancelled."""
        ...

    async def send(self, target: Target, payload: ReplyPayload, *, nonce: str) -> Receipt:
        """Make one platform call.

        Raises:
            ChannelError: it did not succeed; its class says what is known.
        """
        ...

    async def close(self) -> None:
        """Let go of the connection."""
        ...


class Mount(StrEnum):
    """Where a route may be reached from: the network, or the control socket alone."""

    WEB = "web"
    CONTROL = "control"


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteSpec:
    """One HTTP route. `handler` is an aiohttp handler; the contracts do not import aiohttp."""

    mount: Mount
    method: str
    path: str
    handler: Callable[..., object]
    reads_from_anybody: bool = False
    """Whether it reads a body before it knows who sends it. Only so many may be at that."""


@runtime_checkable
class ServesHttp(Protocol):
    """An ability: the channel is reached over the bot's own HTTP server."""

    def routes(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted."""
        ...


@runtime_checkable
class HasPage(Protocol):
    """An ability: the channel is a page, opened by a link that works once."""

    @property
    def owners_place(self) -> tuple[ConversationKey, str]:
        """The owner's first conversation on the page, and the sender id they have there."""
        ...

    def introduce(self, *, address: str, model: str, problem: str, demo: bool = False) -> None:
        """Say what the page may tell of the bot, at the start and whenever it has changed.

        An empty *address* means that it is not served; *demo*, that no language model answers.
        """
        ...

    async def new_link(self) -> str:
        """Make a link to the page that works once, within ten minutes."""
        ...


@runtime_checkable
class MeetsOwner(Protocol):
    """An ability: the owner has a place here, where they are told what concerns them."""

    @property
    def owner_place(self) -> Target:
        """Where that is."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelParts:
    """What a channel is built from."""

    clock: Clock
    ids: Ids
    records: Records
    people: People
    media: Media
    live_document: Callable[[], LiveDocument]
    """Makes what shows words while they come."""
    commands: tuple[Command, ...] = ()
    """What may be asked of the bot itself: for a platform's own menu, or to suggest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdShapes:
    """What the platform's ids look like, as regular expressions of the whole id.

    The settings are checked by them: a name where an id is needed is found before it is missed.
    """

    person: str
    room: str
    space: str = ""
    """Empty where rooms stand in no space."""
    example: str
    """An id of a person, for whoever wrote a name instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSpec:
    """What a channel's folder exports as ``CHANNEL``.

    `open` is given the channel's own YAML section, already read, and imports
    the adapter and with it the SDK.
    """

    name: str
    open: Callable[[dict[str, object], ChannelParts], Channel]
    """Raises ConfigError for a setting that is missing or wrong."""
    ids: IdShapes | None = None
    """None where ids have no shape that could be told."""
    has_own_door: bool = False
    """Whoever speaks here has passed a login of the channel's own: nobody else is let in, and
    there are no rules of access to set."""
    doubts: Callable[[Match], Iterator[str]] | None = None
    """Says what of a match cannot be on this platform, one sentence each (pure): a field that it
    does not have, ids that do not belong together. What is None was not asked for."""

"""What a tool must be: arguments that explain themselves, an effect, and a function."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Generic, Protocol, Self, TypeVar

from bot.contracts.clock import Clock
from bot.contracts.session import SessionKey
from bot.contracts.turn import Rank


class Effect(StrEnum):
    """What repeating a call would do, and so what may be done when its end is unknown."""

    TRANSACTIONAL = "transactional"
    """The effect is a row of ours, in one commit with its result."""
    PURE = "pure"
    """It changes nothing: run it again."""
    IDEMPOTENT = "idempotent"
    """Twice is the same as once: run it again."""
    KEYED = "keyed"
    """The other side knows our key: run it again with the same call id."""
    CHECKABLE = "checkable"
    """A probe can tell whether it happened."""
    UNSAFE = "unsafe"
    """Nobody can tell: never repeat it."""


class Parameters(Protocol):
    """The arguments of a tool: a JSON schema for the model, a check at the door."""

    @classmethod
    def schema(cls) -> Mapping[str, object]:
        """Return the JSON schema, the same bytes each time."""
        ...

    @classmethod
    def parse(cls, arguments: str) -> Self:
        """Read the model's JSON text.

        Raises:
            ToolError: it is not JSON or does not fit, said per path, for the model.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One name in a folder of the workspace; `size` in bytes, 0 for a folder."""

    path: str
    is_folder: bool
    size: int = 0


class Workspace(Protocol):
    """The files a tool may touch. Every path is inside it, and no symlink leads out.

    Every method raises `ToolError` with one sentence for the model when a path
    leaves the workspace, is missing, is a folder, or is a link out of it.
    """

    @property
    def root(self) -> Path:
        """The folder itself, absolute, for the sandbox alone."""
        ...

    def inside(self, path: str) -> str:
        """Return the one spelling of *path*: from the root, with ``/``, without ``.`` (pure)."""
        ...

    async def read(self, path: str, *, limit: int) -> bytes:
        """Read a file of at most *limit* bytes."""
        ...

    async def write(self, path: str, data: bytes) -> None:
        """Put *data* where *path* is, whole or not at all; make its folders."""
        ...

    async def entries(self, path: str = ".", *, deep: bool = False) -> Sequence[FileEntry]:
        """List a folder, sorted; with *deep*, all below it."""
        ...

    def writing(self) -> AbstractAsyncContextManager[None]:
        """Wait for one's turn among the writers of this workspace."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a program ended; `output` is stdout and stderr as they came, cut in the middle."""

    exit_code: int
    output: str
    timed_out: bool = False


class Sandbox(Protocol):
    """The only place that starts programs a model chose."""

    @property
    def name(self) -> str:
        """What it is made of, such as ``bubblewrap``."""
        ...

    async def run(self, command: str, *, root: Path, timeout_seconds: float) -> Finished:
        """Run a shell command with *root* as its only writable place.

        When it is cancelled or late, the whole process group has ended before
        this returns: TERM, two seconds, KILL.
        """
        ...


class SeenFiles(Protocol):
    """What a session has read, so that a write can tell what changed since."""

    def note(self, session_key: SessionKey, path: str, data: bytes) -> None:
        """Remember that the session knows *path* to hold *data*."""
        ...

    def last(self, session_key: SessionKey, path: str) -> bytes | None:
        """Return what the session knows *path* to hold, or None."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a tool may know and use."""

    call_id: str
    session_key: SessionKey
    rank: Rank
    workspace: Workspace
    sandbox: Sandbox | None
    seen: SeenFiles
    clock: Clock


class Probe(StrEnum):
    """What a probe found out about a call with an unknown end."""

    DONE = "done"
    NOT_DONE = "not_done"
    UNCLEAR = "unclear"


P = TypeVar("P", bound=Parameters)


def _no_summary(_: Parameters) -> str:
    return ""


def _never(_args: Parameters, _context: ToolContext) -> str | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[P]):
    """Something a model may ask for.

    `description` says what it does; `guidance` says when to use it and when
    not, for the system prompt. `alone` keeps it from running beside others.
    """

    name: str
    description: str
    guidance: str
    effect: Effect
    parameters: type[P]
    run: Callable[[ToolContext, P], Awaitable[str]]
    probe: Callable[[ToolContext, P], Awaitable[Probe]] | None = None
    alone: bool = False
    least_rank: Rank = Rank.ADMIN
    """Who may have it used. MEMBER only for what reads what is shared, and nobody below."""
    timeout_seconds: float = 60.0
    summarise: Callable[[P], str] = _no_summary
    """What a call is about, in one line for people: the path, the command."""
    needs_approval: Callable[[P, ToolContext], str | None] = _never
    """Why a person has to be asked before exactly this is done, in one sentence; None: nobody
    has to. Pure. Its exact arguments are shown with it."""
    identity: Callable[[P], str] | None = None
    """What makes two calls the same to whoever said ``always``, such as the exact command.
    None: all of the arguments."""

    def __post_init__(self) -> None:
        """Refuse a tool whose unknown end nobody could judge, or that would be open to too many.

        Raises:
            ValueError: it is checkable and has no probe, or more people may have it used than
                it is good for.
        """
        if self.effect is Effect.CHECKABLE and self.probe is None:
            raise ValueError(f"tool {self.name!r} is checkable and has no probe")
        if self.least_rank < Rank.MEMBER:
            raise ValueError(f"tool {self.name!r} would be for guests, who have none")
        if self.least_rank < Rank.ADMIN and self.effect is not Effect.PURE:
            raise ValueError(f"tool {self.name!r} changes something, and is not for members")

"""What a module of another package may bring: tools, and hooks that look at every call."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bot.contracts.messages import ResultState
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.tool import Effect
from bot.contracts.turn import Rank

LONGEST_WAIT: Final = 60.0
"""Seconds a hook may ask for at most: a person waits for every call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One call, as a hook is shown it."""

    call_id: str
    tool: str
    effect: Effect
    arguments: Mapping[str, object]
    """As they would be carried out, after the hooks before this one. A copy: changing it does
    nothing."""
    rank: Rank
    """Of who asked."""
    session_key: SessionKey
    agent_id: AgentId
    channel: str
    conversation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """The call may be carried out, as far as this hook is concerned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The call is not carried out."""

    reason: str
    """Told to the model, which tells the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The call is carried out with other arguments; the tool's own schema judges them again."""

    arguments: Mapping[str, object]


Ruling = Allowed | Refused | Changed
"""What a `before_tool` decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UseEnded:
    """How a call ended, as a hook is shown it."""

    use: ToolUse
    state: ResultState
    text: str


BeforeTool = Callable[[ToolUse], Awaitable[Ruling]]
AfterTool = Callable[[UseEnded], Awaitable[str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolHooks:
    """What looks at every call: `before_tool` before it begins, `after_tool` when it has ended.

    A `before_tool` that fails, or takes longer than `seconds`, refuses the call. An
    `after_tool` returns the text that the model is to read instead, or None; if it fails or
    is late, the text stays as it was.
    """

    before_tool: BeforeTool | None = None
    after_tool: AfterTool | None = None
    seconds: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedHooks:
    """Hooks, and the module they are from."""

    module: str
    hooks: ToolHooks

"""Whose conversation it is: the session, its address, and how it was found."""

from dataclasses import dataclass
from typing import NewType

SessionKey = NewType("SessionKey", str)
"""The address of a session, such as ``agent:main:main``. Ids in it are percent-encoded."""

AgentId = NewType("AgentId", str)
"""The name of an agent in the configuration."""

ChapterKey = NewType("ChapterKey", SessionKey)
"""Where a chapter of a session is written down. The first is the session's own key."""


def chapter_key(session_key: SessionKey, chapter: int) -> ChapterKey:
    """Return where *chapter* of a session is written down (pure). No key of a session has a #."""
    return ChapterKey(SessionKey(f"{session_key}#{chapter}") if chapter else session_key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A binding that fitted as well, and why another one won."""

    binding: int
    """Its place in the configuration: ``bindings[<binding>]``."""
    agent_id: AgentId
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Which agent a message goes to, in which session, and by which rule."""

    agent_id: AgentId
    session_key: SessionKey
    matched_by: str
    """The rule that won, in the words ``stonechat trace`` shows."""
    losers: tuple[Lost, ...] = ()
    """Which other bindings fitted, the strongest first."""

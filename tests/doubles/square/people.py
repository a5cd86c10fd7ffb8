"""Who is on the square, where they meet, and what was said there."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody with an account. The name is whatever they typed, and may be anybody's."""

    id: int
    name: str
    is_bot: bool = False
    roles: tuple[int, ...] = ()

    @property
    def wire(self) -> dict[str, Any]:
        """As an event has them."""
        return {"id": self.id, "name": self.name, "bot": self.is_bot, "roles": list(self.roles)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A conversation, or a thread of one."""

    id: int
    kind: str
    title: str = ""
    space: int | None = None
    thread: int | None = None

    @property
    def wire(self) -> dict[str, Any]:
        """As an event has it."""
        where = {"id": self.id, "kind": self.kind, "title": self.title, "thread": self.thread}
        return where if self.space is None else where | {"space": self.space}


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message, of a person or of the bot."""

    id: int
    place: Place
    author: Person
    text: str
    reply_to: int | None = None
    nonce: str = ""
    pings: tuple[str, ...] = ()
    """Whom it woke: ``everyone``, or ids."""
    event: dict[str, Any] = field(default_factory=dict)
    """The event that told of it; empty for what the bot said."""

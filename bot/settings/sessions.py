"""``sessions:`` when a conversation begins anew, how much of it is seen, how long it is kept."""

from datetime import timedelta
from typing import Annotated

from pydantic import BeforeValidator, Field

from bot.contracts.inbound import ConversationKind
from bot.settings.section import Section, whole

Days = Annotated[int, BeforeValidator(whole(0, 36_500))]
Turns = Annotated[int, BeforeValidator(whole(1, 1_000))]


class DirectSessions(Section):
    """Chats with one person."""

    idle_days: Days = 0
    """After how many days in which nobody said anything it begins anew; 0 is never."""
    history_turns: Turns = 100
    """How many turns of the past a model sees."""


class RoomSessions(Section):
    """Groups and rooms."""

    idle_days: Days = 7
    """After how many days in which nobody said anything it begins anew; 0 is never."""
    history_turns: Turns = 30
    """How many turns of the past a model sees."""


class SessionSettings(Section):
    """Nothing is deleted unless `retention_days` is set."""

    direct: DirectSessions = Field(default_factory=DirectSessions)
    """Chats with one person."""
    rooms: RoomSessions = Field(default_factory=RoomSessions)
    """Groups and rooms."""
    retention_days: Days = 0
    """After how many days in which nobody said anything a session is deleted, a day after the
    bot has said which ones at a start; 0 keeps everything."""

    @property
    def retention(self) -> timedelta | None:
        """How long a session is kept in which nobody speaks; None keeps all."""
        return timedelta(days=self.retention_days) if self.retention_days else None

    def of(self, kind: ConversationKind) -> DirectSessions | RoomSessions:
        """Return what holds for a kind of conversation (pure)."""
        return self.direct if kind is ConversationKind.DIRECT else self.rooms

    def idle(self, kind: ConversationKind) -> timedelta | None:
        """Return after how long it begins anew, or None for never (pure)."""
        days = self.of(kind).idle_days
        return timedelta(days=days) if days else None

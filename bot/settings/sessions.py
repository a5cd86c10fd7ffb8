"""``sessions:`` when a conversation begins anew, how much of it is seen, how long it is kept."""

from datetime import timedelta
from typing import Annotated

from pydantic import BeforeValidator, Field

from bot.contracts.inbound import ConversationKind
from bot.settings.routing import Links, Scope
from bot.settings.section import Section, whole

Days = Annotated[int, BeforeValidator(whole(0, 36_500))]
Turns = Annotated[int, BeforeValidator(whole(1, 1_000))]


class IdleDays(Section):
    """After how many days in which nobody said anything a session begins anew; 0 is never."""

    direct: Days = 0
    """Chats with one person."""
    rooms: Days = 7
    """Groups and rooms."""


class HistoryTurns(Section):
    """How many turns of the past a model sees."""

    direct: Turns = 100
    """Chats with one person."""
    rooms: Turns = 30
    """Groups and rooms."""


class SessionSettings(Section):
    """What becomes of conversations. Nothing is deleted unless `retention_days` is set."""

    direct: Scope = "auto"
    """Which direct chats are one session: `auto` (all of the owner's; everybody else's by account,
    channel and person), `main` (all), `per-peer`, `per-channel-peer` or
    `per-account-channel-peer`."""
    links: Links = Field(default={})
    """Who is one person: a name, and their ids on the channels, such as
    `ana: [telegram:123, discord:456]`."""
    idle_days: IdleDays = Field(default={}, validate_default=True)
    """When a session begins anew; what was before stays."""
    history_turns: HistoryTurns = Field(default={}, validate_default=True)
    """How much of the past a model sees; `/history` chooses another number for one session."""
    retention_days: Days = 0
    """After how many days in which nobody said anything a session is deleted, a day after the
    bot has said which ones at a start; 0 keeps everything."""

    @property
    def retention(self) -> timedelta | None:
        """How long a session is kept in which nobody speaks; None keeps all."""
        return timedelta(days=self.retention_days) if self.retention_days else None

    def history(self, kind: ConversationKind) -> int:
        """Return how many turns of the past are seen in a kind of conversation (pure)."""
        turns = self.history_turns
        return turns.direct if kind is ConversationKind.DIRECT else turns.rooms

    def idle(self, kind: ConversationKind) -> timedelta | None:
        """Return after how long it begins anew, or None for never (pure)."""
        days = self.idle_days
        chosen = days.direct if kind is ConversationKind.DIRECT else days.rooms
        return timedelta(days=chosen) if chosen else None

"""How a message queues: its mode, what it waits for, what gives way to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from bot.contracts.inbound import EventClass, Inbound
from bot.contracts.queue import QueueRule
from bot.contracts.turn import Pacing

_NEAR: Final = 32
"""A text that a client cut is shorter than the limit by up to a word or a line: by a 32nd of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRules:
    """What holds where nothing was chosen for a session."""

    everywhere: QueueRule = field(default_factory=QueueRule)
    channels: Mapping[str, QueueRule] = field(default_factory=dict)
    longest_seconds: float = 30.0
    part_seconds: float = 1.5
    keep_observed: bool = True
    keep_observed_for: timedelta = timedelta(days=14)

    def of(self, channel: str) -> QueueRule:
        """Return what holds in *channel*."""
        return self.channels.get(channel, self.everywhere)

    def pacing(self, inbound: Inbound) -> Pacing | None:
        """Say what *inbound* waits for (pure); None for what neither waits nor lets wait.

        A text waits for more of its sender. A part waits even where texts do not, but only
        where something shows that another is missing.
        """
        if inbound.event is not EventClass.MESSAGE or inbound.text.startswith("/"):
            return None
        if inbound.album_id is not None or _was_cut(inbound):
            return Pacing(part_seconds=self.part_seconds, longest_seconds=self.longest_seconds)
        if inbound.attachments:
            return None
        quiet = self.of(inbound.channel).debounce_seconds
        return Pacing(quiet_seconds=quiet, longest_seconds=self.longest_seconds)


def _was_cut(inbound: Inbound) -> bool:
    """Whether a text is so long that its platform may have cut it (pure)."""
    limit = inbound.cut_at
    return limit is not None and len(inbound.text) >= limit - limit // _NEAR

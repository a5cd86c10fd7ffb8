"""How messages queue in one channel, where nothing was chosen for a session."""

from dataclasses import dataclass

from bot.contracts.turn import DropPolicy, QueueMode


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRule:
    """What holds in one channel."""

    mode: QueueMode = QueueMode.STEER
    debounce_seconds: float = 0.0
    cap: int = 20
    drop: DropPolicy = DropPolicy.NEW

"""The kernel's answer to an inbound: may it start a turn, and if not, why."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """It starts a turn."""

    reason: str
    kind: Literal["dispatch"] = "dispatch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observe:
    """It is written down and told to the model with the next message."""

    reason: str
    kind: Literal["observe"] = "observe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled:
    """It was answered at the door, without a turn: a command that may not wait."""

    reason: str
    kind: Literal["handled"] = "handled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Nothing becomes of it, for a reason that can be named."""

    reason: str
    kind: Literal["drop"] = "drop"


Admission = Dispatch | Observe | Handled | Drop

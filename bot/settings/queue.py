"""``queue:`` what a message does to the turn that runs, how it waits, and what gives way."""

import re
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, WithJsonSchema

from bot.contracts.turn import DropPolicy, QueueMode
from bot.settings.channels import NAME
from bot.settings.section import Flag, Section, refusal, whole
from bot.settings.shape import VARIABLE, Shape, numerals

LONGEST_SECONDS: Final = 120
"""No message may be told to wait for longer for what its sender is still writing."""

_SECONDS: Final = re.compile(r"(?:0|[1-9][0-9]{0,3})(?:\.[0-9]{1,3})?")


def _mode(value: object) -> object:
    if isinstance(value, str) and value in set(QueueMode):
        return QueueMode(value)
    raise refusal(value, "steer, followup, collect or interrupt")


def _drop(value: object) -> object:
    if isinstance(value, str) and value in set(DropPolicy):
        return DropPolicy(value)
    raise refusal(value, "new, old or summarize")


def _seconds(value: object) -> object:
    if isinstance(value, str) and _SECONDS.fullmatch(value):
        value = float(value)
    if isinstance(value, int | float) and 0 <= value <= LONGEST_SECONDS:
        return float(value)
    raise refusal(value, f"seconds between 0 and {LONGEST_SECONDS}, such as 2 or 0.5")


def _channel(value: object) -> object:
    if isinstance(value, str) and NAME.fullmatch(value):
        return value
    raise refusal(value, "a channel's name, such as webchat")


_SECONDS_SHAPE: Final[Shape] = {
    "anyOf": [
        {"type": "number", "minimum": 0, "maximum": LONGEST_SECONDS},
        {
            "type": "string",
            "pattern": rf"^(?:(?:{numerals(0, LONGEST_SECONDS - 1)})(?:\.[0-9]{{1,3}})?"
            rf"|{LONGEST_SECONDS}(?:\.0{{1,3}})?)$",
        },
        VARIABLE,
    ]
}

Mode = Annotated[
    QueueMode,
    BeforeValidator(_mode),
    WithJsonSchema({"anyOf": [{"enum": [mode.value for mode in QueueMode]}, VARIABLE]}),
]
Drop = Annotated[
    DropPolicy,
    BeforeValidator(_drop),
    WithJsonSchema({"anyOf": [{"enum": [policy.value for policy in DropPolicy]}, VARIABLE]}),
]
ChannelName = Annotated[
    str, BeforeValidator(_channel), WithJsonSchema({"pattern": f"^{NAME.pattern}$"})
]
Seconds = Annotated[float, BeforeValidator(_seconds), WithJsonSchema(_SECONDS_SHAPE)]
Cap = Annotated[int, BeforeValidator(whole(1, 10_000))]
Days = Annotated[int, BeforeValidator(whole(1, 3_650))]


class ChannelQueueSettings(Section):
    """What is different in one channel."""

    mode: Mode | None = None
    """What a message does to the turn that runs; see `queue.mode`."""
    debounce_seconds: Seconds | None = None
    """How long a text waits for more; see `queue.debounce_seconds`."""
    cap: Cap | None = None
    """How many messages may wait in a session; see `queue.cap`."""
    drop: Drop | None = None
    """What gives way in a full session; see `queue.drop`."""


class ObservedSettings(Section):
    """What is said in rooms and not to the bot."""

    keep: Flag = True
    """Whether it is kept, and told with the next message that is for the bot. Without, only that
    something was said is recorded, and not what."""
    days: Days = 14
    """How long its words are kept. What the model was told of stays in the session."""


class QueueSettings(Section):
    """Precedence: what a session chose (`/queue`), then the channel, then these."""

    mode: Mode = QueueMode.STEER
    """What a message does to the turn that runs in its session. `steer`: it joins at the next
    step. `followup`: it waits for its own turn. `collect`: all that waits is answered together,
    after the turn. `interrupt`: it ends the turn, if that is its sender's own, and runs."""
    debounce_seconds: Seconds = 0.0
    """How long a text waits for more from the same sender in the same place; each new one lets
    the others wait anew. Commands and files do not wait. 0: none waits."""
    longest_wait_seconds: Seconds = 30.0
    """However much comes, the first message waits no longer than this."""
    part_seconds: Seconds = 1.5
    """How long a part waits for the next, where something shows that one is missing: one file of
    an album, or a text as long as the platform lets one be."""
    cap: Cap = 20
    """How many messages may wait in a session."""
    cap_all: Cap = 2_000
    """How many messages may wait in all; one more is refused with a notice."""
    drop: Drop = DropPolicy.NEW
    """What gives way in a full session. `new`: the new message, which is refused with a notice.
    `old`: the one that waited longest, which ends with a notice. `summarize`: the oldest but the
    first are put together, and told to the model in one line each."""
    channels: Mapping[ChannelName, ChannelQueueSettings] = Field(default={})
    """What is different in a channel, by its name."""
    observed: ObservedSettings = Field(default={}, validate_default=True)
    """What becomes of what is said in rooms and not to the bot."""

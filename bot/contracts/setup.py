"""Setting up: what a person may see of the bot, and change without opening a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from bot.contracts.secret import Secret


class Weight(StrEnum):
    """How bad a finding is."""

    BROKEN = "broken"
    """Something that was asked for does not work."""
    WARNING = "warning"
    """It works, and may cost or expose more than was meant."""
    HINT = "hint"
    """It works; it could do more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is wrong, and the exact thing to do; what is to be typed stands between backticks."""

    weight: Weight
    what: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelView:
    """One model that would be asked, in its order."""

    provider: str
    model: str
    source: str
    """Where it, or its key, was named."""
    window: int | None = None
    """Tokens of its context window, where known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelView:
    """One door to a platform."""

    channel: str
    detail: str
    """What it is connected as, or what is missing."""
    listening: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentView:
    """What was used since `since`, as it was reckoned when it was used."""

    since: datetime
    turns: int
    input_tokens: int
    output_tokens: int
    micro_usd: int = 0
    """Of models whose price was known."""
    unpriced_tokens: int = 0
    """Of the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitView:
    """One cap: its key in the settings, and its value in words."""

    setting: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxView:
    """What holds the programs that the model starts, or why there is no shell."""

    works: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """All that the settings panel shows."""

    version: str
    models: tuple[ModelView, ...]
    channels: tuple[ChannelView, ...]
    spent: SpentView
    limits: tuple[LimitView, ...]
    sandbox: SandboxView
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyOffer:
    """A key somebody typed. What is left out is told by the key, or by the provider."""

    key: Secret
    provider: str | None = None
    model: str | None = None
    base_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A model server that answered on this machine, and the chat models it lists."""

    kind: str
    """``ollama``, ``lmstudio`` or ``llamacpp``."""
    address: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedModel:
    """A model that answered when it was asked, and is used from now on."""

    provider: str
    model: str
    window: int | None
    """Tokens of its context window, where known."""
    micro_usd_a_day: int | None
    """What a day of a hundred ordinary messages costs by the list price, an estimate and no cap;
    0 on one's own machine, None where no price is known."""
    note: str = ""
    """What that number is, and what else a person should know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedChannel:
    """A platform's token that was checked live and stored."""

    channel: str
    identity: str
    """Who the platform says it belongs to, such as ``@example_bot``."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reloaded:
    """What became of a reading of the settings that was in order."""

    changed: bool
    """Whether anything is in force now that was not before."""
    waiting: tuple[str, ...]
    """Keys of the settings that are in force after a restart only."""
    sentence: str
    """All of it, for a person."""


@runtime_checkable
class Setup(Protocol):
    """What the owner may ask about the bot, and change, while it runs."""

    async def overview(self) -> Overview:
        """Tell how things are, without asking anybody outside."""
        ...

    async def reload(self) -> Reloaded:
        """Read the settings again; put all of them in force from the next message on.

        Raises:
            SetupRefused: they are broken; nothing has changed.
        """
        ...

    async def use_key(self, offer: KeyOffer) -> CheckedModel:
        """Check a key with its provider, keep it for this user alone, and use it at once.

        Raises:
            SetupRefused: it was not taken; nothing has changed.
        """
        ...

    async def local_servers(self) -> Sequence[LocalServer]:
        """Ask this machine's usual ports for model servers. Only a list of models is asked for."""
        ...

    async def use_local(self, address: str, model: str) -> CheckedModel:
        """Use a model of a server on this machine from now on.

        Raises:
            SetupRefused: it was not taken; nothing has changed.
        """
        ...

    async def add_channel(self, channel: str, token: Secret) -> CheckedChannel:
        """Check a platform's token with the platform and keep it for this user alone.

        Raises:
            SetupRefused: it was not taken; nothing has changed.
        """
        ...


@runtime_checkable
class OffersSetup(Protocol):
    """An ability of a channel: it shows the owner what `Setup` has."""

    def offer_setup(self, setup: Setup) -> None:
        """Take it over, before `listen`."""
        ...

"""The whole of the settings: what the YAML may say, and what the bot then runs with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from bot.settings.access import PersonName, PersonSettings
from bot.settings.agents import AgentSettings
from bot.settings.channels import Channels, ChannelSection
from bot.settings.elsewhere import Addresses, StoredToken
from bot.settings.http import HttpSettings
from bot.settings.limits import LimitSettings
from bot.settings.models import ModelEntry, ModelSettings
from bot.settings.section import Section
from bot.settings.sessions import SessionSettings
from bot.settings.store import StoreUrl
from bot.settings.tools import ExtraModule, ToolSettings


class Agents(Section):
    """The agents by name; there is one, `main`."""

    main: AgentSettings = Field(default={}, validate_default=True)
    """The agent that answers."""


class Configuration(Section):
    """What `config.yaml` may say. Every key may be left out."""

    agents: Agents = Field(default={}, validate_default=True)
    """Who answers."""
    models: Mapping[str, ModelEntry] = Field(default={})
    """Who thinks. Left out: a key in the environment or in `.env` decides, else the demo."""
    channels: Channels = Field(default={"webchat": None}, validate_default=True)
    """The doors to the platforms, by name; each is given what stands below its name."""
    people: Mapping[PersonName, PersonSettings] = Field(default={})
    """Who has a rank of their own wherever they may speak, by a name for your eyes."""
    http: HttpSettings = Field(default={}, validate_default=True)
    """Where the page is served."""
    store: StoreUrl = Field(default="sqlite", validate_default=True)
    """Where everything is remembered: `sqlite` (a file in the state directory), or the address
    of another file, such as `sqlite:///var/lib/stonechat/stonechat.db`."""
    tools: ToolSettings = Field(default={}, validate_default=True)
    """What the agent may be offered."""
    limits: LimitSettings = Field(default={}, validate_default=True)
    """How much a turn may use."""
    sessions: SessionSettings = Field(default={}, validate_default=True)
    """How long conversations are remembered, and how much of them a model sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that the bot runs with. Secrets in it do not print."""

    home: Path
    agents: Mapping[str, AgentSettings]
    """Each names at least one model, and each of those is in `models`."""
    models: Mapping[str, ModelSettings]
    channels: Mapping[str, dict[str, object]]
    """Each channel's own settings, as written."""
    http: HttpSettings
    store: str
    tools: ToolSettings
    limits: LimitSettings
    sessions: SessionSettings = field(default_factory=SessionSettings)
    sections: Mapping[str, ChannelSection] = field(default_factory=dict)
    """What the bot reads below each channel's name: its module, and who may speak there."""
    people: Mapping[str, PersonSettings] = field(default_factory=dict)
    """Who has a rank of their own. No id is listed twice."""
    problem: str = ""
    """Why these are not the settings of the file but the last good ones; empty if they are."""
    findings: tuple[str, ...] = ()
    """What is odd but works, one sentence each."""
    named_besides: tuple[str, ...] = ()
    """Where models and their keys are named, besides a choice of their owner, which wins."""
    addresses: Addresses = field(default_factory=Addresses)
    """Where providers, model servers and platforms are asked."""
    stored: tuple[StoredToken, ...] = ()
    """Platforms' tokens that wait for their channel."""
    extra: tuple[ExtraModule, ...] = ()
    """Modules of other packages with more tools, and where each is named."""
    written: str | None = field(default=None, compare=False, repr=False)
    """The text of the file they were read from, without any value of a ``${NAME}``; None if there
    was no file."""

    @property
    def config_file(self) -> Path:
        """What the operator writes; it may be absent."""
        return self.home / "config.yaml"

    @property
    def logs(self) -> Path:
        """The folder of the log files."""
        return self.home / "logs"

    @property
    def media(self) -> Path:
        """The folder of the files that people sent."""
        return self.home / "media"

    @property
    def control_socket(self) -> Path:
        """Where commands of the terminal reach a running bot."""
        return self.home / "control.sock"

    def module_of(self, channel: str) -> str:
        """Return the module that has a channel of another package, else nothing."""
        section = self.sections.get(channel)
        return (section and section.type) or ""

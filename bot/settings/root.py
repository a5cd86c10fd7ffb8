"""The whole of the settings: what the YAML may say, and what the bot then runs with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from bot.contracts.route import Binding, DirectScope, Expectation, Routing
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.turn import Rank
from bot.settings.access import PersonName, PersonSettings
from bot.settings.agents import Agents, AgentSettings
from bot.settings.approvals import ApprovalSettings
from bot.settings.channels import Channels, ChannelSection
from bot.settings.elsewhere import Addresses, StoredToken
from bot.settings.http import HttpSettings
from bot.settings.limits import LimitSettings
from bot.settings.models import ModelEntry, ModelSettings
from bot.settings.queue import QueueSettings
from bot.settings.routing import BindingSettings, ExpectSettings, Targets
from bot.settings.section import Section
from bot.settings.sessions import SessionSettings
from bot.settings.store import StoreUrl
from bot.settings.tools import ExtraModule, ToolSettings
from bot.settings.yaml import KeyPath


class Configuration(Section):
    """What `config.yaml` may say. Every key may be left out."""

    agents: Agents = Field(default={}, validate_default=True)
    """Who answers, by name. `main` always exists, and has what no binding gives to another."""
    bindings: tuple[BindingSettings, ...] = ()
    """Which messages go to which agent. The one that says most about where a message was written
    wins; of two that say the same, the first."""
    targets: Targets = Field(default={})
    """Places by name, for work that nobody is there for: there is no last channel."""
    expect: tuple[ExpectSettings, ...] = ()
    """Tests of the bindings, for `check`."""
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
    approvals: ApprovalSettings = Field(default={}, validate_default=True)
    """Who decides about what has to be asked for."""
    queue: QueueSettings = Field(default={}, validate_default=True)
    """What a message does to the turn that runs, how it waits, and what gives way."""
    sessions: SessionSettings = Field(default={}, validate_default=True)
    """Which conversations are one, how long they are remembered, how much of them a model sees."""


def routing_of(written: Configuration, where: Callable[[KeyPath], str]) -> Routing:
    """Return what the kernel is told of whose conversation is whose (pure)."""
    return Routing(
        bindings=tuple(
            Binding(
                match=each.match.match(),
                agent_id=AgentId(each.agent),
                direct=DirectScope(each.sessions.direct) if each.sessions.direct else None,
                where=where(("bindings", number)),
            )
            for number, each in enumerate(written.bindings)
        ),
        direct=DirectScope(written.sessions.direct),
        links={one: name for name, ids in written.sessions.links.items() for one in ids},
        targets={name: target.key() for name, target in written.targets.items()},
        where={
            **{f"targets.{name}": where(("targets", name)) for name in written.targets},
            **{
                f"sessions.links.{name}": where(("sessions", "links", name))
                for name in written.sessions.links
            },
        },
        expectations=tuple(
            Expectation(
                when=each.when.match(),
                rank=Rank[each.when.rank.upper()],
                agent_id=AgentId(each.agent),
                session_key=SessionKey(each.session) if each.session else None,
                where=where(("expect", number)),
            )
            for number, each in enumerate(written.expect)
        ),
    )


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
    queue: QueueSettings
    approvals: ApprovalSettings = field(default_factory=ApprovalSettings)
    routing: Routing = field(default_factory=Routing)
    """Whose conversation is whose."""
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
    modules: tuple[ExtraModule, ...] = ()
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

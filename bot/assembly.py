"""What is built of one reading of the settings: whole, beside what runs, put in place at once."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from bot.agent.answer import Agent
from bot.agent.lineup import Lineup
from bot.agent.policy import Place
from bot.agent.purse import Purse
from bot.agent.summary import summaries
from bot.assistant import (
    Equipment,
    OnceSought,
    Seams,
    build_agents,
    open_lineup,
    policy_of,
    tools_of,
)
from bot.commands import BUILTIN as COMMANDS
from bot.contracts.channel import Accepted
from bot.contracts.errors import ConfigError, ModelError
from bot.contracts.events import Bus
from bot.contracts.inbound import Inbound
from bot.contracts.messages import ToolCall
from bot.contracts.session import AgentId
from bot.contracts.store import Cursor, Store
from bot.contracts.tool import Sandbox, SeenFiles
from bot.entrance import Entrance
from bot.extensions import Extensions, load_extensions
from bot.kernel.commands import CommandDoor
from bot.kernel.intake import Intake
from bot.kernel.lanes import Lanes
from bot.kernel.moved import MovedRooms
from bot.kernel.route import Router
from bot.queue_rules import queue_rules
from bot.sandbox import NoSandbox
from bot.settings.root import Settings
from bot.setup.about import LiveAbout
from bot.workspace.seed import seed_workspace
from bot.workspace.seen import SeenInMemory
from bot.workspace.tree import Writers, trees_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """All that follows from the settings. It never changes: other settings are another one."""

    settings: Settings
    sandbox: Sandbox | NoSandbox
    extensions: Extensions
    lineups: Mapping[tuple[str, ...], Lineup]
    """One for each list of models that some agent has."""
    router: Router
    agents: Mapping[AgentId, Agent]
    intake: Intake
    summary_of: Callable[[ToolCall], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lasting:
    """What outlives every assembly, because turns of two of them may run side by side."""

    store: Store
    bus: Bus
    entrance: Entrance
    purse: Purse
    """The book; each assembly has it under its own limits."""
    sandboxes: OnceSought
    seams: Seams
    moved: MovedRooms
    seen: SeenFiles = field(default_factory=SeenInMemory)
    writers: dict[Path, Writers] = field(default_factory=dict)
    """By which those who write in one workspace take turns."""


async def assemble(
    settings: Settings,
    lasting: Lasting,
    *,
    kept: Mapping[tuple[str, ...], Lineup] | None = None,
) -> Assembly:
    """Build it, with those of the *kept* models that it needs.

    Raises:
        ConfigError: a setting is wrong; nothing is left open.
    """
    extensions = load_extensions(settings, taken=[tool.name for tool in lasting.seams.tools])
    seams = replace(lasting.seams, tools=(*extensions.tools, *lasting.seams.tools))
    sandbox = await lasting.sandboxes.sought(settings)
    equipment = Equipment(
        sandbox=sandbox,
        policy=policy_of(settings, sandbox, seams),
        hooks=extensions.hooks,
        trees=trees_of((one.workspace for one in settings.agents.values()), lasting.writers),
        seen=lasting.seen,
        purse=lasting.purse.under(settings.limits.caps()),
    )
    router = Router(settings.routing, lasting.moved)
    summary = summaries(tools_of(sandbox, seams))
    about = _about(settings, equipment, summary)
    intake = _intake(settings, lasting, router, about)
    lineups = await _lineups(settings, seams, kept or {})
    return Assembly(
        settings=settings,
        sandbox=sandbox,
        extensions=extensions,
        lineups=lineups,
        router=router,
        agents=build_agents(settings, lasting.store, lineups, equipment, seams),
        intake=intake,
        summary_of=summary,
    )


async def _lineups(
    settings: Settings, seams: Seams, kept: Mapping[tuple[str, ...], Lineup]
) -> Mapping[tuple[str, ...], Lineup]:
    """Open those that are not kept; if one cannot be, none of them stays open."""
    lineups: dict[tuple[str, ...], Lineup] = {}
    try:
        for models in dict.fromkeys(agent.models for agent in settings.agents.values()):
            lineups[models] = kept.get(models) or open_lineup(settings, models, seams)
    except ConfigError:
        for models, lineup in lineups.items():
            if models not in kept:
                await lineup.close()
        raise
    return lineups


def unchanged(before: Assembly, settings: Settings) -> Mapping[tuple[str, ...], Lineup]:
    """Return the models that *settings* name with the same key, address and limits (pure)."""
    return {
        names: lineup
        for names, lineup in before.lineups.items()
        if all(settings.models.get(name) == before.settings.models[name] for name in names)
    }


def _intake(settings: Settings, lasting: Lasting, router: Router, about: LiveAbout) -> Intake:
    rules = lasting.entrance.rules(settings)
    people = lasting.entrance.people
    return Intake(
        turns=lasting.store.turns,
        router=router,
        doorkeeper=rules.doorkeeper,
        queue=queue_rules(settings.queue),
        door=CommandDoor(COMMANDS, lasting.store, people, about, rules.pairs),
        allow=lasting.purse.allow,
        bus=lasting.bus,
        clock=lasting.seams.clock,
        ids=lasting.seams.ids,
        idle=settings.sessions.idle,
    )


def _about(
    settings: Settings, equipment: Equipment, summary: Callable[[ToolCall], str]
) -> LiveAbout:
    """Say what the bot may tell of itself in a chat."""
    sandbox, policy = equipment.sandbox, equipment.policy
    return LiveAbout(
        settings=lambda: settings,
        tools_of=lambda agent, rank: [
            tool.name for tool in policy.of(Place(agent=agent), rank).tools
        ],
        summary=summary,
        queue_of=queue_rules(settings.queue).of,
        where_programs_run=sandbox.reason if isinstance(sandbox, NoSandbox) else sandbox.name,
    )


class Present:
    """The assembly of now. Whoever begins something takes it from here, once, and keeps it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._now: Assembly | None = None
        self._retiring: Final[set[asyncio.Task[None]]] = set()

    @property
    def now(self) -> Assembly:
        """The assembly that the next message and the next turn are given.

        Raises:
            LookupError: the bot is not built yet.
        """
        if self._now is None:
            raise LookupError("nothing was assembled yet")
        return self._now

    @property
    def settings(self) -> Settings:
        """The settings of now, also while the first assembly is being built."""
        return self._settings if self._now is None else self._now.settings

    @property
    def troubles(self) -> list[ModelError]:
        """What the models of now failed with last."""
        return [error for one in self.now.lineups.values() for error in one.troubles]

    def put(self, assembly: Assembly) -> None:
        """Let everything that begins from here on have *assembly*: one assignment."""
        before, self._now = self._now, assembly
        for lineup in () if before is None else _only(before, assembly):
            retiring = asyncio.create_task(lineup.retire(), name="close models")
            self._retiring.add(retiring)
            retiring.add_done_callback(self._retiring.discard)

    async def drop(self, assembly: Assembly) -> None:
        """Let go of an assembly that was not put in place."""
        for lineup in _only(assembly, self._now):
            await lineup.close()

    async def close(self) -> None:
        """Close every model that is still open, once no turn runs any more."""
        for lineup in () if self._now is None else self._now.lineups.values():
            await lineup.close()
        await asyncio.gather(*self._retiring)

    async def receive(self, *inbounds: Inbound, cursor: Cursor | None = None) -> list[Accepted]:
        """Take messages over by the rules of now; all of them by the same."""
        return list(await self.now.intake.receive(*inbounds, cursor=cursor))

    def summary_of(self, call: ToolCall) -> str:
        """Say what a call is about, by the tools of now."""
        return self.now.summary_of(call)


def _only(one: Assembly, other: Assembly | None) -> list[Lineup]:
    """Return the models that *one* has and the *other* has not (pure)."""
    theirs = [] if other is None else list(other.lineups.values())
    return [mine for mine in one.lineups.values() if not any(mine is each for each in theirs)]


class AgentsOfNow(Mapping[AgentId, Agent]):
    """The agents by id, each time those of now."""

    def __init__(self, present: Present) -> None:
        self._present = present

    def __getitem__(self, agent_id: AgentId) -> Agent:
        """Return the agent that a turn which begins now is given."""
        return self._present.now.agents[agent_id]

    def __iter__(self) -> Iterator[AgentId]:
        """Give the ids of now."""
        return iter(self._present.now.agents)

    def __len__(self) -> int:
        """Count the agents of now."""
        return len(self._present.now.agents)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An assembly that is whole, and not yet in place."""

    assembly: Assembly
    present: Present
    lanes: Lanes

    def use(self) -> None:
        """Put it in place: the next message and the next turn have it."""
        self.present.put(self.assembly)
        limits = self.assembly.settings.limits
        self.lanes.allow(limits.turns_at_once, limits.background_at_once)

    async def drop(self) -> None:
        """Let go of it: it was not wanted after all."""
        await self.present.drop(self.assembly)


async def prepare(
    present: Present, lasting: Lasting, lanes: Lanes, settings: Settings, *, reopen: bool
) -> Prepared:
    """Build what *settings* ask for beside what runs.

    The models are opened anew if they are others, or with *reopen*.

    Raises:
        ConfigError: a setting is wrong; nothing is left open.
    """
    kept = {} if reopen else unchanged(present.now, settings)
    for name, agent in settings.agents.items():
        if name not in present.settings.agents:
            await asyncio.to_thread(seed_workspace, name, agent.workspace)
    assembly = await assemble(settings, lasting, kept=kept)
    return Prepared(assembly=assembly, present=present, lanes=lanes)

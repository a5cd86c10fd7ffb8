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
    MAIN,
    Equipment,
    OnceSought,
    Seams,
    build_agent,
    open_lineup,
    policy_of,
    tools_of,
)
from bot.commands import BUILTIN as COMMANDS
from bot.contracts.channel import Accepted
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
from bot.kernel.route import Router
from bot.sandbox import NoSandbox
from bot.settings.root import Settings
from bot.setup.about import LiveAbout
from bot.workspace.seen import SeenInMemory
from bot.workspace.tree import WorkspaceTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """All that follows from the settings. It never changes: other settings are another one."""

    settings: Settings
    sandbox: Sandbox | NoSandbox
    extensions: Extensions
    lineup: Lineup
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
    seen: SeenFiles = field(default_factory=SeenInMemory)
    trees: dict[Path, WorkspaceTree] = field(default_factory=dict)
    """One for each workspace, by which its writers take turns."""

    def tree_of(self, workspace: Path) -> WorkspaceTree:
        """Return the one tree of a folder."""
        return self.trees.setdefault(workspace.resolve(), WorkspaceTree(workspace))


async def assemble(
    settings: Settings, lasting: Lasting, *, lineup: Lineup | None = None
) -> Assembly:
    """Build it, with the models of *lineup* if that is given.

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
        tree=lasting.tree_of(settings.agents[MAIN].workspace),
        seen=lasting.seen,
        purse=lasting.purse.under(settings.limits.caps()),
    )
    chosen = open_lineup(settings, seams) if lineup is None else lineup
    return Assembly(
        settings=settings,
        sandbox=sandbox,
        extensions=extensions,
        lineup=chosen,
        agents={MAIN: build_agent(settings, lasting.store, chosen, equipment, seams)},
        intake=_intake(settings, lasting, _about(settings, equipment)),
        summary_of=summaries(tools_of(sandbox, seams)),
    )


def _intake(settings: Settings, lasting: Lasting, about: LiveAbout) -> Intake:
    rules = lasting.entrance.rules(settings)
    people = lasting.entrance.people
    return Intake(
        turns=lasting.store.turns,
        router=Router(MAIN),
        doorkeeper=rules.doorkeeper,
        door=CommandDoor(COMMANDS, lasting.store, people, about, rules.pairs),
        allow=lasting.purse.allow,
        bus=lasting.bus,
        clock=lasting.seams.clock,
        ids=lasting.seams.ids,
        idle=settings.sessions.idle,
    )


def _about(settings: Settings, equipment: Equipment) -> LiveAbout:
    """Say what the bot may tell of itself in a chat."""
    sandbox, policy = equipment.sandbox, equipment.policy
    return LiveAbout(
        settings=lambda: settings,
        tools_of=lambda agent, rank: [
            tool.name for tool in policy.of(Place(agent=agent), rank).tools
        ],
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

    def put(self, assembly: Assembly) -> None:
        """Let everything that begins from here on have *assembly*: one assignment."""
        before, self._now = self._now, assembly
        if before is not None and before.lineup is not assembly.lineup:
            retiring = asyncio.create_task(before.lineup.retire(), name="close models")
            self._retiring.add(retiring)
            retiring.add_done_callback(self._retiring.discard)

    async def drop(self, assembly: Assembly) -> None:
        """Let go of an assembly that was not put in place."""
        if self._now is None or assembly.lineup is not self._now.lineup:
            await assembly.lineup.close()

    async def close(self) -> None:
        """Close every model that is still open, once no turn runs any more."""
        if self._now is not None:
            await self._now.lineup.close()
        await asyncio.gather(*self._retiring)

    async def receive(self, *inbounds: Inbound, cursor: Cursor | None = None) -> list[Accepted]:
        """Take messages over by the rules of now; all of them by the same."""
        return list(await self.now.intake.receive(*inbounds, cursor=cursor))

    def summary_of(self, call: ToolCall) -> str:
        """Say what a call is about, by the tools of now."""
        return self.now.summary_of(call)


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

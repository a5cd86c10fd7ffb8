"""Builds the agents: models, tools, what they are shown, and what holds their programs."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta, tzinfo
from functools import partial
from pathlib import Path
from typing import Any

from bot.agent.answer import Agent
from bot.agent.budget import Limits
from bot.agent.failover import Candidate, Try
from bot.agent.hooks import BuildRequest, ToolContextOf
from bot.agent.lineup import Lineup
from bot.agent.policy import ToolPolicy
from bot.agent.purse import Purse
from bot.agent.rules import ToolNames
from bot.clock import RandomIds, SecretCodes, SystemChance, SystemClock
from bot.context.build import RequestBuilder
from bot.context.fold import Fold
from bot.contracts.clock import Chance, Clock, Codes, Ids
from bot.contracts.extension import NamedHooks
from bot.contracts.inbound import ConversationKind
from bot.contracts.messages import ToolCall
from bot.contracts.model import ChatModel, ModelRequest
from bot.contracts.session import AgentId
from bot.contracts.store import Store
from bot.contracts.tool import Sandbox, SeenFiles, Tool, ToolContext, Workspace
from bot.contracts.transcript import Recorded
from bot.contracts.turn import Rank, Turn
from bot.sandbox import NoSandbox, find_sandbox, note_on
from bot.settings.root import Settings
from bot.settings.sessions import SessionSettings
from bot.setup.candidates import open_candidates
from bot.setup.cost import price_of
from bot.tools import BUILTIN
from bot.tools.groups import GROUPS, PROFILES, PROGRAMS
from bot.workspace.files import WorkspaceFiles
from bot.workspace.shared import as_seen_by
from bot.workspace.tree import WorkspaceTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Seams:
    """What a test replaces or adds: time, ids, chance, models by their settings id, tools."""

    clock: Clock = field(default_factory=SystemClock)
    ids: Ids = field(default_factory=RandomIds)
    chance: Chance = field(default_factory=SystemChance)
    codes: Codes = field(default_factory=SecretCodes)
    models: Mapping[str, ChatModel] | None = None
    tools: tuple[Tool[Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What an agent works with."""

    sandbox: Sandbox | NoSandbox
    policy: ToolPolicy
    hooks: tuple[NamedHooks, ...]
    trees: Mapping[Path, WorkspaceTree]
    """The one of each workspace."""
    seen: SeenFiles
    purse: Purse


def build_agents(
    settings: Settings,
    store: Store,
    lineups: Mapping[tuple[str, ...], Lineup],
    equipment: Equipment,
    seams: Seams,
) -> Mapping[AgentId, Agent]:
    """Build every agent; *lineups* has that of every list of models."""
    fold = Fold(_zone(seams.clock))
    tools = tools_of(equipment.sandbox, seams)
    limits = Limits(model_calls=settings.limits.model_calls, tool_calls=settings.limits.tool_calls)
    return {
        AgentId(name): Agent(
            transcripts=store.transcripts,
            lineup=lineups[chosen.models],
            tools=tools,
            permitted=equipment.policy.of_turn,
            build_request=_request_of(
                RequestBuilder(
                    files=WorkspaceFiles(chosen.workspace),
                    fold=fold,
                    sandbox_note=note_on(equipment.sandbox),
                )
            ),
            tool_context=_context_of(equipment, equipment.trees[chosen.workspace], seams.clock),
            limits=limits,
            purse=equipment.purse,
            clock=seams.clock,
            ids=seams.ids,
            store_epoch=store.epoch,
            approvals=store.approvals,
            questions_open_for=settings.approvals.open_for,
            history_turns=partial(_history_turns, settings.sessions),
            guards=equipment.hooks,
        )
        for name, chosen in settings.agents.items()
    }


def _history_turns(sessions: SessionSettings, turn: Turn) -> int:
    return sessions.history(turn.arrival.inbound.conversation.kind)


def open_lineup(settings: Settings, models: Sequence[str], seams: Seams) -> Lineup:
    """Open *models*, keys of the settings, in their order, each once for each of its keys.

    Raises:
        ConfigError: a model's settings do not suit its provider.
    """
    candidates: list[Candidate] = []
    for name in models:
        model = settings.models[name]
        if seams.models is not None and name in seams.models:
            seam = seams.models[name]
            candidates.append(
                Candidate(model=seam, max_output=model.max_output, price=price_of(model), name=name)
            )
        else:
            candidates += (replace(c, name=name) for c in open_candidates(model, seams.clock))
    return Lineup(candidates)


async def open_purse(settings: Settings, store: Store, clock: Clock) -> Purse:
    """Open the book of today; yesterday's too, in case the clock is set back.

    Raises:
        StoreUnavailable: what was spent cannot be read.
    """
    yesterday = clock.now().astimezone().date() - timedelta(days=1)
    return Purse(
        settings.limits.caps(),
        clock,
        spent=await store.ledger.spending(yesterday),
        allowed=await store.ledger.allowances(yesterday),
    )


def read_schemas(tools: Sequence[Tool[Any]]) -> None:
    """Read the tools' docstrings from their source now, while the sandbox is tried.

    Not at the first message: a thread may import a provider then, and CPython 3.11 counts the
    depth of everything that is parsed together, so that one of two threads gets a SystemError
    (https://github.com/python/cpython/issues/106905).
    """
    for tool in tools:
        tool.parameters.schema()


def policy_of(settings: Settings, sandbox: Sandbox | NoSandbox, seams: Seams) -> ToolPolicy:
    """Work out who may have which tools used where, of those there are with *sandbox*.

    Raises:
        ConfigError: a rule names what does not exist.
    """
    tools, where = tools_of(sandbox, seams), str(settings.config_file)
    return ToolPolicy(settings.tools, tools, names_of(seams), where=where)


def names_of(seams: Seams) -> ToolNames:
    """Return what rules about tools may name: every tool there can be, whatever holds programs."""
    return ToolNames(
        known=frozenset(tool.name for tool in (*BUILTIN, *seams.tools)),
        groups=GROUPS,
        profiles=PROFILES,
        whole_folder=PROGRAMS,
    )


def tools_of(sandbox: Sandbox | NoSandbox, seams: Seams) -> tuple[Tool[Any], ...]:
    """Leave the shell out where nothing could hold what it starts."""
    missing = {"shell"} if isinstance(sandbox, NoSandbox) else set()
    return (*(tool for tool in BUILTIN if tool.name not in missing), *seams.tools)


class OnceSought:
    """What holds programs: looked for once in the life of the process, when it is first wanted."""

    def __init__(self) -> None:
        self._looking: asyncio.Task[Sandbox | NoSandbox] | None = None

    def look(self, settings: Settings) -> None:
        """Look while the rest is built: to try it is to wait for another process."""
        if settings.tools.shell and self._looking is None:
            self._looking = asyncio.create_task(find_sandbox(), name="look for a sandbox")

    async def sought(self, settings: Settings) -> Sandbox | NoSandbox:
        """Return it, or why these settings have none."""
        self.look(settings)
        if not settings.tools.shell or self._looking is None:
            return NoSandbox(reason="`tools.shell` is off in the configuration")
        return await asyncio.shield(self._looking)

    async def close(self) -> None:
        """Look no longer."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)


def _zone(clock: Clock) -> tzinfo:
    zone = clock.now().astimezone().tzinfo
    if zone is None:
        raise ValueError("the clock gave a time without a zone")
    return zone


def _request_of(builder: RequestBuilder) -> BuildRequest:
    async def build_request(
        turn: Turn, recorded: Sequence[Recorded], tools: Sequence[Tool[Any]], attempt: Try
    ) -> ModelRequest:
        rank, conversation = turn.arrival.rank, turn.arrival.inbound.conversation
        request = await builder.build(
            recorded,
            tools,
            rank=rank,
            private=rank is Rank.OWNER and conversation.kind is ConversationKind.DIRECT,
            history=attempt.history,
            max_output=attempt.candidate.max_output,
        )
        return replace(request, thinking=turn.choices.thinking)

    return build_request


def _context_of(equipment: Equipment, workspace: Workspace, clock: Clock) -> ToolContextOf:
    seen, policy = equipment.seen, equipment.policy
    box = None if isinstance(equipment.sandbox, NoSandbox) else equipment.sandbox

    def tool_context(turn: Turn, call: ToolCall) -> ToolContext:
        rank = turn.arrival.rank
        return ToolContext(
            call_id=call.id,
            session_key=turn.session_key,
            rank=rank,
            workspace=as_seen_by(rank, workspace, writes=policy.of_turn(turn).writes),
            sandbox=box if rank >= Rank.ADMIN else None,
            seen=seen,
            clock=clock,
        )

    return tool_context

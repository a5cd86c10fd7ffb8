"""The composition root: builds the bot from its settings. The only file that knows everybody."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import Any, Final

from bot.access.people import OwnerAlone, RecordedPeople
from bot.access.rank import Ranks
from bot.agent.answer import Agent
from bot.agent.budget import Limits
from bot.agent.failover import Candidate, Try
from bot.agent.hooks import BuildRequest, ToolContextOf
from bot.agent.lineup import Lineup
from bot.agent.summary import summaries
from bot.bus.local import LocalBus
from bot.clock import RandomIds, SystemChance, SystemClock
from bot.context.build import RequestBuilder
from bot.context.fold import Fold
from bot.contracts.channel import Channel, ChannelParts, Gateway, HasPage, ServesHttp
from bot.contracts.clock import Chance, Clock, Ids
from bot.contracts.errors import ConfigError
from bot.contracts.inbound import ConversationKind
from bot.contracts.messages import ToolCall
from bot.contracts.model import ChatModel, ModelRequest
from bot.contracts.people import People
from bot.contracts.session import AgentId
from bot.contracts.setup import OffersSetup
from bot.contracts.store import Store
from bot.contracts.tool import Sandbox, Tool, ToolContext, Workspace
from bot.contracts.transcript import Recorded
from bot.contracts.turn import Rank, Turn
from bot.delivery.courier import Courier
from bot.http.server import HttpServer
from bot.kernel.answer import Answers
from bot.kernel.deliveries import Deliveries
from bot.kernel.gateway import KernelGateway
from bot.kernel.intake import Intake
from bot.kernel.lanes import Lanes
from bot.kernel.route import Router
from bot.kernel.turn import TurnRunner
from bot.markup.live import LiveMarkdown
from bot.media.folder import MediaFolder
from bot.sandbox import NoSandbox, find_sandbox, note_on
from bot.settings.root import Settings
from bot.setup import LiveSetup, Running
from bot.setup.candidates import open_candidates
from bot.store import open_store
from bot.tools import BUILTIN
from bot.workspace.files import WorkspaceFiles
from bot.workspace.given import GivenFiles
from bot.workspace.seen import SeenInMemory
from bot.workspace.shared import as_seen_by
from bot.workspace.tree import WorkspaceTree
from channels import load_channel

MAIN: Final = AgentId("main")
OWNERS: Final = frozenset({"webchat:owner"})
"""Whoever holds the page's link, and the terminal of the same user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seams:
    """What a test replaces or adds: time, ids, chance, models by their settings id, tools."""

    clock: Clock = SystemClock()  # noqa: RUF009 - it has no state
    ids: Ids = RandomIds()  # noqa: RUF009 - it has no state
    chance: Chance = SystemChance()  # noqa: RUF009 - it has no state
    models: Mapping[str, ChatModel] | None = None
    tools: tuple[Tool[Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """The whole bot, built and not yet running. `bot.serve` runs it."""

    settings: Settings
    store: Store
    gateway: Gateway
    lanes: Lanes
    channels: tuple[Channel, ...]
    couriers: tuple[Courier, ...]
    lineup: Lineup
    setup: LiveSetup
    server: HttpServer
    sandbox: Sandbox | NoSandbox
    clock: Clock
    closing: AsyncExitStack

    def introduce(self) -> None:
        """Tell the page what it may say of the bot; once the server is bound."""
        _introduce(self.channels, self.server, self.setup.settings)

    async def link(self) -> str:
        """Make a link to the page that works once.

        Raises:
            ConfigError: no page is configured.
        """
        for channel in self.channels:
            if isinstance(channel, HasPage):
                return await channel.new_link()
        raise ConfigError("channels", "no webchat", "`webchat:` among the channels")


async def build(settings: Settings, *, web: bool = True, seams: Seams | None = None) -> App:
    """Build the bot; with *web* false it is reached over the control socket alone.

    Raises:
        ConfigError: a setting is wrong.
        StoreHeld: another process runs on the same state.
        StoreUnavailable: the state cannot be written or read.
    """
    seams = seams or Seams()
    async with AsyncExitStack() as opening:
        sandbox = await opening.enter_async_context(_sandbox(settings))
        store = await open_store(settings.store, clock=seams.clock)
        opening.push_async_callback(store.close)
        bus = LocalBus()
        people = _people(settings, store, seams)
        channels = _channels(settings, store, people, seams)
        for channel in channels:
            opening.push_async_callback(channel.close)
        lineup = _lineup(settings, seams)
        opening.push_async_callback(lineup.close)
        agent, found = await _agent(settings, store, lineup, sandbox, seams)
        server = _server(settings, channels, web=web)
        setup = LiveSetup(
            settings,
            Running(
                ledger=store.ledger,
                sandbox=found,
                clock=seams.clock,
                lineup=lineup,
                introduce=partial(_introduce, channels, server),
            ),
        )
        _offer(setup, channels)
        deliveries = Deliveries(
            channels={(c.name, c.account): c for c in channels}, clock=seams.clock
        )
        answers = Answers(agents={MAIN: agent}, turns=store.turns, bus=bus)
        runner = TurnRunner(
            turns=store.turns,
            answer=answers.answer,
            compose=deliveries.of_outcome,
            bus=bus,
            clock=seams.clock,
        )
        ranks = Ranks(owners=OWNERS, people=people)
        intake = Intake(store.turns, Router(MAIN), ranks, bus, seams.clock, seams.ids)
        return App(
            settings=settings,
            store=store,
            gateway=KernelGateway(intake, store, bus, summaries(_tools(found, seams))),
            lanes=Lanes(
                store.turns,
                runner,
                seams.clock,
                worker=seams.ids.new(),
                limit=settings.limits.turns_at_once,
            ),
            channels=channels,
            couriers=_couriers(channels, store, deliveries, bus, seams),
            lineup=lineup,
            setup=setup,
            server=server,
            sandbox=found,
            clock=seams.clock,
            closing=opening.pop_all(),
        )


async def _agent(
    settings: Settings,
    store: Store,
    lineup: Lineup,
    found: Awaitable[Sandbox | NoSandbox],
    seams: Seams,
) -> tuple[Agent, Sandbox | NoSandbox]:
    chosen = settings.agents[MAIN]
    workspace = WorkspaceTree(chosen.workspace)
    sandbox = await found
    builder = RequestBuilder(
        files=WorkspaceFiles(chosen.workspace),
        fold=Fold(_zone(seams.clock)),
        sandbox_note=note_on(sandbox),
    )
    tools = _tools(sandbox, seams)
    agent = Agent(
        transcripts=store.transcripts,
        lineup=lineup,
        tools=tools,
        build_request=_request_of(builder),
        tool_context=_context_of(workspace, sandbox, seams.clock),
        limits=Limits(
            model_calls=settings.limits.model_calls, tool_calls=settings.limits.tool_calls
        ),
        clock=seams.clock,
        ids=seams.ids,
        store_epoch=store.epoch,
    )
    return agent, sandbox


def _people(settings: Settings, store: Store, seams: Seams) -> People:
    """Let nobody but the owner in while the settings are not those of the file."""
    people = RecordedPeople(store.records, seams.clock, seams.ids)
    return OwnerAlone(people) if settings.problem else people


def _channels(
    settings: Settings, store: Store, people: People, seams: Seams
) -> tuple[Channel, ...]:
    copies = GivenFiles(Path(settings.agents[MAIN].workspace))
    parts = ChannelParts(
        clock=seams.clock,
        ids=seams.ids,
        records=store.records,
        people=people,
        media=MediaFolder(settings.media, copies, seams.clock, seams.ids),
        live_document=LiveMarkdown,
    )
    return tuple(
        load_channel(name).open(section, parts) for name, section in settings.channels.items()
    )


def _couriers(
    channels: Sequence[Channel], store: Store, deliveries: Deliveries, bus: LocalBus, seams: Seams
) -> tuple[Courier, ...]:
    return tuple(
        Courier(
            channel=channel,
            outbox=store.outbox,
            notice_of=deliveries.of_given_up,
            bus=bus,
            clock=seams.clock,
            chance=seams.chance,
        )
        for channel in channels
    )


def _offer(setup: LiveSetup, channels: Sequence[Channel]) -> None:
    for channel in channels:
        if isinstance(channel, OffersSetup):
            channel.offer_setup(setup)


def _introduce(channels: Sequence[Channel], server: HttpServer, settings: Settings) -> None:
    """Tell the page who answers; again after every change of the models."""
    models = [settings.models[name] for name in settings.agents[MAIN].models]
    for channel in channels:
        if isinstance(channel, HasPage):
            channel.introduce(
                address=server.address,
                model=", ".join(model.model for model in models),
                problem=settings.problem,
                demo=all(model.provider == "demo" for model in models),
            )


def _server(settings: Settings, channels: Sequence[Channel], *, web: bool) -> HttpServer:
    return HttpServer(
        host=settings.http.host,
        public_url=settings.http.public_url,
        trusted_proxies=settings.http.trusted_proxies,
        port=settings.http.port if web else None,
        control_path=settings.control_socket,
        routes=[
            route
            for channel in channels
            if isinstance(channel, ServesHttp)
            for route in channel.routes()
        ],
    )


def _lineup(settings: Settings, seams: Seams) -> Lineup:
    candidates: list[Candidate] = []
    for name in settings.agents[MAIN].models:
        model = settings.models[name]
        if seams.models is not None and name in seams.models:
            candidates.append(Candidate(model=seams.models[name], max_output=model.max_output))
        else:
            candidates += open_candidates(model, seams.clock)
    return Lineup(candidates)


def _tools(sandbox: Sandbox | NoSandbox, seams: Seams) -> tuple[Tool[Any], ...]:
    """Leave the shell out where nothing could hold what it starts."""
    missing = {"shell"} if isinstance(sandbox, NoSandbox) else set()
    return (*(tool for tool in BUILTIN if tool.name not in missing), *seams.tools)


@asynccontextmanager
async def _sandbox(settings: Settings) -> AsyncIterator[Awaitable[Sandbox | NoSandbox]]:
    """Look for it while the rest is built: to try it is to wait for another process."""
    looking = asyncio.create_task(_found_sandbox(settings), name="look for a sandbox")
    try:
        yield looking
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)


async def _found_sandbox(settings: Settings) -> Sandbox | NoSandbox:
    if not settings.tools.shell:
        return NoSandbox(reason="`tools.shell` is off in the configuration")
    return await find_sandbox()


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
        return await builder.build(
            recorded,
            tools,
            rank=rank,
            private=rank is Rank.OWNER and conversation.kind is ConversationKind.DIRECT,
            history=attempt.history,
            max_output=attempt.candidate.max_output,
        )

    return build_request


def _context_of(workspace: Workspace, sandbox: Sandbox | NoSandbox, clock: Clock) -> ToolContextOf:
    seen = SeenInMemory()
    box = None if isinstance(sandbox, NoSandbox) else sandbox

    def tool_context(turn: Turn, call: ToolCall) -> ToolContext:
        rank = turn.arrival.rank
        return ToolContext(
            call_id=call.id,
            session_key=turn.session_key,
            rank=rank,
            workspace=as_seen_by(rank, workspace),
            sandbox=box if rank >= Rank.ADMIN else None,
            seen=seen,
            clock=clock,
        )

    return tool_context

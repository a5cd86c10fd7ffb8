"""The composition root: builds the bot from its settings. The only file that knows everybody."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from bot.agent.answer import Agent
from bot.agent.lineup import Lineup
from bot.agent.policy import Place
from bot.agent.summary import summaries
from bot.assistant import (
    Seams,
    build_agents,
    open_lineup,
    open_purse,
    policy_of,
    sandbox_sought,
    tools_of,
)
from bot.bus.local import LocalBus
from bot.commands import BUILTIN as COMMANDS
from bot.contracts.channel import (
    Channel,
    ChannelParts,
    ChannelSpec,
    Gateway,
    HasPage,
    MeetsOwner,
    RouteSpec,
    ServesHttp,
)
from bot.contracts.clock import Clock
from bot.contracts.command import About
from bot.contracts.errors import ConfigError
from bot.contracts.inbound import ConversationKey
from bot.contracts.people import People
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.setup import OffersSetup
from bot.contracts.store import Store
from bot.contracts.tool import Sandbox
from bot.delivery.courier import Courier
from bot.entrance import Entrance, load_channels, open_entrance
from bot.http.approvals import approval_routes
from bot.http.server import HttpServer
from bot.http.sessions import session_routes
from bot.http.turns import TurnRoutes
from bot.kernel.answer import Answers
from bot.kernel.commands import CommandDoor
from bot.kernel.deliveries import Deliveries
from bot.kernel.expiry import Expiry
from bot.kernel.forgetting import Forgetting
from bot.kernel.gateway import KernelGateway
from bot.kernel.intake import Intake
from bot.kernel.lanes import Lanes
from bot.kernel.moved import MovedRooms
from bot.kernel.retention import Retention
from bot.kernel.route import Router
from bot.kernel.turn import TurnRunner
from bot.kernel.waiting import Waits
from bot.markup.live import LiveMarkdown
from bot.media.folder import MediaFolder
from bot.queue_rules import queue_rules
from bot.routing import Page, agent_there, with_doubts
from bot.sandbox import NoSandbox
from bot.settings.root import Settings
from bot.setup import LiveSetup, Running
from bot.setup.about import LiveAbout
from bot.store import open_store
from bot.workspace.given import GivenFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """The whole bot, built and not yet running. `bot.serve` runs it."""

    settings: Settings
    store: Store
    gateway: Gateway
    page: Page
    lanes: Lanes
    forgetting: Forgetting
    channels: tuple[Channel, ...]
    couriers: tuple[Courier, ...]
    expiry: Expiry
    lineups: tuple[Lineup, ...]
    """One for each list of models that some agent has."""
    retention: Retention
    setup: LiveSetup
    server: HttpServer
    sandbox: Sandbox | NoSandbox
    clock: Clock
    closing: AsyncExitStack

    def introduce(self) -> None:
        """Tell the page what it may say of the bot; once the server is bound."""
        self.page.introduce(self.setup.settings)

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
        sandbox = await opening.enter_async_context(sandbox_sought(settings))
        store = await _store(settings, seams)
        opening.push_async_callback(store.close)
        bus = LocalBus()
        router = Router(settings.routing, MovedRooms(await store.ledger.moves()))
        settings = with_doubts(settings, router.moved)
        specs = load_channels(settings)
        entrance = await open_entrance(settings, specs, store, router.moved.names, seams)
        channels = _channels(settings, specs, store, entrance.people, router, seams)
        for channel in channels:
            opening.push_async_callback(channel.close)
        lineups = _lineups(settings, seams, opening)
        purse = await open_purse(settings, store, seams.clock)
        agents, found = await build_agents(settings, store, lineups, sandbox, purse, seams)
        waits = Waits(ledger=store.ledger, bus=bus, clock=seams.clock)
        server = _server(settings, channels, _own_routes(entrance, store, waits), web=web)
        page = Page(channels=channels, server=server, router=router)
        setup = _setup(settings, store, tuple(lineups.values()), found, page, seams)
        deliveries = _deliveries(channels, seams)
        runner = _runner(_answers(store, agents, deliveries, bus), deliveries)
        intake = Intake(
            turns=store.turns,
            router=router,
            doorkeeper=entrance.doorkeeper,
            queue=queue_rules(settings.queue),
            door=_door(store, entrance, _about(setup, found, seams)),
            allow=purse.allow,
            bus=bus,
            clock=seams.clock,
            ids=seams.ids,
            idle=settings.sessions.idle,
        )
        return App(
            settings=settings,
            store=store,
            gateway=KernelGateway(intake, store, bus, summaries(tools_of(found, seams)), waits),
            lanes=_lanes(settings, runner, seams),
            channels=channels,
            couriers=_couriers(channels, store, deliveries, bus, seams),
            expiry=Expiry(approvals=store.approvals, told=deliveries.of_expired, clock=seams.clock),
            lineups=tuple(lineups.values()),
            page=page,
            retention=_retention(settings, store, seams),
            forgetting=_forgetting(settings, store, seams),
            setup=setup,
            server=server,
            sandbox=found,
            clock=seams.clock,
            closing=opening.pop_all(),
        )


def _answers(
    store: Store, agents: Mapping[AgentId, Agent], deliveries: Deliveries, bus: LocalBus
) -> Answers:
    return Answers(agents=agents, turns=store.turns, bus=bus, can_show=deliveries.can_show)


def _setup(
    settings: Settings,
    store: Store,
    lineups: tuple[Lineup, ...],
    sandbox: Sandbox | NoSandbox,
    page: Page,
    seams: Seams,
) -> LiveSetup:
    """Build what the owner sees and changes, and offer it to every channel that shows it."""
    running = Running(
        ledger=store.ledger,
        sandbox=sandbox,
        clock=seams.clock,
        lineups=lineups,
        page_agent=page.agent,
        introduce=page.introduce,
    )
    setup = LiveSetup(settings, running)
    for channel in page.channels:
        if isinstance(channel, OffersSetup):
            channel.offer_setup(setup)
    return setup


async def _store(settings: Settings, seams: Seams) -> Store:
    most = settings.queue.cap_all
    return await open_store(settings.store, clock=seams.clock, most_waiting=most)


def _forgetting(settings: Settings, store: Store, seams: Seams) -> Forgetting:
    keep_for = queue_rules(settings.queue).keep_observed_for
    return Forgetting(store.turns, seams.clock, keep_for)


def _door(store: Store, entrance: Entrance, about: About) -> CommandDoor:
    return CommandDoor(COMMANDS, store, entrance.people, about, entrance.pairs)


def _retention(settings: Settings, store: Store, seams: Seams) -> Retention:
    return Retention(store=store, clock=seams.clock, keep=settings.sessions.retention)


def _lanes(settings: Settings, runner: TurnRunner, seams: Seams) -> Lanes:
    return Lanes(
        runner.turns,
        runner,
        seams.clock,
        worker=seams.ids.new(),
        limit=settings.limits.turns_at_once,
        background=settings.limits.background_at_once,
    )


def _lineups(
    settings: Settings, seams: Seams, opening: AsyncExitStack
) -> Mapping[tuple[str, ...], Lineup]:
    """Open one for each list of models that some agent has; *opening* closes it again."""
    lineups: dict[tuple[str, ...], Lineup] = {}
    for models in dict.fromkeys(agent.models for agent in settings.agents.values()):
        lineups[models] = open_lineup(settings, models, seams)
        opening.push_async_callback(lineups[models].close)
    return lineups


def _runner(answers: Answers, deliveries: Deliveries) -> TurnRunner:
    return TurnRunner(
        turns=answers.turns,
        answer=answers.answer,
        compose=deliveries.of_ending,
        bus=answers.bus,
        clock=deliveries.clock,
    )


def _deliveries(channels: Sequence[Channel], seams: Seams) -> Deliveries:
    return Deliveries(
        channels={(c.name, c.account): c for c in channels},
        clock=seams.clock,
        owner=next((c.owner_place for c in channels if isinstance(c, MeetsOwner)), None),
    )


def _about(setup: LiveSetup, sandbox: Sandbox | NoSandbox, seams: Seams) -> LiveAbout:
    """Say what the bot may tell of itself in a chat."""
    policy = policy_of(setup.settings, sandbox, seams)
    return LiveAbout(
        settings=lambda: setup.settings,
        tools_of=lambda agent, rank: [
            tool.name for tool in policy.of(Place(agent=agent), rank).tools
        ],
        summary=summaries(tools_of(sandbox, seams)),
        queue_of=queue_rules(setup.settings.queue).of,
        where_programs_run=sandbox.reason if isinstance(sandbox, NoSandbox) else sandbox.name,
    )


def _channels(
    settings: Settings,
    specs: Mapping[str, ChannelSpec],
    store: Store,
    people: People,
    router: Router,
    seams: Seams,
) -> tuple[Channel, ...]:
    workspaces = {name: Path(agent.workspace) for name, agent in settings.agents.items()}

    def workspace_of(conversation: ConversationKey, sender: str) -> Path:
        return workspaces[agent_there(router, conversation, sender)]

    copies = GivenFiles(*workspaces.values(), root_of=workspace_of)
    parts = ChannelParts(
        clock=seams.clock,
        ids=seams.ids,
        records=store.records,
        people=people,
        media=MediaFolder(settings.media, copies, seams.clock, seams.ids),
        live_document=LiveMarkdown,
        commands=COMMANDS,
    )
    return tuple(specs[name].open(section, parts) for name, section in settings.channels.items())


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


async def _forget(store: Store, key: SessionKey, unused_since: datetime | None) -> bool:
    return await store.turns.forget_session(key, unused_since=unused_since) is not None


def _own_routes(entrance: Entrance, store: Store, waits: Waits) -> Sequence[RouteSpec]:
    """Return what the control socket answers beside the channels' routes."""
    return (
        *entrance.routes.specs(),
        *session_routes(partial(_forget, store)),
        *approval_routes(store.approvals),
        *TurnRoutes(waits.wait).specs(),
    )


def _server(
    settings: Settings, channels: Sequence[Channel], own_routes: Sequence[RouteSpec], *, web: bool
) -> HttpServer:
    return HttpServer(
        host=settings.http.host,
        public_url=settings.http.public_url,
        trusted_proxies=settings.http.trusted_proxies,
        port=settings.http.port if web else None,
        control_path=settings.control_socket,
        routes=[
            *own_routes,
            *(
                route
                for channel in channels
                if isinstance(channel, ServesHttp)
                for route in channel.routes()
            ),
        ],
    )

"""The composition root: builds the bot from its settings. The only file that knows everybody."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from bot.assembly import AgentsOfNow, Lasting, Present, assemble, prepare
from bot.assistant import OnceSought, Seams, open_purse, read_schemas
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
from bot.contracts.errors import ConfigError
from bot.contracts.events import Bus
from bot.contracts.inbound import ConversationKey
from bot.contracts.people import People
from bot.contracts.session import SessionKey
from bot.contracts.setup import OffersSetup
from bot.contracts.store import Store
from bot.delivery.courier import Courier
from bot.entrance import Entrance, load_channels, open_entrance
from bot.extensions import changed_since
from bot.http.approvals import approval_routes
from bot.http.server import HttpServer
from bot.http.sessions import session_routes
from bot.http.turns import TurnRoutes
from bot.kernel.answer import Answers
from bot.kernel.deliveries import Deliveries
from bot.kernel.expiry import Expiry
from bot.kernel.forgetting import Forgetting
from bot.kernel.gateway import KernelGateway
from bot.kernel.lanes import Lanes
from bot.kernel.moved import MovedRooms
from bot.kernel.retention import Retention
from bot.kernel.turn import TurnRunner
from bot.kernel.waiting import Waits
from bot.markup.live import LiveMarkdown
from bot.media.folder import MediaFolder
from bot.queue_rules import queue_rules
from bot.routing import Page, agent_there, with_doubts
from bot.settings import read_settings
from bot.settings.root import Settings
from bot.setup import LiveSetup, Running
from bot.store import open_store
from bot.tools import BUILTIN
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
    present: Present
    retention: Retention
    setup: LiveSetup
    server: HttpServer
    clock: Clock
    closing: AsyncExitStack

    def introduce(self) -> None:
        """Tell the page what it may say of the bot; once the server is bound."""
        self.page.introduce(self.setup.settings, self.setup.problem)

    async def link(self) -> str:
        """Make a link to the page that works once.

        Raises:
            ConfigError: no page is configured.
        """
        for channel in self.channels:
            if isinstance(channel, HasPage):
                return await channel.new_link()
        raise ConfigError("channels", "no webchat", "`webchat:` among the channels")


async def build(
    settings: Settings,
    *,
    web: bool = True,
    seams: Seams | None = None,
    read: Callable[[], Settings] | None = None,
) -> App:
    """Build the bot; with *web* false it is reached over the control socket alone.

    *read* reads the settings again, when a reload is asked for: those of the same state
    directory, if it is left out.

    Raises:
        ConfigError: a setting is wrong.
        StoreHeld: another process runs on the same state.
        StoreUnavailable: the state cannot be written or read.
    """
    seams = seams or Seams()
    async with AsyncExitStack() as opening:
        sandboxes = OnceSought()
        opening.push_async_callback(sandboxes.close)
        sandboxes.look(settings)
        store = await _store(settings, seams)
        opening.push_async_callback(store.close)
        moved = MovedRooms(await store.ledger.moves())
        settings = with_doubts(settings, moved)
        specs, present = load_channels(settings), Present(settings)
        broken = partial(_is_broken, present)
        entrance = await open_entrance(specs, store, moved.names, seams, broken)
        channels = _channels(present, specs, store, entrance.people, seams)
        for channel in channels:
            opening.push_async_callback(channel.close)
        read_schemas((*BUILTIN, *seams.tools))
        lasting = Lasting(
            store=store,
            bus=LocalBus(),
            entrance=entrance,
            purse=await open_purse(settings, store, seams.clock),
            sandboxes=sandboxes,
            seams=seams,
            moved=moved,
        )
        present.put(await assemble(settings, lasting))
        opening.push_async_callback(present.close)
        waits = Waits(ledger=store.ledger, bus=lasting.bus, clock=seams.clock)
        server = _server(settings, channels, _own_routes(entrance, store, waits), web=web)
        page = Page(channels=channels, server=server, routes=lambda: present.now.router)
        deliveries = _deliveries(channels, seams)
        lanes = _lanes(settings, _runner(_answers(present, lasting, deliveries), deliveries), seams)
        again = read or partial(read_settings, settings.home)
        setup = _setup(present, lasting, lanes, page, lambda: with_doubts(again(), moved))
        return App(
            settings=settings,
            store=store,
            gateway=KernelGateway(present, store, lasting.bus, present.summary_of, waits),
            lanes=lanes,
            channels=channels,
            couriers=_couriers(channels, store, deliveries, lasting.bus, seams),
            expiry=Expiry(approvals=store.approvals, told=deliveries.of_expired, clock=seams.clock),
            present=present,
            page=page,
            retention=_retention(settings, store, seams),
            forgetting=_forgetting(settings, store, seams),
            setup=setup,
            server=server,
            clock=seams.clock,
            closing=opening.pop_all(),
        )


def _setup(
    present: Present, lasting: Lasting, lanes: Lanes, page: Page, read: Callable[[], Settings]
) -> LiveSetup:
    """Build what the owner sees and changes, and offer it to every channel that shows it."""
    running = Running(
        ledger=lasting.store.ledger,
        clock=lasting.seams.clock,
        look=lambda: (present.troubles, present.now.sandbox),
        page_agent=lambda: page.agent,
        introduce=page.introduce,
        prepare=partial(prepare, present, lasting, lanes),
        stale=lambda: changed_since(present.now.extensions),
        read=read,
    )
    setup = LiveSetup(present.settings, running)
    for channel in page.channels:
        if isinstance(channel, OffersSetup):
            channel.offer_setup(setup)
    return setup


def _is_broken(present: Present) -> bool:
    return bool(present.settings.problem)


async def _store(settings: Settings, seams: Seams) -> Store:
    most = settings.queue.cap_all
    return await open_store(settings.store, clock=seams.clock, most_waiting=most)


def _forgetting(settings: Settings, store: Store, seams: Seams) -> Forgetting:
    keep_for = queue_rules(settings.queue).keep_observed_for
    return Forgetting(store.turns, seams.clock, keep_for)


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


def _answers(present: Present, lasting: Lasting, deliveries: Deliveries) -> Answers:
    return Answers(
        agents=AgentsOfNow(present),
        turns=lasting.store.turns,
        bus=lasting.bus,
        can_show=deliveries.can_show,
    )


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


def _channels(
    present: Present,
    specs: Mapping[str, ChannelSpec],
    store: Store,
    people: People,
    seams: Seams,
) -> tuple[Channel, ...]:
    def workspace_of(conversation: ConversationKey, sender: str) -> Path:
        now = present.now
        return now.settings.agents[agent_there(now.router, conversation, sender)].workspace

    settings = present.settings
    workspaces = [agent.workspace for agent in settings.agents.values()]
    copies = GivenFiles(*workspaces, root_of=workspace_of)
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
    channels: Sequence[Channel], store: Store, deliveries: Deliveries, bus: Bus, seams: Seams
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

"""The composition root: builds the bot from its settings. The only file that knows everybody."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from bot.assembly import AgentsOfNow, Assembly, Lasting, Present, assemble
from bot.assistant import MAIN, OnceSought, Seams, open_purse, read_schemas
from bot.bus.local import LocalBus
from bot.commands import BUILTIN as COMMANDS
from bot.contracts.channel import (
    Channel,
    ChannelParts,
    ChannelSpec,
    Gateway,
    HasPage,
    MeetsOwner,
    ServesHttp,
)
from bot.contracts.clock import Clock
from bot.contracts.errors import ConfigError
from bot.contracts.events import Bus
from bot.contracts.people import People
from bot.contracts.session import SessionKey
from bot.contracts.setup import OffersSetup
from bot.contracts.store import Store
from bot.delivery.courier import Courier
from bot.entrance import Entrance, load_channels, open_entrance
from bot.extensions import changed_since
from bot.http.server import HttpServer
from bot.http.sessions import session_routes
from bot.kernel.answer import Answers
from bot.kernel.deliveries import Deliveries
from bot.kernel.gateway import KernelGateway
from bot.kernel.lanes import Lanes
from bot.kernel.retention import Retention
from bot.kernel.turn import TurnRunner
from bot.markup.live import LiveMarkdown
from bot.media.folder import MediaFolder
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
    lanes: Lanes
    channels: tuple[Channel, ...]
    couriers: tuple[Courier, ...]
    present: Present
    retention: Retention
    setup: LiveSetup
    server: HttpServer
    clock: Clock
    closing: AsyncExitStack

    def introduce(self) -> None:
        """Tell the page what it may say of the bot; once the server is bound."""
        _introduce(self.channels, self.server, self.setup.settings, self.setup.problem)

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
        store = await open_store(settings.store, clock=seams.clock)
        opening.push_async_callback(store.close)
        specs, present = load_channels(settings), Present(settings)
        entrance = await open_entrance(specs, store, seams, lambda: bool(present.settings.problem))
        channels = _channels(settings, specs, store, entrance.people, seams)
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
        )
        present.put(await assemble(settings, lasting))
        opening.push_async_callback(present.close)
        server = _server(settings, channels, store, entrance, web=web)
        deliveries = _deliveries(channels, seams)
        answers = Answers(agents=AgentsOfNow(present), turns=store.turns, bus=lasting.bus)
        lanes = _lanes(settings, _runner(answers, deliveries), seams)
        setup = LiveSetup(
            settings,
            Running(
                ledger=store.ledger,
                clock=seams.clock,
                look=lambda: (present.now.lineup.troubles, present.now.sandbox),
                introduce=partial(_introduce, channels, server),
                prepare=partial(_prepare, present, lasting, lanes),
                stale=lambda: changed_since(present.now.extensions),
                read=read or partial(read_settings, settings.home),
            ),
        )
        _offer(setup, channels)
        return App(
            settings=settings,
            store=store,
            gateway=KernelGateway(present, store, lasting.bus, present.summary_of),
            lanes=lanes,
            channels=channels,
            couriers=_couriers(channels, store, deliveries, lasting.bus, seams),
            present=present,
            retention=Retention(store=store, clock=seams.clock, keep=settings.sessions.retention),
            setup=setup,
            server=server,
            clock=seams.clock,
            closing=opening.pop_all(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """An assembly that is whole, and not yet in place."""

    assembly: Assembly
    present: Present
    lanes: Lanes

    def use(self) -> None:
        """Put it in place: the next message and the next turn have it."""
        self.present.put(self.assembly)
        self.lanes.allow(self.assembly.settings.limits.turns_at_once)

    async def drop(self) -> None:
        """Let go of it: it was not wanted after all."""
        await self.present.drop(self.assembly)


async def _prepare(
    present: Present, lasting: Lasting, lanes: Lanes, settings: Settings, *, reopen: bool
) -> _Prepared:
    """Build what *settings* ask for beside what runs.

    The models are opened anew if they are others, or with *reopen*.

    Raises:
        ConfigError: a setting is wrong; nothing is left open.
    """
    kept = None if reopen else present.now.lineup
    if kept is not None and _models(settings) != _models(present.settings):
        kept = None
    assembly = await assemble(settings, lasting, lineup=kept)
    return _Prepared(assembly=assembly, present=present, lanes=lanes)


def _models(settings: Settings) -> tuple[object, ...]:
    return tuple((name, settings.models[name]) for name in settings.agents[MAIN].models)


def _lanes(settings: Settings, runner: TurnRunner, seams: Seams) -> Lanes:
    return Lanes(
        runner.turns,
        runner,
        seams.clock,
        worker=seams.ids.new(),
        limit=settings.limits.turns_at_once,
    )


def _runner(answers: Answers, deliveries: Deliveries) -> TurnRunner:
    return TurnRunner(
        turns=answers.turns,
        answer=answers.answer,
        compose=deliveries.of_outcome,
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
    settings: Settings,
    specs: Mapping[str, ChannelSpec],
    store: Store,
    people: People,
    seams: Seams,
) -> tuple[Channel, ...]:
    copies = GivenFiles(Path(settings.agents[MAIN].workspace))
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


def _offer(setup: LiveSetup, channels: Sequence[Channel]) -> None:
    for channel in channels:
        if isinstance(channel, OffersSetup):
            channel.offer_setup(setup)


def _introduce(
    channels: Sequence[Channel], server: HttpServer, settings: Settings, problem: str
) -> None:
    """Tell the page who answers and what is wrong; again after every change of the settings."""
    models = [settings.models[name] for name in settings.agents[MAIN].models]
    for channel in channels:
        if isinstance(channel, HasPage):
            channel.introduce(
                address=server.address,
                model=", ".join(model.model for model in models),
                problem=problem,
                demo=all(model.provider == "demo" for model in models),
            )


async def _forget(store: Store, key: SessionKey, unused_since: datetime | None) -> bool:
    return await store.turns.forget_session(key, unused_since=unused_since) is not None


def _server(
    settings: Settings,
    channels: Sequence[Channel],
    store: Store,
    entrance: Entrance,
    *,
    web: bool,
) -> HttpServer:
    return HttpServer(
        host=settings.http.host,
        public_url=settings.http.public_url,
        trusted_proxies=settings.http.trusted_proxies,
        port=settings.http.port if web else None,
        control_path=settings.control_socket,
        routes=[
            *entrance.routes.specs(),
            *session_routes(partial(_forget, store)),
            *(
                route
                for channel in channels
                if isinstance(channel, ServesHttp)
                for route in channel.routes()
            ),
        ],
    )

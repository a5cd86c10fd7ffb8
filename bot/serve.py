"""Runs the bot: what starts in which order, and how it stops."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator
from typing import Final

import structlog

from bot.app import App
from bot.contracts.model import Warms
from bot.trust import trust

_log = structlog.get_logger(__name__)

_DRAIN_SECONDS: Final = 20.0
"""How long running turns may go on after a stop was asked for; then they are put back."""
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


async def serve(
    app: App,
    *,
    ready: Callable[[App], None] | None = None,
    until: asyncio.Event | None = None,
    drain_seconds: float = _DRAIN_SECONDS,
    watch: bool = False,
) -> None:
    """Run *app* until a signal or *until* asks it to stop, then close it.

    With *watch* it reads its settings again whenever their files have changed; SIGHUP asks for
    the same at any time.

    It stops from the door inwards: channels hear no more, turns end or are put
    back, couriers finish the sends they began, and only then is the store closed.

    Raises:
        ConfigError: the page cannot be served where it should be.
    """
    stopping = until or asyncio.Event()
    async with app.closing:
        with _signals_set(stopping, app.setup.log_reload):
            await app.server.start()
            app.closing.push_async_callback(app.server.close)
            app.introduce()
            await _run(app, stopping, ready, drain_seconds, watch=watch)


async def _run(
    app: App,
    stopping: asyncio.Event,
    ready: Callable[[App], None] | None,
    drain_seconds: float,
    *,
    watch: bool,
) -> None:
    if any(channel.name != "webchat" for channel in app.channels):
        await asyncio.to_thread(trust)  # before their libraries make TLS connections
    async with asyncio.TaskGroup() as group:
        couriers_stop = asyncio.Event()
        for courier in app.couriers:
            group.create_task(courier.work(couriers_stop), name="courier")
        group.create_task(app.lanes.work(), name="lanes")
        forgetting = group.create_task(app.forgetting.work(), name="forget what was overheard")
        doors = [
            group.create_task(channel.listen(app.gateway), name=f"listen {channel.name}")
            for channel in app.channels
        ]
        tidying = group.create_task(app.retention.work(), name="retention")
        expiring = group.create_task(app.expiry.work(), name="expiry")
        warming = [
            group.create_task(candidate.model.warm(), name="warm model")
            for lineup in app.present.now.lineups.values()
            for candidate in lineup.candidates
            if isinstance(candidate.model, Warms)
        ]
        watching = (
            [group.create_task(app.setup.watch(), name="watch the settings")] if watch else []
        )
        if ready is not None:
            await asyncio.sleep(0)
            ready(app)
        try:
            await stopping.wait()
            _log.info("stopping")
            for task in (*doors, *warming, *watching, tidying, expiring, forgetting):
                task.cancel()
        finally:  # also when one of them broke, and then at once
            await app.lanes.stop(drain_seconds=drain_seconds if stopping.is_set() else 0)
        couriers_stop.set()


@contextlib.contextmanager
def _signals_set(stopping: asyncio.Event, reload: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, stopping.set)
    loop.add_signal_handler(signal.SIGHUP, reload)
    try:
        yield
    finally:
        for number in (*_SIGNALS, signal.SIGHUP):
            loop.remove_signal_handler(number)

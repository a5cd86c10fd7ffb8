"""``stonechat run``: start the bot and keep it running."""

import asyncio
import contextlib
import gc
import sys
from collections.abc import Callable
from dataclasses import replace

import structlog
import typer

from bot.app import App, build
from bot.cli.banner import banner, local_server, way_in, way_to_a_link
from bot.cli.start import prepare
from bot.serve import serve
from bot.settings import Settings, read_settings, remember_good
from bot.settings.terminal import command_name, tunnel
from bot.setup.first_look import first_look

_log = structlog.get_logger(__name__)


def run(*, port: int | None, host: str | None = None, debug: bool) -> None:
    """Run until a signal asks to stop.

    Raises:
        ConfigError: something that the operator must mend.
        StoreHeld: the bot runs already.
    """

    def listening(settings: Settings) -> Settings:
        return replace(settings, http=settings.http.listening(host=host, port=port))

    settings = prepare(debug=debug)
    asyncio.run(_run(listening(settings), lambda: listening(read_settings(settings.home))))


async def _run(settings: Settings, read: Callable[[], Settings]) -> None:
    app = await build(settings, read=read)
    started = asyncio.Event()
    welcome = asyncio.create_task(_welcome(app, started), name="welcome")
    try:
        await serve(app, ready=lambda _: started.set(), watch=True)
    finally:
        welcome.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await welcome


async def _welcome(app: App, started: asyncio.Event) -> None:
    await started.wait()
    _collect_from_now_on()
    try:
        remember_good(app.settings)
    except OSError as error:
        _log.warning("these settings could not be kept as the last good ones", error=str(error))
    typer.echo(
        banner(app.settings, app.present.now.sandbox, app.server.address, app.server.listens_at)
        + "\n"
    )
    for server in await first_look(app.settings, app.setup, app.store.records):
        typer.echo(local_server(server, command_name()) + "\n")
    if not app.server.address or "webchat" not in app.settings.channels:
        return
    if sys.stdout.isatty():
        way = None if app.settings.http.public_url else tunnel(app.server.port)
        typer.echo(way_in(await app.link(), way))
    else:
        # Who has the log alone, such as a service's, finds the page by it, too.
        how = f"run {command_name()} open"
        _log.info("the page is served", address=app.server.address, for_a_link=how)
        typer.echo(way_to_a_link(command_name()))


def _collect_from_now_on() -> None:
    """Look for garbage again, but never among what was made by now: it stays to the end."""
    gc.freeze()
    gc.enable()

"""``stonechat check``: say what would run, or everything that is wrong, and change nothing."""

import asyncio
from collections.abc import Iterator, Sequence

import typer

from bot import __version__
from bot.access.doubts import doubts
from bot.access.people import RecordedPeople
from bot.cli.banner import described
from bot.cli.route import moved_rooms
from bot.cli.tools import mistaken_rules
from bot.clock import RandomIds, SystemClock
from bot.contracts.channel import ChannelParts
from bot.contracts.errors import ConfigError
from bot.contracts.model import ModelParts
from bot.contracts.store import Record
from bot.contracts.tool import Sandbox
from bot.entrance import load_channels
from bot.extensions import load_extensions
from bot.markup.live import LiveMarkdown
from bot.media.folder import MediaFolder
from bot.models import open_model
from bot.routing import broken, with_doubts
from bot.sandbox.find import NoSandbox, find_sandbox
from bot.settings import Settings, SettingsBroken, home_folder, read_settings
from bot.settings.faults import fault_plan
from bot.setup.findings import findings, look_at_disk
from bot.workspace.given import GivenFiles


def check() -> bool:
    """Print what was found and return whether the bot would start.

    Raises:
        ConfigError: it is not even known where the state directory is.
    """
    home = home_folder()
    try:
        settings = read_settings(home)
        fault_plan()
    except SettingsBroken as error:
        return _complain(error.mistakes)
    except ConfigError as error:
        return _complain([error])
    return asyncio.run(_tried(settings))


def _complain(mistakes: Sequence[ConfigError]) -> bool:
    for mistake in mistakes:
        typer.echo(f"✗ {mistake}", err=True)
    return not mistakes


async def _tried(settings: Settings) -> bool:
    """Open what can be opened without touching the state, and let go of it."""
    sandbox = await find_sandbox() if settings.tools.shell else None
    mistakes = [*await _models(settings), *await _channels(settings), *_extensions(settings)]
    mistakes = mistakes or [*mistaken_rules(settings, sandbox)]
    if mistakes:
        return _complain(mistakes)
    moved = await moved_rooms(settings)
    if told := list(broken(settings.routing, moved)):
        for each in told:
            typer.echo(f"✗ {each}", err=True)
        return False
    settings = with_doubts(settings, moved)
    for line in _report(settings, sandbox):
        typer.echo(line)
    return True


async def _models(settings: Settings) -> list[ConfigError]:
    mistakes = []
    for name, model in settings.models.items():
        parts = ModelParts(model=model.model, clock=SystemClock(), base_url=model.base_url)
        try:
            await open_model(model.provider, parts).close()
        except ConfigError as error:
            setting = f"models.{name}.{error.setting}"
            where = error.where or str(settings.config_file)
            mistakes.append(ConfigError(setting, error.found, error.expected, where=where))
    return mistakes


def _extensions(settings: Settings) -> list[ConfigError]:
    try:
        load_extensions(settings)
    except ConfigError as error:
        return [error]
    return []


async def _channels(settings: Settings) -> list[ConfigError]:
    mistakes = []
    clock, ids, records = SystemClock(), RandomIds(), _NothingRecorded()
    parts = ChannelParts(
        clock=clock,
        ids=ids,
        records=records,
        people=RecordedPeople(records, clock, ids),
        media=MediaFolder(settings.media, GivenFiles(settings.home), clock, ids),
        live_document=LiveMarkdown,
    )
    for name, section in settings.channels.items():
        try:
            await load_channels(settings, name)[name].open(section, parts).close()
        except ConfigError as error:
            mistakes.append(error)
    return mistakes


class _NothingRecorded:
    """Records for a channel that is opened only to see whether it would."""

    async def get(self, key: str) -> Record | None:
        """Know nothing."""
        del key
        return None

    async def swap(self, key: str, value: bytes, *, version: int) -> bool:
        """Write nothing."""
        del key, value, version
        return False

    async def delete(self, key: str) -> None:
        """Forget nothing."""

    async def scan(self, prefix: str) -> Sequence[Record]:
        """Find nothing."""
        del prefix
        return ()


def _report(settings: Settings, sandbox: Sandbox | NoSandbox | None) -> Iterator[str]:
    yield f"✓ stonechat {__version__} would run with"
    yield f"  state      {settings.home}"
    yield from described(settings, sandbox)
    yield f"  channels   {', '.join(settings.channels) or 'none'}"
    http = settings.http
    yield f"  page       {http.public_url or f'http://{http.host}:{http.port}'}"
    yield f"  store      {settings.store}"
    disk = look_at_disk(settings.home)
    for finding in findings(settings, sandbox=sandbox, disk=disk):
        yield f"! {finding.what}; to mend it: {finding.fix}"
    specs = load_channels(settings)
    shapes = {name: spec.ids for name, spec in specs.items() if not spec.has_own_door}
    for what, fix in doubts(settings, shapes):
        yield f"! {what}; to mend it: {fix}"

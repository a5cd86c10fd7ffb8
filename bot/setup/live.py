"""`Setup` of a running bot."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

import structlog

from bot.contracts.clock import Clock
from bot.contracts.errors import ConfigError, ModelError, SetupRefused
from bot.contracts.ledger import Ledger
from bot.contracts.secret import mask
from bot.contracts.session import AgentId
from bot.contracts.setup import Overview, Reloaded
from bot.contracts.tool import Sandbox
from bot.sandbox import NoSandbox
from bot.settings import Settings, SettingsBroken, remember_good
from bot.settings.terminal import command_name
from bot.setup.changes import Changes, Prepare, Prepared
from bot.setup.overview import Look, overview
from bot.setup.restart import as_running, waiting
from bot.setup.watch import EVERY_SECONDS, Settling, signature

_log = structlog.get_logger(__name__)

_STAYS: Final = "The settings of before stay in force until this is mended."


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What of the running bot is looked at and changed."""

    ledger: Ledger
    clock: Clock
    look: Callable[[], tuple[Sequence[ModelError], Sandbox | NoSandbox]]
    """What the models of now failed with last, and what holds programs now."""
    page_agent: Callable[[], AgentId]
    """Who answers the owner on the page."""
    introduce: Callable[[Settings, str], None]
    """Tell the page who answers from now on, and what is wrong."""
    prepare: Prepare
    stale: Callable[[], Sequence[str]]
    """Modules of `tools.extra` whose code has changed since they were imported."""
    read: Callable[[], Settings]
    """Read the settings again, from all files that make them."""


class LiveSetup(Changes):
    """What the owner may ask about the bot, and change, while it runs."""

    def __init__(self, settings: Settings, running: Running) -> None:
        super().__init__(settings, running.clock, running.prepare)
        self._running: Final = running
        self._booted: Final = settings
        self._refused = ""
        self._waiting: tuple[str, ...] = ()

    @property
    def problem(self) -> str:
        """Why the settings in force are not those of the file; empty if they are."""
        return self._settings.problem or self._refused

    async def overview(self) -> Overview:
        """Tell how things are, without asking anybody outside."""
        troubles, sandbox = self._running.look()
        return await overview(
            replace(self._settings, problem=self.problem),
            Look(
                ledger=self._running.ledger,
                sandbox=sandbox,
                now=self._clock.now(),
                troubles=troubles,
                windows=self._windows,
                page_agent=self._running.page_agent(),
                waiting=self._waiting,
            ),
        )

    async def reload(self) -> Reloaded:
        """Read the settings again; put all of them in force from the next message on.

        Raises:
            SetupRefused: they are broken; nothing has changed.
        """
        return await self._alone(self._reload)

    async def watch(self) -> None:
        """Reload whenever a file of the settings has changed, until cancelled.

        A file that is gone is refused here: it is what an editor leaves for a moment, and who
        means it says so by `reload`.
        """
        files = (self._booted.config_file, self._booted.home / ".env")
        settling = Settling()
        while True:
            if settling.look(await asyncio.to_thread(signature, files)):
                with suppress(SetupRefused):  # logged and shown; the next change is looked at
                    await self._alone(self._reload_if_whole)
            await self._clock.sleep(EVERY_SECONDS)

    def log_reload(self) -> None:
        """Reload because a signal asks for it; what becomes of it stands in the log."""

        async def reload() -> None:
            with suppress(SetupRefused):  # logged and shown
                await self._reload()

        asking = asyncio.create_task(self._alone(reload), name="reload")
        self._changes.add(asking)
        asking.add_done_callback(self._changes.discard)

    async def _reload_if_whole(self) -> Reloaded:
        return await self._reload(take_nothing=False)

    async def _reload(self, *, take_nothing: bool = True) -> Reloaded:
        try:
            read = await asyncio.to_thread(self._running.read)
            if not take_nothing:
                self._refuse_nothing(read)
            settings = as_running(read, self._booted)
            if settings == self._settings and not self.problem:
                prepared = None
            else:
                prepared = await self._prepare(settings, reopen=False)
        except ConfigError as error:
            self._refuse(error)
            raise SetupRefused(_every(error)) from None
        return await self._put_in_force(read, settings, prepared)

    async def _put_in_force(
        self, read: Settings, settings: Settings, prepared: Prepared | None
    ) -> Reloaded:
        if prepared is not None:
            self._use(settings, prepared)
        stale = (f"the code of {name}" for name in self._running.stale())
        waits = (*waiting(read, self._booted), *stale)
        is_news = prepared is not None or waits != self._waiting
        self._refused, self._waiting = "", waits
        self._running.introduce(settings, self.problem)
        reloaded = _told(settings, waits, changed=prepared is not None)
        if is_news:
            _log.info("settings read again", outcome=reloaded.sentence)
        try:
            await asyncio.to_thread(remember_good, read)
        except OSError as error:
            _log.warning("these settings could not be kept as the last good ones", error=str(error))
        return reloaded

    def _refuse_nothing(self, read: Settings) -> None:
        """Refuse the defaults of no file where there was one."""
        if read.written is None and self._settings.written is not None:
            raise ConfigError(
                "the file",
                "no file",
                f"settings, or `{command_name()} reload` to go on with all defaults",
                where=str(self._booted.config_file),
            )

    def _refuse(self, error: ConfigError) -> None:
        """Say in every place that the file is broken; nothing else has changed."""
        if self._settings.problem:  # at the start: it still is
            self._settings = replace(self._settings, problem=mask(f"{error}. {_STAYS}"))
        else:
            self._refused = mask(f"{error}. {_STAYS}")
        _log.error("settings refused", reason=self.problem)
        self._running.introduce(self._settings, self.problem)

    def _use(self, settings: Settings, prepared: Prepared) -> None:
        super()._use(settings, prepared)
        self._running.introduce(settings, self.problem)


def _every(error: ConfigError) -> str:
    """Write every mistake of a file in a line of its own, and what that means (pure)."""
    mistakes = error.mistakes if isinstance(error, SettingsBroken) else (error,)
    return "\n".join((*(mask(str(each)) for each in mistakes), _STAYS))


def _told(settings: Settings, waits: Sequence[str], *, changed: bool) -> Reloaded:
    """Say what became of a reading (pure)."""
    first = (
        f"The settings of {settings.config_file} are in force from the next message on."
        if changed
        else "Nothing has changed that can be put in force while the bot runs."
        if waits
        else "Nothing has changed since the settings were read last."
    )
    later = f" In force after a restart only: {', '.join(waits)}." if waits else ""
    return Reloaded(changed=changed, waiting=tuple(waits), sentence=first + later)

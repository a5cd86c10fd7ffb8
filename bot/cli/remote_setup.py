"""`Setup` of the bot that runs, over the control socket; or of its files, where none runs."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeVar

import aiohttp
from pydantic import TypeAdapter, ValidationError

from bot.cli.client import control, is_answered
from bot.clock import SystemClock
from bot.contracts.errors import SetupRefused
from bot.contracts.secret import Secret, mask
from bot.contracts.setup import (
    CheckedChannel,
    CheckedModel,
    KeyOffer,
    LocalServer,
    Overview,
    Reloaded,
    Setup,
)
from bot.settings import Settings
from bot.setup.changes import Changes, Nothing

_T = TypeVar("_T")

_SECONDS: Final = 180.0
"""How long the bot may take: longer than it gives itself, so that its sentence arrives."""


class RemoteSetup:
    """Asks the bot that runs. What it refuses is refused here in its own sentence."""

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self._http: Final = http

    async def overview(self) -> Overview:
        """See `Setup.overview`."""
        return await self._ask(Overview, "GET", "/setup")

    async def use_key(self, offer: KeyOffer) -> CheckedModel:
        """See `Setup.use_key`."""
        asked = {
            "key": offer.key.reveal(),
            "provider": offer.provider,
            "model": offer.model,
            "base_url": offer.base_url,
        }
        return await self._ask(CheckedModel, "POST", "/setup/key", asked)

    async def local_servers(self) -> Sequence[LocalServer]:
        """See `Setup.local_servers`."""
        answer = await self._ask(dict[str, tuple[LocalServer, ...]], "GET", "/setup/local")
        return answer["servers"]

    async def use_local(self, address: str, model: str) -> CheckedModel:
        """See `Setup.use_local`."""
        asked = {"address": address, "model": model}
        return await self._ask(CheckedModel, "POST", "/setup/local", asked)

    async def add_channel(self, channel: str, token: Secret) -> CheckedChannel:
        """See `Setup.add_channel`."""
        asked = {"channel": channel, "token": token.reveal()}
        return await self._ask(CheckedChannel, "POST", "/setup/channel", asked)

    async def reload(self) -> Reloaded:
        """See `Setup.reload`."""
        return await self._ask(Reloaded, "POST", "/setup/reload", {})

    async def _ask(self, kind: type[_T], method: str, path: str, asked: object = None) -> _T:
        try:
            async with self._http.request(
                method, path, json=asked, timeout=aiohttp.ClientTimeout(total=_SECONDS)
            ) as response:
                text = await response.text()
                status = response.status
        except (aiohttp.ClientError, OSError, TimeoutError):
            raise SetupRefused("The bot did not answer; look at its log, and try again.") from None
        if status != 200:
            raise SetupRefused(mask(text.strip()) or f"The bot answered with {status}.")
        try:
            return TypeAdapter(kind).validate_json(text)
        except ValidationError:
            raise SetupRefused(
                "The bot that runs is of another version; start it again, and try again."
            ) from None


@asynccontextmanager
async def reached(settings: Settings) -> AsyncIterator[tuple[Setup | Changes, bool]]:
    """Give what can be set up, and whether a running bot uses it at once.

    Where none runs, the same checks are made here, and the next start finds what was kept.
    """
    if await is_answered(settings.control_socket):
        async with control(settings.control_socket) as http:
            yield RemoteSetup(http), True
        return
    yield Changes(settings, SystemClock(), Nothing.prepare), False


async def told_overview(settings: Settings) -> Overview | None:
    """Return what the running bot tells of itself; None if none runs."""
    with suppress(SetupRefused):
        if await is_answered(settings.control_socket):
            async with control(settings.control_socket) as http:
                return await RemoteSetup(http).overview()
    return None

"""What the owner may change: one thing at a time, checked first, kept second, used third."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, TypeVar

from bot.contracts.clock import Clock
from bot.contracts.errors import ConfigError, SetupRefused
from bot.contracts.secret import Secret
from bot.contracts.setup import CheckedChannel, CheckedModel, KeyOffer, LocalServer
from bot.settings import Settings
from bot.settings.choice import lines_of, with_choice
from bot.settings.elsewhere import TELEGRAM_BOT, TELEGRAM_TOKEN, StoredToken
from bot.settings.keep import NotKept, keep
from bot.setup.cost import is_free, note_of_a_day, of_a_day, price_of
from bot.setup.local import Found, look, look_at, window_at
from bot.setup.telegram import username_of
from bot.setup.trial import Tried, answer_one_word, sentence, try_key

_T = TypeVar("_T")

_LOAD_SECONDS: Final = 120.0
"""How long a local server may take for its first word: it reads gigabytes from the disk first."""

_PULL: Final = "get one, for example with `ollama pull qwen3:8b`"


class Prepared(Protocol):
    """What was built of changed settings, whole, beside what runs."""

    def use(self) -> None:
        """Put it in place, in one step that cannot fail."""
        ...

    async def drop(self) -> None:
        """Let go of it: nothing has changed."""
        ...


class Prepare(Protocol):
    """Builds what settings ask for."""

    def __call__(self, settings: Settings, *, reopen: bool) -> Awaitable[Prepared]:
        """Build it, with *reopen* with models that were opened anew.

        Raises:
            ConfigError: something in the settings is wrong; nothing is left open.
        """
        ...


class Nothing:
    """Where no bot runs, there is nothing to build, and the next start finds what was kept."""

    def use(self) -> None:
        """Nothing is in place."""

    async def drop(self) -> None:
        """Nothing was built."""

    @classmethod
    async def prepare(cls, settings: Settings, *, reopen: bool) -> "Nothing":
        """Build nothing."""
        del settings, reopen
        return cls()


class Changes:
    """The half of `Setup` that changes something; *prepare* builds what is then used."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        prepare: Prepare,
    ) -> None:
        self._settings = settings
        self._clock: Final = clock
        self._prepare: Final = prepare
        self._windows: Final[dict[str, int]] = {}
        self._changing: Final = asyncio.Lock()
        self._changes: Final[set[asyncio.Task[Any]]] = set()

    @property
    def settings(self) -> Settings:
        """The settings of now."""
        return self._settings

    async def use_key(self, offer: KeyOffer) -> CheckedModel:
        """Check a key with its provider, keep it for this user alone, and use it at once.

        Raises:
            SetupRefused: it was not taken; nothing has changed.
        """
        return await self._take(await try_key(offer, self._settings.addresses, self._clock))

    async def local_servers(self) -> Sequence[LocalServer]:
        """Ask this machine's usual ports for model servers. Only a list of models is asked for."""
        return [found.view for found in await look(self._settings.addresses)]

    async def use_local(self, address: str, model: str) -> CheckedModel:
        """Use a model of a server on this machine from now on.

        Raises:
            SetupRefused: it was not taken; nothing has changed.
        """
        found = await look_at(address, self._settings.addresses)
        listed = next((each for each in found.models if each.name == model), None)
        if listed is None:
            raise SetupRefused(_not_there(found, model))
        asked = found.settings(model)
        await answer_one_word(asked, self._clock, seconds=_LOAD_SECONDS)
        return await self._take(Tried(model=asked, window=await window_at(found, listed)))

    async def add_channel(self, channel: str, token: Secret) -> CheckedChannel:
        """Check a platform's token with the platform and keep it for this user alone.

        Raises:
            SetupRefused: it was not taken; nothing has changed.
        """
        if channel != "telegram":
            raise SetupRefused(f"{channel[:40]!r} cannot be added by a token; telegram can.")
        name = await username_of(token, self._settings.addresses.telegram)
        identity = f"@{name}"
        stored = StoredToken(channel=channel, identity=identity)
        lines = {TELEGRAM_TOKEN: token.reveal(), TELEGRAM_BOT: f"https://t.me/{name}"}

        def changed(now: Settings) -> Settings:
            others = tuple(each for each in now.stored if each.channel != channel)
            return replace(now, stored=(*others, stored))

        await self._change(lines, changed)
        return CheckedChannel(
            channel=channel,
            identity=identity,
            note="The Telegram channel comes with a later version; nothing listens there yet.",
        )

    async def _take(self, tried: Tried) -> CheckedModel:
        model = tried.model

        def changed(now: Settings) -> Settings:
            if tried.window is not None:
                self._windows[model.model] = tried.window
            return with_choice(now, model)

        await self._change(lines_of(model), changed, reopen=True)
        return self._checked(tried)

    def _checked(self, tried: Tried) -> CheckedModel:
        model = tried.model
        if is_free(model):
            a_day: int | None = 0
            note = "It runs on this machine, so nobody is paid and no word leaves it."
        else:
            price, limits = price_of(model), self._settings.limits
            a_day = None if price is None else of_a_day(price)
            note = note_of_a_day(price, limits.model_calls, limits.caps())
        if others := self._settings.named_besides:
            note += f" Not used while this choice stands: {', '.join(others)}."
        return CheckedModel(
            provider=model.provider,
            model=model.model,
            window=tried.window,
            micro_usd_a_day=a_day,
            note=note,
        )

    async def _change(
        self,
        lines: Mapping[str, str | None],
        changed: Callable[[Settings], Settings],
        *,
        reopen: bool = False,
    ) -> None:
        """Keep *lines*, then use the *changed* settings: both, or neither.

        Raises:
            SetupRefused: nothing was kept.
        """

        async def change() -> None:
            settings = changed(self._settings)
            try:
                prepared = await self._prepare(settings, reopen=reopen)
            except ConfigError as error:
                raise SetupRefused(sentence(error)) from None
            try:
                await asyncio.to_thread(keep, settings.home, lines)
            except NotKept as error:
                await prepared.drop()
                raise SetupRefused(sentence(error)) from None
            self._use(settings, prepared)

        await self._alone(change)

    def _use(self, settings: Settings, prepared: Prepared) -> None:
        """Put *settings* in force, with all that was prepared of them."""
        self._settings = settings
        prepared.use()

    async def _alone(self, change: Callable[[], Awaitable[_T]]) -> _T:
        """Carry out one change at a time, to its end, also where the caller is cancelled."""

        async def in_turn() -> _T:
            async with self._changing:
                return await change()

        changing = asyncio.create_task(in_turn(), name="change the setup")
        self._changes.add(changing)
        changing.add_done_callback(self._changes.discard)
        return await asyncio.shield(changing)


def _not_there(found: Found, model: str) -> str:
    names = [each.name for each in found.models]
    if found.kind == "ollama":
        start = f"Ollama at {found.address} has no model {model[:60]!r} that can use tools"
        return f"{start}; it has {', '.join(names)}." if names else f"{start}; {_PULL}."
    return f"{found.address} lists no model {model[:60]!r}; it has {', '.join(names) or 'none'}."

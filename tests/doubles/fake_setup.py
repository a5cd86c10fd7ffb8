"""A strict `Setup`: it answers what a test says, one change at a time, and keeps what it got."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from bot.contracts.errors import BotError, SetupRefused
from bot.contracts.secret import Secret
from bot.contracts.setup import (
    ChannelView,
    CheckedChannel,
    CheckedModel,
    Finding,
    KeyOffer,
    LimitView,
    LocalServer,
    ModelView,
    Overview,
    Reloaded,
    SandboxView,
    SpentView,
    Weight,
)

DEMO = Overview(
    version="0.1.0",
    models=(
        ModelView(
            provider="demo",
            model="demo",
            source="no language model; type a key into the page, run stonechat models add,"
            " or set ANTHROPIC_API_KEY or OPENAI_API_KEY",
        ),
    ),
    channels=(
        ChannelView(channel="webchat", detail="http://127.0.0.1:7870", listening=True),
        ChannelView(channel="telegram", detail="no token yet", listening=False),
    ),
    spent=SpentView(
        since=datetime(2026, 3, 1, tzinfo=UTC),
        turns=12,
        input_tokens=41_200,
        output_tokens=3_100,
        unpriced_tokens=44_300,
    ),
    limits=(
        LimitView(setting="limits.model_calls", value="60 model calls a turn"),
        LimitView(setting="limits.tool_calls", value="120 tool calls a turn"),
    ),
    sandbox=SandboxView(works=True, detail="bubblewrap: one writable folder, no network"),
    findings=(
        Finding(
            weight=Weight.HINT,
            what="there is no shell: bubblewrap is not installed",
            fix="`apt-get install bubblewrap`, and start again",
        ),
        Finding(
            weight=Weight.WARNING,
            what="no language model answers: it is the demo",
            fix="type a key here, or run `stonechat models add`",
        ),
        Finding(
            weight=Weight.BROKEN,
            what="config.yaml:3: models.main.kye is no key there is; the last good settings run.",
            fix="mend ~/.stonechat/config.yaml; `stonechat check` names every mistake",
        ),
    ),
)
"""A bot as it is on its first day, with one mistake in its file."""

SERVERS = (
    LocalServer(kind="ollama", address="http://127.0.0.1:11434", models=("qwen3:8b", "llama3.2")),
    LocalServer(kind="lmstudio", address="http://127.0.0.1:1234", models=("gemma-3-12b-it",)),
)

CLAUDE = CheckedModel(
    provider="anthropic",
    model="claude-sonnet-5-5",
    window=200_000,
    micro_usd_a_day=4_800_000,
    note="A day of 100 ordinary messages costs about $4.80 at the list price; there is no cap.",
)


@dataclass
class FakeSetup:
    """Keeps what it was given. `refusal` is raised by the next change; `holding` holds it back."""

    seen: Overview = DEMO
    servers: Sequence[LocalServer] = SERVERS
    checked: CheckedModel = CLAUDE
    refusal: BotError | None = None
    broken: BotError | None = None
    """Raised by the overview until it is taken away."""
    holding: asyncio.Event | None = None
    changing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while a change is carried out."""
    offers: list[KeyOffer] = field(default_factory=list)
    chosen: list[tuple[str, str]] = field(default_factory=list)
    tokens: list[tuple[str, Secret]] = field(default_factory=list)
    on_used: Callable[[CheckedModel], None] = lambda _: None
    """Called with each model that is used from then on."""
    cancelled: int = 0
    looks: int = 0

    async def overview(self) -> Overview:
        self.looks += 1
        if self.broken is not None:
            raise self.broken
        return self.seen

    async def reload(self) -> Reloaded:
        async with self._change():
            return Reloaded(changed=False, waiting=("http",), sentence="Nothing has changed.")

    async def use_key(self, offer: KeyOffer) -> CheckedModel:
        assert isinstance(offer.key, Secret)
        async with self._change():
            self.offers.append(offer)
            return self._used(replace(self.checked, model=offer.model or self.checked.model))

    async def local_servers(self) -> Sequence[LocalServer]:
        if self.holding is not None:
            await self.holding.wait()
        return self.servers

    async def use_local(self, address: str, model: str) -> CheckedModel:
        async with self._change():
            offered = {(one.address, name) for one in self.servers for name in one.models}
            if (address, model) not in offered:
                raise SetupRefused(f"{address} has no model {model}.")
            self.chosen.append((address, model))
            return self._used(
                CheckedModel(provider="ollama", model=model, window=32_768, micro_usd_a_day=0)
            )

    async def add_channel(self, channel: str, token: Secret) -> CheckedChannel:
        assert isinstance(token, Secret)
        async with self._change():
            if channel != "telegram":
                raise SetupRefused(f"There is no channel {channel}; telegram exists.")
            self.tokens.append((channel, token))
            return CheckedChannel(
                channel=channel,
                identity="@example_bot",
                note="The channel itself comes with a later version.",
            )

    def _used(self, model: CheckedModel) -> CheckedModel:
        view = ModelView(
            provider=model.provider, model=model.model, source="chosen here", window=model.window
        )
        self.seen = replace(self.seen, models=(view,), findings=())
        self.on_used(model)
        return model

    @asynccontextmanager
    async def _change(self) -> AsyncIterator[None]:
        assert not self.changing.is_set(), "two changes at once"
        self.changing.set()
        try:
            if self.holding is not None:
                await self.holding.wait()
            if self.refusal is not None:
                refusal, self.refusal = self.refusal, None
                raise refusal
            yield
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.changing.clear()

"""How things are, without asking anybody outside."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Final

from bot import __version__
from bot.contracts.budget import Scope, dollars
from bot.contracts.errors import ModelError
from bot.contracts.ledger import Ledger
from bot.contracts.route import MAIN
from bot.contracts.session import AgentId
from bot.contracts.setup import (
    ChannelView,
    LimitView,
    ModelView,
    Overview,
    SandboxView,
    SpentView,
)
from bot.contracts.tool import Sandbox
from bot.contracts.turn import Usage
from bot.models.catalog import known
from bot.sandbox import NoSandbox
from bot.settings import ModelSettings, Settings
from bot.settings.limits import LimitSettings
from bot.setup.findings import findings, look_at_disk

_LIMITED: Final = {
    Scope.TURN: "a message",
    Scope.DAY: "a day",
    Scope.SESSION: "a session and day",
    Scope.PERSON: "a day for each member or guest",
    Scope.OTHERS: "a day for all members and guests",
    Scope.AGENT: "a day for each agent",
    Scope.BACKGROUND: "a day for background work",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is looked at besides the settings."""

    ledger: Ledger
    sandbox: Sandbox | NoSandbox
    now: datetime
    troubles: Sequence[ModelError] = ()
    windows: dict[str, int] | None = None
    """Windows that providers told of their models, by the model's name."""
    waiting: Sequence[str] = ()
    """Keys of the settings that are in force after a restart only."""
    page_agent: AgentId = MAIN
    """Who answers the owner on the page: its models are told of first."""


async def overview(settings: Settings, look: Look) -> Overview:
    """Tell all that the settings panel shows.

    Raises:
        StoreUnavailable: what was spent cannot be read.
    """
    disk = await asyncio.to_thread(look_at_disk, settings.home)
    return Overview(
        version=__version__,
        models=models_of(settings, look.windows or {}, look.page_agent),
        channels=tuple(channels_of(settings)),
        spent=await _spent(look),
        limits=tuple(_limits_of(settings.limits)),
        sandbox=_sandbox(look.sandbox),
        findings=findings(
            settings,
            sandbox=look.sandbox if settings.tools.shell else None,
            disk=disk,
            troubles=look.troubles,
            waiting=look.waiting,
        ),
    )


def models_of(
    settings: Settings, windows: dict[str, int], first: AgentId = MAIN
) -> tuple[ModelView, ...]:
    """Return the models that would be asked, in their order, those of *first* before all (pure)."""
    return tuple(_model(each, windows) for each in _used(settings, first))


def _used(settings: Settings, first: AgentId) -> Iterator[ModelSettings]:
    """Give every model that some agent has, once."""
    agents = (settings.agents[first], *settings.agents.values())
    for name in dict.fromkeys(name for agent in agents for name in agent.models):
        yield settings.models[name]


def _model(model: ModelSettings, windows: dict[str, int]) -> ModelView:
    listed = known(model.provider, model.model, base_url=model.base_url)
    return ModelView(
        provider=model.provider,
        model=model.model,
        source=model.source,
        window=windows.get(model.model) or model.context or (listed.window if listed else None),
    )


def channels_of(settings: Settings) -> Iterator[ChannelView]:
    """Give the doors to the platforms, and the tokens that wait for theirs (pure)."""
    for name in settings.channels:
        detail = "the page and the terminal" if name == "webchat" else "as configured"
        yield ChannelView(channel=name, detail=detail, listening=True)
    for each in settings.stored:
        who = f"the token of {each.identity}" if each.identity else "a token"
        detail = f"{who} is stored; the channel comes with a later version"
        yield ChannelView(channel=each.channel, detail=detail, listening=False)


async def _spent(look: Look) -> SpentView:
    today = look.now.astimezone().date()
    used = await look.ledger.spending(today)
    total = sum((one.usage for one in used), start=Usage())
    return SpentView(
        # Combined anew, so that it is midnight also on a day that changes the clock.
        since=datetime.combine(today, time()).astimezone(),
        turns=sum(one.turns for one in used),
        input_tokens=total.input_tokens,
        output_tokens=total.output_tokens,
        micro_usd=total.micro_usd,
        unpriced_tokens=total.unpriced_tokens,
    )


def _limits_of(limits: LimitSettings) -> Iterator[LimitView]:
    yield LimitView(setting="limits.model_calls", value=_calls(limits.model_calls))
    yield LimitView(setting="limits.tool_calls", value=_calls(limits.tool_calls))
    yield LimitView(setting="limits.turns_at_once", value=f"{limits.turns_at_once} at once")
    caps = limits.caps()
    for scope, what in _LIMITED.items():
        money, tokens = caps.money.get(scope), caps.tokens.get(scope)
        if money is not None or scope in {Scope.TURN, Scope.DAY}:
            most = "off" if money is None else dollars(money)
            yield LimitView(setting=f"limits.money.{scope}", value=f"{most} {what}")
        if money is None and tokens is not None:
            yield LimitView(setting=f"limits.tokens.{scope}", value=f"{tokens:,} tokens {what}")


def _calls(count: int) -> str:
    return f"{count} a message"


def _sandbox(sandbox: Sandbox | NoSandbox) -> SandboxView:
    if isinstance(sandbox, NoSandbox):
        return SandboxView(works=False, detail=sandbox.reason.removeprefix("no shell: "))
    return SandboxView(works=True, detail=f"{sandbox.name}: the workspace only, no network")

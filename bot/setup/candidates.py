"""From settings to models that can be asked."""

from bot.agent.failover import Candidate
from bot.contracts.clock import Clock
from bot.contracts.model import ChatModel, ModelParts
from bot.models import open_model
from bot.settings import ModelSettings
from bot.setup.cost import price_of


def open_candidates(settings: ModelSettings, clock: Clock) -> tuple[Candidate, ...]:
    """Open a model once for each of its keys: a key and a model are one candidate.

    Raises:
        ConfigError: there is no such provider, or the settings do not suit it.
    """
    return tuple(
        Candidate(model=opened(each, clock), max_output=each.max_output, price=price_of(each))
        for each in settings.by_key()
    )


def opened(settings: ModelSettings, clock: Clock) -> ChatModel:
    """Open it with its first key, or with none.

    Raises:
        ConfigError: there is no such provider, or the settings do not suit it.
    """
    return open_model(
        settings.provider,
        ModelParts(
            model=settings.model,
            clock=clock,
            base_url=settings.base_url,
            key=settings.keys[0] if settings.keys else None,
            max_output=settings.max_output,
            context=settings.context,
        ),
    )

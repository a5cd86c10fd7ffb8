"""The model its owner chose while the bot ran: three lines of `.env`, and above all else.

``CHOSEN_MODEL=anthropic/claude-sonnet-5-5`` names provider and model, ``CHOSEN_KEY`` and
``CHOSEN_URL`` are its key and address. They are names of their own, so that a key that
somebody set in the environment is neither used for another choice nor written over.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bot.contracts.secret import Secret
from bot.settings.environment import Environment
from bot.settings.models import PROVIDER_NAME, ModelSettings, ModelUnusable, checked
from bot.settings.root import Settings

CHOSEN: Final = "chosen"
"""The key of the choice in `Settings.models`; it is the only one there."""

MODEL: Final = "CHOSEN_MODEL"
KEY: Final = "CHOSEN_KEY"
URL: Final = "CHOSEN_URL"


def choice(environment: Environment) -> ModelSettings | None:
    """Return what was chosen, or None (pure).

    Raises:
        ModelUnusable: the lines are there and are no choice.
    """
    named = environment.get(MODEL)
    if named is None:
        return None
    provider, slash, model = named.value.strip().partition("/")
    if not slash or not model or not PROVIDER_NAME.fullmatch(provider):
        found = f"{named.value!r} as {named.source}"
        raise ModelUnusable("model", found, "provider/model, such as openai/gpt-5.5")
    key = environment.get(KEY)
    return ModelSettings(
        provider=provider,
        model=model,
        base_url=checked(URL, environment.get(URL)),
        keys=(Secret(key.value.strip()),) if key else (),
    )


def lines_of(model: ModelSettings) -> Mapping[str, str | None]:
    """Return the lines that keep the choice of *model*, for `keep` (pure)."""
    return {
        MODEL: f"{model.provider}/{model.model}",
        KEY: model.keys[0].reveal() if model.keys else None,
        URL: model.base_url,
    }


NO_CHOICE: Final[Mapping[str, str | None]] = dict.fromkeys((MODEL, KEY, URL))
"""The lines that take a choice out, so that the configuration and the environment decide again."""


def with_choice(settings: Settings, model: ModelSettings) -> Settings:
    """Return *settings* with *model* chosen, as the next start would read them (pure)."""
    others = settings.named_besides
    unused = f"; not used meanwhile: {', '.join(others)}" if others else ""
    model = replace(model, source=f"chosen, kept in {settings.home / '.env'}{unused}")
    return replace(
        settings,
        models={CHOSEN: model},
        agents={
            name: agent.model_copy(update={"models": (CHOSEN,)})
            for name, agent in settings.agents.items()
        },
    )

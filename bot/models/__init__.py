"""Models: one folder a provider; the name in the settings is the folder's name."""

import importlib
import pkgutil

from bot.contracts.errors import ConfigError
from bot.contracts.model import ChatModel, ModelParts, ProviderSpec


def open_model(provider: str, parts: ModelParts) -> ChatModel:
    """Open a model of the provider whose folder is called *provider*.

    Only that folder is imported, and what takes long is left to the first call.

    Raises:
        ConfigError: there is no such provider, or *parts* do not suit it.
    """
    known = providers()
    if provider not in known:
        raise ConfigError("provider", repr(provider), f"one of {', '.join(known)}")
    spec: ProviderSpec = importlib.import_module(f"{__name__}.{provider}").PROVIDER
    return spec.open(parts)


def providers() -> tuple[str, ...]:
    """Return the names of the providers there are, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))

"""The doors to the platforms: one folder a channel, and the folder is the name."""

from importlib import import_module
from importlib.util import find_spec

from bot.contracts.channel import ChannelSpec
from bot.contracts.errors import ConfigError


def load_channel(name: str, module: str = "") -> ChannelSpec:
    """Import the channel called *name* and return its ``CHANNEL``.

    It is a folder here, or with *module* any module that can be imported, of whichever package.

    Raises:
        ConfigError: there is no such channel, or it has no ``CHANNEL`` of that name.
    """
    if module:
        return _from_elsewhere(name, module)
    if not name.isidentifier() or find_spec(f"channels.{name}") is None:
        raise ConfigError(
            f"channels.{name}",
            "an unknown channel",
            "the name of a channel's folder, or below it `type:` and the module of a package",
        )
    spec = import_module(f"channels.{name}").CHANNEL
    if not isinstance(spec, ChannelSpec):
        raise ConfigError(f"channels.{name}", "a folder without a CHANNEL", "a channel's folder")
    return spec


def _from_elsewhere(name: str, module: str) -> ChannelSpec:
    setting = f"channels.{name}.type"
    try:
        spec = getattr(import_module(module), "CHANNEL", None)
    except Exception as error:
        found = f"{module!r}, which cannot be imported ({_one_line(error)})"
        expected = "an installed module with a CHANNEL"
        raise ConfigError(setting, found, expected) from error
    if not isinstance(spec, ChannelSpec):
        raise ConfigError(
            setting,
            f"{module!r}, which has no CHANNEL",
            "a module whose CHANNEL is a bot.contracts.channel.ChannelSpec",
        )
    if spec.name != name:
        raise ConfigError(
            f"channels.{name}",
            f"the channel of {module!r} under another name than its own",
            f"`{spec.name}:`, which its messages bear",
        )
    return spec


def _one_line(error: Exception) -> str:
    said = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__

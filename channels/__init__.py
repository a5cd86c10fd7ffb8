"""The doors to the platforms: one folder a channel, and the folder is the name."""

from importlib import import_module
from importlib.util import find_spec

from bot.contracts.channel import ChannelSpec
from bot.contracts.errors import ConfigError


def load_channel(name: str) -> ChannelSpec:
    """Import the channel called *name* and return its ``CHANNEL``.

    Raises:
        ConfigError: there is no such channel.
    """
    if not name.isidentifier() or find_spec(f"channels.{name}") is None:
        raise ConfigError(
            f"channels.{name}", "an unknown channel", "the name of a channel's folder"
        )
    spec = import_module(f"channels.{name}").CHANNEL
    if not isinstance(spec, ChannelSpec):
        raise ConfigError(f"channels.{name}", "a folder without a CHANNEL", "a channel's folder")
    return spec

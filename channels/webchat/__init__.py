"""The page, and the terminal beside it: one protocol over two sockets."""

from bot.contracts.channel import Channel, ChannelParts, ChannelSpec
from channels.webchat.doubts import doubts
from channels.webchat.settings import read_settings


def _open(section: dict[str, object], parts: ChannelParts) -> Channel:
    from channels.webchat.adapter import WebchatChannel  # noqa: PLC0415 - aiohttp only when wanted

    read_settings(section)
    return WebchatChannel(parts)


CHANNEL = ChannelSpec(name="webchat", open=_open, has_own_door=True, doubts=doubts)

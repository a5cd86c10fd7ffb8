"""The channel of a chat platform that exists in the tests alone, written as any other package's."""

from bot.contracts.channel import Channel, ChannelParts, ChannelSpec, IdShapes
from tests.doubles.square.channel.settings import read_settings


def _open(section: dict[str, object], parts: ChannelParts) -> Channel:
    from tests.doubles.square.channel.adapter import (  # noqa: PLC0415 - aiohttp only when wanted
        SquareChannel,
    )

    return SquareChannel(read_settings(section), parts)


CHANNEL = ChannelSpec(
    name="square",
    open=_open,
    ids=IdShapes(person="-?[0-9]+", room="-?[0-9]+", space="-?[0-9]+", example="4711"),
)

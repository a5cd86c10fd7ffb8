"""Webchat as a channel."""

import asyncio

import aiohttp
import pytest

from bot.contracts.channel import Channel, HasPage, ServesHttp
from bot.contracts.errors import ConfigError
from bot.contracts.reply import Target
from channels import load_channel
from tests.channels.channel_contract import ChannelContract
from tests.channels.webchat.house import HouseClock, a_house, a_parts
from tests.doubles.memory_records import MemoryRecords


def a_channel(section: dict[str, object] | None = None) -> Channel:
    parts = a_parts(HouseClock(), MemoryRecords())
    return load_channel("webchat").open(section or {}, parts)


class TestWebchatChannel(ChannelContract):
    def open(self) -> Channel:
        return a_channel()

    def target(self) -> Target:
        return Target(channel="webchat", account="default", conversation_id="main")


def test_it_is_a_page_and_is_served_over_http() -> None:
    channel = a_channel()

    assert isinstance(channel, ServesHttp)
    assert isinstance(channel, HasPage)


def test_a_key_it_does_not_know_is_named() -> None:
    with pytest.raises(ConfigError, match=r"channels\.webchat\.colour"):
        a_channel({"colour": "red"})


@pytest.mark.parametrize("name", ["nowhere", "../webchat", "webchat.adapter", ""])
def test_a_channel_that_does_not_exist_is_a_mistake_in_the_settings(name: str) -> None:
    with pytest.raises(ConfigError, match="unknown channel"):
        load_channel(name)


async def test_readers_are_sent_away_when_it_stops_listening() -> None:
    async with a_house() as house, house.page() as page:
        house.listening.cancel()

        message = await page.socket.receive(timeout=5)

        assert message.type is aiohttp.WSMsgType.CLOSE
        assert message.data == aiohttp.WSCloseCode.GOING_AWAY


async def test_before_it_listens_a_reader_is_asked_to_come_back() -> None:
    async with a_house() as house:
        house.listening.cancel()
        await asyncio.gather(house.listening, return_exceptions=True)

        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with house.page():
                pass

        assert refused.value.status == 503

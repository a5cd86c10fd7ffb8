"""The square is a channel like any other, and its double as strict as a platform."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from bot.access.people import RecordedPeople
from bot.contracts.channel import Channel, ChannelParts, ChannelSpec
from bot.contracts.errors import ConfigError
from bot.contracts.inbound import EventClass, Inbound, Lifecycle
from bot.contracts.reply import Target
from bot.markup.live import LiveMarkdown
from channels import load_channel
from tests.channels.channel_contract import ChannelContract
from tests.channels.dialect_contract import DialectContract
from tests.channels.ingest_contract import IngestContract
from tests.doubles.clock import CountingIds, FakeClock
from tests.doubles.memory_records import MemoryRecords
from tests.doubles.square import Square
from tests.doubles.square.channel.ingest import ingest
from tests.doubles.square.channel.render import SquareDialect
from tests.doubles.square.server import TOKEN

MODULE = "tests.doubles.square.channel"


class TestDialect(DialectContract):
    dialect = SquareDialect()


def told(square: Square, event: dict[str, Any]) -> Inbound:
    inbound = ingest(event, str(square.me.id))
    assert inbound is not None
    return inbound


class TestIngest(IngestContract):
    def setup_method(self) -> None:
        self.square = Square()
        self.ana = self.square.person("Ana")
        self.said = self.square.say(self.ana, self.square.direct(self.ana), "hello")

    def once(self) -> Inbound:
        return told(self.square, self.said.event)

    def redelivered(self) -> Inbound:
        return told(self.square, self.said.event | {"id": "Ev1", "at": "2026-03-01T12:00:00Z"})

    def another(self) -> Inbound:
        again = self.square.say(self.ana, self.square.direct(self.ana), "hello")
        return told(self.square, again.event)

    def test_ids_keep_every_digit(self) -> None:
        room = self.square.room("ours")
        inbound = told(self.square, self.square.say(self.ana, room, "hi").event)

        assert inbound.conversation.id == str(room.id)
        assert inbound.sender.id == str(self.ana.id)
        assert int(inbound.sender.id) > 2**53

    def test_what_every_kind_of_event_says(self) -> None:
        square, room = self.square, self.square.room("ours")
        square.edit(self.said, "bye")
        square.delete(self.said)
        square.react(self.ana, self.said, "👍")
        square.press(self.ana, self.said, "/stop")
        square.command(self.ana, room, "status", "now")
        square.move(room, self.ana)
        square.delete_thread(square.thread(room), self.ana)
        found = [told(square, event) for event in square._undelivered[1:]]

        assert [one.event for one in found] == [
            EventClass.EDIT,
            EventClass.DELETION,
            EventClass.REACTION,
            EventClass.INTERACTION,
            EventClass.COMMAND,
            EventClass.LIFECYCLE,
            EventClass.LIFECYCLE,
        ]
        assert found[0].edited_source == found[1].edited_source == self.once().source
        assert found[2].reply_to == str(self.said.id)
        assert (found[3].text, found[4].text) == ("/stop", "/status now")
        assert (found[5].lifecycle, found[5].former_id) == (Lifecycle.MOVED, str(room.id))
        assert found[6].lifecycle is Lifecycle.DELETED
        assert len({one.source for one in found}) == len(found)

    def test_an_event_without_an_id_is_nothing(self) -> None:
        square = self.square
        lost = square.say(self.ana, square.direct(self.ana), "hello", without_id=True)

        assert ingest(lost.event | {"message": lost.event["message"] | {"id": None}}, "1") is None


@pytest.fixture
async def square() -> AsyncIterator[Square]:
    async with Square() as square:
        yield square


def opened(square: Square) -> Channel:
    records, clock, ids = MemoryRecords(), FakeClock(), CountingIds()
    parts = ChannelParts(
        clock=clock,
        ids=ids,
        records=records,
        people=RecordedPeople(records, clock, ids),
        media=None,  # type: ignore[arg-type]  # the square's channel keeps no files
        live_document=LiveMarkdown,
    )
    section = {key: value for key, value in square.section().items() if key != "type"}
    return load_channel("square", MODULE).open(section, parts)


class TestChannel(ChannelContract):
    @pytest.fixture(autouse=True)
    def _square(self, square: Square) -> None:
        self.square = square
        self.ana = square.person("Ana")
        square.say(self.ana, square.direct(self.ana), "hello")

    def open(self) -> Channel:
        return opened(self.square)

    def target(self) -> Target:
        place = self.square.direct(self.ana)
        return Target(channel="square", account="default", conversation_id=str(place.id))


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, 200),
        ({"text": ""}, 400),
        ({"text": "x" * 2_001}, 400),
        ({"nonce": ""}, 400),
        ({"conversation": "1"}, 400),
        ({"conversation": 1}, 404),
        ({"parse_mode": "html"}, 400),
    ],
)
async def test_it_takes_nothing_that_a_platform_would_not(
    square: Square, changed: dict[str, object], status: int
) -> None:
    ana = square.person("Ana")
    square.say(ana, square.direct(ana), "hello")
    body: dict[str, object] = {
        "conversation": square.direct(ana).id,
        "thread": None,
        "text": "hi @everyone",
        "reply_to": None,
        "nonce": "1",
        "allowed_mentions": [],
    }
    async with aiohttp.ClientSession(
        square.url, headers={"Authorization": f"Bearer {TOKEN}"}
    ) as http:
        answers = [await http.post("/bot/messages", json=body | changed) for _ in range(2)]
    async with aiohttp.ClientSession(square.url) as http:
        unknown = await http.post("/bot/messages", json=body)

    assert [answer.status for answer in answers] == [status, status]
    assert unknown.status == 401
    assert len(square.said_in(square.direct(ana))) == (status == 200)
    assert square.pings == []


def test_a_channel_of_another_package_is_had_by_its_module() -> None:
    assert isinstance(load_channel("square", MODULE), ChannelSpec)
    with pytest.raises(ConfigError, match="expected `square:`, which its messages bear"):
        load_channel("circle", MODULE)
    with pytest.raises(ConfigError, match="cannot be imported"):
        load_channel("square", "tests.doubles.no_such_square")
    with pytest.raises(ConfigError, match="has no CHANNEL"):
        load_channel("square", "json")
    with pytest.raises(ConfigError, match="an unknown channel"):
        load_channel("square")

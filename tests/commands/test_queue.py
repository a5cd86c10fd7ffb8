"""``/queue``: chosen for a session, in any order, and taken back."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.access.people import RecordedPeople
from bot.clock import RandomIds, SystemClock
from bot.commands import BUILTIN
from bot.contracts.turn import Arrival, QueueMode, SessionChange, SessionChoices
from bot.kernel.commands import CommandDoor
from tests.doubles.about import AnAbout
from tests.doubles.arrivals import an_arrival, an_inbound
from tests.doubles.memory_records import MemoryRecords
from tests.doubles.stores import a_store


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[CommandDoor]:
    people = RecordedPeople(MemoryRecords(), SystemClock(), RandomIds())
    async with a_store(tmp_path) as store:
        yield CommandDoor(BUILTIN, store, people, AnAbout())


async def asked(door: CommandDoor, text: str, channel: str = "page") -> Arrival:
    return await door.answer(an_arrival(text, inbound=an_inbound(text, channel=channel)))


@pytest.mark.parametrize(
    ("said", "chosen"),
    [
        ("steer", SessionChoices(queue_mode=QueueMode.STEER)),
        ("INTERRUPT", SessionChoices(queue_mode=QueueMode.INTERRUPT)),
        ("debounce:500ms", SessionChoices(debounce_seconds=0.5)),
        ("debounce=2s", SessionChoices(debounce_seconds=2.0)),
        ("debounce:1m", SessionChoices(debounce_seconds=60.0)),
        ("debounce:500", SessionChoices(debounce_seconds=0.5)),
        ("debounce:0", SessionChoices(debounce_seconds=0.0)),
        (
            "debounce:1.5s collect",
            SessionChoices(queue_mode=QueueMode.COLLECT, debounce_seconds=1.5),
        ),
    ],
)
async def test_a_choice_is_changed_with_its_claim(
    door: CommandDoor, said: str, chosen: SessionChoices
) -> None:
    answered = await asked(door, f"/queue {said}")
    assert answered.change == SessionChange(chosen=chosen)


@pytest.mark.parametrize("word", ["default", "reset", "Clear"])
async def test_a_choice_is_taken_back(door: CommandDoor, word: str) -> None:
    answered = await asked(door, f"/queue {word}")
    assert answered.change == SessionChange(dropped=("queue_mode", "debounce_seconds"))


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ("sideways", "'sideways'"),
        ("steer debounce:soon", "'debounce:soon'"),
        ("debounce:3m", "'debounce:3m'"),
        ("steer cap:5", "queue.cap in config.yaml"),
        ("drop:old", "queue.drop in config.yaml"),
    ],
)
async def test_a_word_that_is_none_changes_nothing_and_is_named(
    door: CommandDoor, said: str, tells: str
) -> None:
    answered = await asked(door, f"/queue {said}")
    assert answered.change is None
    assert tells in answered.replies[0].fallback


@pytest.mark.parametrize(
    ("channel", "mode"), [("page", "steer (as configured)"), ("busy", "collect (as configured)")]
)
async def test_alone_it_shows_what_holds_in_this_channel(
    door: CommandDoor, channel: str, mode: str
) -> None:
    answered = await asked(door, "/queue", channel)
    assert answered.change is None
    assert mode in answered.replies[0].fallback


async def test_before_a_message_it_holds_for_that_message_alone(door: CommandDoor) -> None:
    answered = await asked(door, "/queue interrupt: no, the other file")
    assert answered.directives == SessionChoices(queue_mode=QueueMode.INTERRUPT)
    assert answered.told == "no, the other file"
    assert answered.change is None


@pytest.mark.parametrize("text", ["/stop", "/stop please", "/停止"])
async def test_a_stop_with_words_behind_it_is_a_stop(door: CommandDoor, text: str) -> None:
    answered = await asked(door, text)
    assert answered.mode is QueueMode.INTERRUPT
    assert answered.admission.reason == "command:stop"
    assert answered.stopped_notice is not None

"""What holds for every command there is."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access.people import RecordedPeople
from bot.clock import RandomIds, SystemClock
from bot.commands import BUILTIN
from bot.commands.chinese import CHINESE
from bot.contracts.admission import Handled
from bot.contracts.command import Command
from bot.contracts.inbound import ConversationKind
from bot.contracts.turn import Rank
from bot.kernel.commands import CommandDoor
from tests.doubles.about import AnAbout
from tests.doubles.arrivals import an_arrival
from tests.doubles.memory_records import MemoryRecords
from tests.doubles.stores import a_store

each_command = pytest.mark.parametrize("command", BUILTIN, ids=lambda command: command.name)


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[CommandDoor]:
    people = RecordedPeople(MemoryRecords(), SystemClock(), RandomIds())
    async with a_store(tmp_path) as store:
        yield CommandDoor(BUILTIN, store, people, AnAbout())


def test_no_two_commands_share_a_name() -> None:
    names = [name for command in BUILTIN for name in (command.name, *command.aliases)]
    assert len(names) == len(set(names))


@each_command
def test_its_name_is_one_that_every_platform_takes(command: Command) -> None:
    """Telegram takes small letters, digits and underscores, up to 32 of them."""
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,31}", command.name)


@each_command
def test_its_names_are_read_in_any_case(command: Command) -> None:
    assert all(alias == alias.casefold() for alias in command.aliases)


@each_command
def test_its_help_is_one_line_in_every_language(command: Command) -> None:
    for summary in (command.summary, CHINESE.summaries[command.name]):
        assert summary.strip() == summary
        assert 0 < len(summary) <= 80
        assert "\n" not in summary
        assert not summary.endswith((".", "。"))


@each_command
def test_its_arguments_are_shown_as_they_are_written(command: Command) -> None:
    assert command.arguments == command.arguments.strip()
    assert re.fullmatch(r"(?:(?:\[[^\[\]]+\]|<[^<>]+>) ?)*", command.arguments)


@each_command
async def test_who_may_give_it_gets_an_answer_with_no_word_behind_it(
    door: CommandDoor, command: Command
) -> None:
    for text in (f"/{command.name}", *(f"/{alias}" for alias in command.aliases)):
        answered = await door.answer(an_arrival(text, rank=command.least_rank))
        assert answered.admission == Handled(reason=f"command:{command.name}")
        assert all(reply.fallback.strip() for reply in answered.replies)
        assert answered.replies


@each_command
async def test_whoever_may_not_give_it_changes_nothing(door: CommandDoor, command: Command) -> None:
    lower = Rank(max(command.least_rank - 1, Rank.STRANGER))
    refused = await door.answer(an_arrival(f"/{command.name}", rank=lower))
    assert refused.admission == Handled(reason=f"command:refused:{command.name}")
    assert refused.change is None
    assert len(refused.replies) == 1


@each_command
async def test_whoever_may_not_give_it_is_met_with_silence_in_a_room(
    door: CommandDoor, command: Command
) -> None:
    arrival = an_arrival(f"/{command.name}", rank=Rank(max(command.least_rank - 1, Rank.STRANGER)))
    room = replace(arrival.inbound.conversation, kind=ConversationKind.ROOM)
    refused = await door.answer(
        replace(arrival, inbound=replace(arrival.inbound, conversation=room))
    )
    assert (refused.replies, refused.change) == ((), None)

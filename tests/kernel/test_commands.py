"""What a message asks of the bot itself, at the door."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access.people import RecordedPeople
from bot.clock import RandomIds, SystemClock
from bot.contracts.admission import Admission, Dispatch, Drop, Handled, Observe
from bot.contracts.command import Command, CommandAnswer, CommandContext, Inlined
from bot.contracts.errors import BotError
from bot.contracts.inbound import ConversationKind, EventClass
from bot.contracts.turn import (
    Arrival,
    Rank,
    SessionChange,
    SessionChoices,
    ThinkingLevel,
    Verbosity,
)
from bot.kernel.commands import CommandDoor, by_name, read
from tests.doubles.about import AnAbout
from tests.doubles.arrivals import a_payload, an_arrival, an_inbound
from tests.doubles.memory_records import MemoryRecords
from tests.doubles.stores import a_store


async def _echo(_context: CommandContext, rest: str) -> CommandAnswer:
    return CommandAnswer(replies=(a_payload(f"echo {rest}"),))


async def _choose(_context: CommandContext, rest: str) -> CommandAnswer:
    change = SessionChange(chosen=SessionChoices(thinking=ThinkingLevel(rest)))
    return CommandAnswer(replies=(a_payload(f"thinks {rest}"),), change=change)


async def _chat(_context: CommandContext, rest: str) -> CommandAnswer:
    change = SessionChange(chosen=SessionChoices(verbosity=Verbosity(rest)))
    return CommandAnswer(replies=(a_payload(f"shows {rest}"),), change=change)


async def _go_on(_context: CommandContext, rest: str) -> CommandAnswer:
    return CommandAnswer(goes_on=rest)


async def _fail(_context: CommandContext, rest: str) -> CommandAnswer:
    raise BotError(rest) if rest else KeyError(rest)


def _thinking(_context: CommandContext, rest: str) -> Inlined | None:
    word, _, message = rest.partition(" ")
    if word not in list(ThinkingLevel):
        return None
    return Inlined(chosen=SessionChoices(thinking=ThinkingLevel(word)), rest=message)


def _verbosity(_context: CommandContext, rest: str) -> Inlined | None:
    word, _, message = rest.partition(" ")
    if word not in list(Verbosity):
        return None
    return Inlined(chosen=SessionChoices(verbosity=Verbosity(word)), rest=message)


COMMANDS = (
    Command(
        name="echo",
        aliases=("e", "回"),
        summary="",
        arguments="",
        least_rank=Rank.MEMBER,
        run=_echo,
    ),
    Command(
        name="think",
        summary="",
        arguments="",
        least_rank=Rank.MEMBER,
        run=_choose,
        inline=_thinking,
    ),
    Command(
        name="show", summary="", arguments="", least_rank=Rank.MEMBER, run=_chat, inline=_verbosity
    ),
    Command(name="begin", summary="", arguments="", least_rank=Rank.GUEST, run=_go_on),
    Command(name="fail", summary="", arguments="", least_rank=Rank.GUEST, run=_fail),
)


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[CommandDoor]:
    people = RecordedPeople(MemoryRecords(), SystemClock(), RandomIds())
    async with a_store(tmp_path) as store:
        yield CommandDoor(COMMANDS, store, people, AnAbout())


def said(text: str, rank: Rank = Rank.OWNER, admission: Admission | None = None) -> Arrival:
    return an_arrival(text, rank=rank, admission=admission)


def in_a_room(arrival: Arrival, *, mentioned: bool = False) -> Arrival:
    room = replace(arrival.inbound.conversation, kind=ConversationKind.ROOM)
    return replace(
        arrival, inbound=replace(arrival.inbound, conversation=room, mentions_me=mentioned)
    )


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("/echo", "echo", ""),
        ("/echo hello there", "echo", "hello there"),
        ("  /ECHO  hello ", "echo", "hello"),
        ("/e hello", "echo", "hello"),
        ("/回 你好", "echo", "你好"),
        ("/echo: hello", "echo", "hello"),
        ("/echo:hello", "echo", "hello"),
        ("/echo@my_bot hello", "echo", "hello"),
        ("/echo@my_bot: hello", "echo", "hello"),
        ("/echo one\ntwo", "echo", "one\ntwo"),
        ("/echo\nhello", "echo", "hello"),
    ],
)
def test_a_command_is_read_as_people_write_it(text: str, name: str, rest: str) -> None:
    called = read(text, by_name(COMMANDS))
    assert called is not None
    assert (called.command.name, called.rest) == (name, rest)


@pytest.mark.parametrize(
    "text",
    [
        "echo",
        "say /echo",
        "/",
        "/ echo",
        "/echoes",
        "/etc/passwd",
        "/echo/x",
        "//echo",
        "/nobody x",
        "",
    ],
)
async def test_whatever_is_no_command_is_a_message_like_any_other(
    door: CommandDoor, text: str
) -> None:
    arrival = said(text)
    assert await door.answer(arrival) == arrival


async def test_a_command_is_answered_at_the_door(door: CommandDoor) -> None:
    answered = await door.answer(said("/echo hello"))
    assert answered.admission == Handled(reason="command:echo")
    assert [reply.fallback for reply in answered.replies] == ["echo hello"]


async def test_what_it_changes_is_committed_with_its_claim(door: CommandDoor) -> None:
    answered = await door.answer(said("/think high"))
    assert answered.change == SessionChange(chosen=SessionChoices(thinking=ThinkingLevel.HIGH))


async def test_a_button_and_a_menu_take_the_same_way(door: CommandDoor) -> None:
    for event in (EventClass.INTERACTION, EventClass.COMMAND):
        arrival = said("", admission=Handled(reason="command:unknown"))
        arrival = replace(arrival, inbound=an_inbound("/echo x", event=event))
        assert (await door.answer(arrival)).admission == Handled(reason="command:echo")


@pytest.mark.parametrize("event", [EventClass.REACTION, EventClass.EDIT, EventClass.DELETION])
async def test_what_is_nothing_said_gives_no_command(door: CommandDoor, event: EventClass) -> None:
    arrival = replace(said(""), inbound=an_inbound("/echo x", event=event))
    assert await door.answer(arrival) == arrival


async def test_who_may_not_speak_gives_no_command(door: CommandDoor) -> None:
    arrival = said("/echo x", admission=Drop(reason="sender:not-listed"))
    assert await door.answer(arrival) == arrival


async def test_who_may_not_give_it_is_told_so_in_a_direct_chat(door: CommandDoor) -> None:
    refused = await door.answer(said("/echo x", Rank.GUEST))
    assert refused.admission == Handled(reason="command:refused:echo")
    assert [r.fallback for r in refused.replies] == ["/echo is for members. Nothing was changed."]


async def test_and_in_a_room_nothing_is_said_to_them(door: CommandDoor) -> None:
    refused = await door.answer(in_a_room(said("/echo x", Rank.GUEST), mentioned=True))
    assert refused.admission == Handled(reason="command:refused:echo")
    assert refused.replies == ()


async def test_a_command_of_whoever_may_needs_no_mention_in_a_room(door: CommandDoor) -> None:
    arrival = said("/echo x", admission=Observe(reason="room:not-mentioned"))
    assert (await door.answer(in_a_room(arrival))).admission == Handled(reason="command:echo")


async def test_a_command_for_another_bot_in_the_room_is_not_ours(door: CommandDoor) -> None:
    arrival = in_a_room(said("/echo@other x"))
    assert await door.answer(arrival) == arrival
    mine = await door.answer(in_a_room(said("/echo@me x"), mentioned=True))
    assert mine.admission == Handled(reason="command:echo")


@pytest.mark.parametrize("text", ["@me /echo x", "<@U123> /echo x", "<@!123>: /echo x"])
async def test_a_mention_before_a_command_is_no_part_of_it(door: CommandDoor, text: str) -> None:
    mentioned = in_a_room(said(text), mentioned=True)
    assert [reply.fallback for reply in (await door.answer(mentioned)).replies] == ["echo x"]
    for another in ("@other /echo x", "see @me /echo x"):
        arrival = in_a_room(said(another))
        assert await door.answer(arrival) == arrival


async def test_a_directive_before_a_message_is_for_this_message_alone(door: CommandDoor) -> None:
    arrival = await door.answer(said("/think high fix\n  this"))
    assert arrival.admission == Dispatch(reason="direct")
    assert arrival.directives == SessionChoices(thinking=ThinkingLevel.HIGH)
    assert arrival.told == "fix\n  this"
    assert arrival.inbound.text == "/think high fix\n  this"
    assert arrival.change is None


async def test_several_directives_may_stand_before_a_message(door: CommandDoor) -> None:
    arrival = await door.answer(said("/think low /show full fix this"))
    assert arrival.directives == SessionChoices(
        thinking=ThinkingLevel.LOW, verbosity=Verbosity.FULL
    )
    assert arrival.told == "fix this"


async def test_several_directives_alone_are_all_kept(door: CommandDoor) -> None:
    arrival = await door.answer(said("/think low /show full"))
    both = SessionChoices(thinking=ThinkingLevel.LOW, verbosity=Verbosity.FULL)
    assert arrival.change == SessionChange(chosen=both)
    assert [reply.fallback for reply in arrival.replies] == ["thinks low", "shows full"]


async def test_a_word_that_is_no_value_leaves_the_message_alone(door: CommandDoor) -> None:
    arrival = said("/think about this")
    assert await door.answer(arrival) == arrival


async def test_a_directive_of_somebody_who_may_not_is_a_message(door: CommandDoor) -> None:
    arrival = said("/think high fix this", Rank.GUEST)
    assert await door.answer(arrival) == arrival


async def test_a_command_may_become_a_turn(door: CommandDoor) -> None:
    arrival = await door.answer(said("/begin with this"))
    assert arrival.admission == Dispatch(reason="command:begin")
    assert (arrival.told, arrival.replies) == ("with this", ())


async def test_what_a_command_fails_with_is_said_and_nothing_changes(door: CommandDoor) -> None:
    failed = await door.answer(said("/fail the disk is full."))
    assert failed.admission == Handled(reason="command:fail")
    expected = "That did not work: the disk is full. Nothing was changed."
    assert [reply.fallback for reply in failed.replies] == [expected]


async def test_a_broken_command_costs_its_answer(door: CommandDoor) -> None:
    broken = await door.answer(said("/fail"))
    assert [reply.fallback for reply in broken.replies] == [
        "Something broke inside me, so I did nothing. My log says what."
    ]

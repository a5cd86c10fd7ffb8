"""What the operator wrote about tools holds for what the model is told, and for each call."""

from dataclasses import replace
from pathlib import Path

from bot.access.people import RecordedPeople
from bot.contracts.inbound import Sender
from bot.contracts.messages import ResultState, ToolResult
from bot.contracts.turn import OutcomeKind, Rank
from channels.webchat.places import place_of
from tests.doubles.clock import CountingIds
from tests.doubles.rig import Rig, a_rig
from tests.doubles.scripted_model import call, words


def written(home: Path, rules: str) -> Path:
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.yaml").write_text(f"tools: {rules}\n")
    return home


def offered(rig: Rig) -> list[str]:
    return [offer.name for offer in rig.model.requests[-1].tools]


def results(rig: Rig) -> list[ToolResult]:
    return [m for m in rig.model.requests[-1].messages if isinstance(m, ToolResult)]


async def member(rig: Rig) -> Rig:
    people = RecordedPeople(rig.app.store.records, rig.app.clock, CountingIds())
    anna = await people.invite("webchat", "Anna", Rank.MEMBER)
    return replace(rig, conversation=place_of(anna.id), sender=Sender(id=anna.id))


async def test_a_tool_that_is_switched_off_is_offered_to_nobody_and_carried_out_for_nobody(
    tmp_path: Path,
) -> None:
    home = written(tmp_path / "home", "{deny: [write_file]}")
    steps = (call("write_file", path="notes/new.md", content="x"), words("I may not."))
    async with a_rig(home, *steps) as rig:
        assert await rig.answered("write it") == "I may not."
        assert "write_file" not in offered(rig)
        (result,) = results(rig)
        assert result.state is ResultState.DENIED
        assert "`tools.deny`" in result.text
        assert not (rig.workspace / "notes/new.md").exists()


async def test_the_same_call_is_carried_out_where_no_rule_is_written(tmp_path: Path) -> None:
    steps = (call("write_file", path="notes/new.md", content="x"), words("Done."))
    async with a_rig(tmp_path / "home", *steps) as rig:
        assert await rig.answered("write it") == "Done."
        assert (rig.workspace / "notes/new.md").read_text() == "x"


async def test_the_one_switch_for_the_shell_wins_over_every_allow(tmp_path: Path) -> None:
    rules = "{shell: false, allow: ['*'], ranks: {owner: {grant: [shell]}}}"
    steps = (call("shell", command="touch pwned"), words("There is none."))
    async with a_rig(written(tmp_path / "home", rules), *steps) as rig:
        await rig.answered("run it")
        assert "shell" not in offered(rig)
        assert "There is no tool 'shell'" in results(rig)[0].text
        assert not (rig.workspace / "pwned").exists()


async def test_in_another_conversation_of_the_channel_the_rule_does_not_hold(
    tmp_path: Path,
) -> None:
    rules = "{conversations: {'webchat:main': {profile: minimal}}}"
    async with a_rig(written(tmp_path / "home", rules), words("a"), words("b")) as rig:
        await rig.answered("hello")
        here = offered(rig)
        elsewhere = replace(rig, conversation=replace(rig.conversation, conversation_id="terminal"))
        await elsewhere.answered("hello")
        there = offered(rig)

    assert here == ["list_files", "read_file", "search_files"]
    assert "write_file" in there


async def test_a_member_writes_what_is_shared_where_that_was_granted_and_nothing_else(
    tmp_path: Path,
) -> None:
    rules = "{ranks: {member: {grant: [write_file]}}}"
    steps = (
        call("write_file", path="notes/new.md", content="x"),
        call("write_file", path="memory/2026-03-01.md", content="x"),
        call("write_file", path="SOUL.md", content="x"),
        words("Done."),
    )
    async with a_rig(written(tmp_path / "home", rules), *steps) as rig:
        anna = await member(rig)
        assert await anna.answered("write it") == "Done."
        states = [result.state for result in results(rig)]
        assert (rig.workspace / "notes/new.md").read_text() == "x"
        assert (rig.workspace / "SOUL.md").read_text() != "x"

    assert states == [ResultState.OK, ResultState.DENIED, ResultState.DENIED]


async def test_an_allow_that_leaves_nothing_ends_the_turn_before_the_model_is_asked(
    tmp_path: Path,
) -> None:
    rules = "{allow: ['group:web']}"
    async with a_rig(written(tmp_path / "home", rules)) as rig:
        accepted = await rig.say("hello")
        record = await rig.outcome(accepted.turn_id)
        (said,) = await rig.said_to(accepted.turn_id)

    assert record.outcome is not None
    assert record.outcome.kind is OutcomeKind.FAILED
    assert "`tools.allow` leaves no tool" in said
    assert rig.model.requests == []


async def test_the_request_begins_with_the_same_bytes_from_turn_to_turn(tmp_path: Path) -> None:
    rules = "{ranks: {member: {allow: [read_file]}}}"
    steps = [words(f"Answer {n}.") for n in range(3)]
    async with a_rig(written(tmp_path / "home", rules), *steps) as rig:
        anna = await member(rig)
        await anna.answered("one")
        first = rig.model.requests[-1]
        await rig.answered("the owner asks in between")
        await anna.answered("two")
        second = rig.model.requests[-1]

    assert (first.system, first.tools) == (second.system, second.tools)
    assert first.messages == second.messages[: len(first.messages)]

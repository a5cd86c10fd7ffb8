"""Somebody was let in: they get what is theirs, whatever the model asks for in their name."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access.people import RecordedPeople
from bot.contracts.inbound import Sender
from bot.contracts.messages import ResultState, ToolResult
from bot.contracts.turn import OutcomeKind, Rank
from bot.sandbox import NoSandbox
from channels.webchat.adapter import WebchatChannel
from channels.webchat.places import place_of
from tests.doubles.agent import until
from tests.doubles.clock import CountingIds
from tests.doubles.rig import Rig, a_rig
from tests.doubles.scripted_model import Step, call, calls, words
from tests.doubles.tools import Ledger

_FORBIDDEN: list[tuple[str, dict[str, str]]] = [
    ("shell", {"command": "touch pwned; cat USER.md"}),
    ("write_file", {"path": "notes/new.md", "content": "x"}),
    ("edit_file", {"path": "notes/meeting.md", "old_text": "a", "new_text": "b"}),
    ("SHELL", {"command": "touch pwned"}),
]


async def as_somebody(rig: Rig, rank: Rank) -> Rig:
    """Let Anna in, and return what she has of the same bot."""
    people = RecordedPeople(rig.app.store.records, rig.app.clock, CountingIds())
    anna = await people.invite("webchat", "Anna", rank)
    return replace(rig, conversation=place_of(anna.id), sender=Sender(id=anna.id))


def results(rig: Rig) -> Sequence[ToolResult]:
    return [m for m in rig.model.requests[-1].messages if isinstance(m, ToolResult)]


def files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("rank", [Rank.MEMBER, Rank.GUEST])
@pytest.mark.parametrize(("name", "arguments"), _FORBIDDEN)
async def test_a_call_that_is_not_for_them_is_denied_and_nothing_happens(
    tmp_path: Path, rank: Rank, name: str, arguments: dict[str, str]
) -> None:
    async with a_rig(tmp_path / "home", call(name, **arguments), words("I may not.")) as rig:
        anna = await as_somebody(rig, rank)
        before = files(rig.workspace)

        assert await anna.answered("do it") == "I may not."

        (result,) = results(rig)
        assert files(rig.workspace) == before
        if name.lower() == "shell" and isinstance(rig.app.present.now.sandbox, NoSandbox):
            assert "There is no tool" in result.text
        else:
            assert result.state is ResultState.DENIED
            assert f"is here as a {rank.name.lower()}" in result.text


async def test_a_tool_of_any_kind_is_denied_before_it_begins(tmp_path: Path) -> None:
    ledger = Ledger()
    async with a_rig(
        tmp_path / "home", call("act"), words("I may not."), tools=[ledger.tool()]
    ) as rig:
        anna = await as_somebody(rig, Rank.MEMBER)
        accepted = await anna.say("do it")
        await anna.outcome(accepted.turn_id)

        assert [result.state for result in results(rig)] == [ResultState.DENIED]
    assert ledger.acts == []


async def test_the_same_call_is_carried_out_for_an_admin(tmp_path: Path) -> None:
    ledger = Ledger()
    steps: list[Step] = [call("act"), words("Done.")]
    async with a_rig(tmp_path / "home", *steps, tools=[ledger.tool()]) as rig:
        anna = await as_somebody(rig, Rank.ADMIN)

        assert await anna.answered("do it") == "Done."
    assert ledger.acts == ["act:hello"]


@pytest.mark.parametrize(
    ("rank", "offered"),
    [
        (Rank.GUEST, []),
        (Rank.MEMBER, ["list_files", "read_file", "search_files"]),
    ],
)
async def test_the_model_is_told_of_what_is_theirs_and_of_nothing_else(
    tmp_path: Path, rank: Rank, offered: list[str]
) -> None:
    async with a_rig(tmp_path / "home", words("Hello."), words("Hello.")) as rig:
        anna = await as_somebody(rig, rank)
        (rig.workspace / "USER.md").write_text("The owner's canary: likes tea")
        (rig.workspace / "MEMORY.md").write_text("The owner's canary: is ill")
        await anna.answered("hello")
        hers = rig.model.requests[-1]
        await rig.answered("hello")
        owners = rig.model.requests[-1]

    assert [offer.name for offer in hers.tools] == offered
    assert "canary" not in repr(hers)
    assert "# Programs" not in hers.system.stable
    assert repr(owners).count("canary") == 2


async def test_what_was_said_to_one_is_in_no_request_of_another(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home", *[words(f"Answer {n}.") for n in range(3)]) as rig:
        anna = await as_somebody(rig, Rank.MEMBER)
        await rig.answered("the owner's secret")
        await anna.answered("anna's secret")
        hers = repr(rig.model.requests[-1])
        await rig.answered("and now?")
        owners = repr(rig.model.requests[-1])
        her_screen = await anna.screen()

    assert "owner's secret" not in hers
    assert "Answer 0" not in hers
    assert "anna's secret" not in owners
    assert her_screen == ["anna's secret", "Answer 1."]


@pytest.mark.parametrize("path", ["USER.md", "MEMORY.md", ".env", "memory/2026-03-01.md"])
async def test_the_owner_s_own_files_are_not_read_for_them(tmp_path: Path, path: str) -> None:
    steps = [
        call("read_file", path=path),
        calls(("search_files", {"text": "canary"}, "")),
        call("list_files", deep=True),
        words("Nothing."),
    ]
    async with a_rig(tmp_path / "home", *steps) as rig:
        anna = await as_somebody(rig, Rank.MEMBER)
        (rig.workspace / path).parent.mkdir(exist_ok=True)
        (rig.workspace / path).write_text("canary")
        await anna.answered("what do you know of the owner?")
        read, searched, listed = results(rig)

    assert read.state is ResultState.DENIED
    assert "no line contains" in searched.text
    assert path not in listed.text
    assert "notes/meeting.md" in listed.text


async def test_who_was_never_let_in_starts_no_turn(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home") as rig:
        eve = replace(rig, conversation=place_of("eve"), sender=Sender(id="eve"))
        accepted = await eve.say("hello")
        record = await eve.outcome(accepted.turn_id)

    assert record.outcome is not None
    assert record.outcome.reason == "sender:not-listed"
    assert rig.model.requests == []


async def test_who_is_shut_out_has_their_running_turn_stopped_and_their_waiting_ones_ended(
    tmp_path: Path,
) -> None:
    ledger = Ledger()
    tool = ledger.tool(act=ledger.wait_forever)
    async with a_rig(tmp_path / "home", call("act"), tools=[tool]) as rig:
        anna = await as_somebody(rig, Rank.ADMIN)
        running = await anna.say("work for hours")
        await until(ledger.began)
        waiting = await anna.say("and then this")
        (channel,) = rig.app.channels
        assert isinstance(channel, WebchatChannel)

        await channel.revoke("Anna")
        records = [await anna.outcome(one.turn_id) for one in (running, waiting)]
        later = await anna.say("hello?")
        refused = await anna.outcome(later.turn_id)

    kinds = [record.outcome and record.outcome.kind for record in records]
    assert kinds == [OutcomeKind.INTERRUPTED, OutcomeKind.INTERRUPTED]
    assert refused.outcome is not None
    assert refused.outcome.reason == "sender:not-listed"


async def test_while_the_settings_are_broken_only_the_owner_is_let_in(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    async with a_rig(home) as rig:
        anna = await as_somebody(rig, Rank.ADMIN)
    (home / "config.last-good.yaml").write_text("limits: {model_calls: 7}\n")
    (home / "config.yaml").write_text("limits: [\n")

    async with a_rig(home, words("Hello, owner.")) as rig:
        assert rig.app.settings.problem
        hers = replace(rig, conversation=anna.conversation, sender=anna.sender)
        accepted = await hers.say("hello")
        record = await hers.outcome(accepted.turn_id)
        assert await rig.answered("hello") == "Hello, owner."

    assert record.outcome is not None
    assert record.outcome.reason == "sender:not-listed"

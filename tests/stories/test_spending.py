"""Somebody spends: what is told, what goes on, what is remembered, and what it cannot cost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bot.access.people import RecordedPeople
from bot.clock import SystemClock
from bot.contracts.inbound import Sender
from bot.contracts.messages import AssistantMessage
from bot.contracts.turn import Failure, OutcomeKind, Rank, Usage
from channels.webchat.places import place_of
from tests.doubles.clock import CountingIds
from tests.doubles.rig import PAGE, Rig, a_rig
from tests.doubles.scripted_model import Step, words

_PRICED = """
models:
  demo: {{provider: demo, model: demo, max_output: 1000, price: {{input: 1, output: 1}}}}
limits: {{money: {{{limits}}}}}
"""
"""A micro-dollar a token."""


def costing(text: str, micro: int) -> AssistantMessage:
    """An answer that costs so many micro-dollars."""
    return replace(words(text), usage=Usage(input_tokens=micro - 1, output_tokens=1))


@asynccontextmanager
async def a_paid_rig(home: Path, *steps: Step, **limits: str) -> AsyncIterator[Rig]:
    written = ", ".join(f"{scope}: {amount}" for scope, amount in limits.items())
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.yaml").write_text(_PRICED.format(limits=written))
    async with a_rig(home, *steps) as rig:
        yield rig


async def as_somebody(rig: Rig, rank: Rank) -> Rig:
    people = RecordedPeople(rig.app.store.records, rig.app.clock, CountingIds())
    anna = await people.invite("webchat", "Anna", rank)
    return replace(rig, conversation=place_of(anna.id), sender=Sender(id=anna.id))


def today() -> date:
    return SystemClock().now().astimezone().date()


async def spent(rig: Rig) -> int:
    return sum(one.usage.micro_usd for one in await rig.app.store.ledger.spending(today()))


async def test_the_day_s_limit_ends_a_turn_with_which_how_much_until_when_and_what_goes_on(
    tmp_path: Path,
) -> None:
    steps = (costing("One.", 19_000), costing("Two.", 2_000))
    async with a_paid_rig(tmp_path / "home", *steps, day="0.02") as rig:
        first = await rig.answered("hello")
        refused = await rig.answered("and now?")
        asked = len(rig.model.requests)

        going_on = await rig.answered("/allow")

    assert first.startswith("One.")
    assert "$0.02 of the $0.02 for a day (`limits.money.day`) is spent" in refused
    assert "It begins anew at 00:00 on" in refused
    assert "`/allow`" in refused
    assert asked == 1
    assert going_on.startswith("Two.")


async def test_at_four_fifths_the_answer_comes_and_one_notice_beside_it(tmp_path: Path) -> None:
    steps = (costing("One.", 16_000), costing("Two.", 100))
    async with a_paid_rig(tmp_path / "home", *steps, day="0.02") as rig:
        accepted = await rig.say("hello")
        record = await rig.outcome(accepted.turn_id)
        said = await rig.said_to(accepted.turn_id)
        again = await rig.answered("and now?")

    assert record.outcome is not None
    assert record.outcome.kind is OutcomeKind.ANSWERED
    assert said[0] == "One."
    assert said[1].startswith("Nearly used up: $0.02 of the $0.02 for a day (`limits.money.day`)")
    assert len(said) == 2
    assert again == "Two."


async def test_a_warning_is_given_once_although_the_bot_was_started_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with a_paid_rig(home, costing("One.", 16_000), day="0.02") as rig:
        await rig.answered("hello")
    async with a_paid_rig(home, costing("Two.", 100), day="0.02") as rig:
        assert await rig.answered("and now?") == "Two."


async def test_a_restart_and_a_deleted_conversation_forget_nothing_that_was_spent(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    async with a_paid_rig(home, costing("One.", 19_000), day="0.02") as rig:
        await rig.answered("hello")
        await rig.app.gateway.forget(rig.conversation)
        assert await spent(rig) == 19_000
    async with a_paid_rig(home, day="0.02") as rig:
        refused = await rig.answered("hello again")
        assert await spent(rig) == 19_000
        assert rig.model.requests == []

    assert "`limits.money.day`" in refused


async def test_what_the_owner_allowed_holds_after_a_restart_and_only_once_however_often_said(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    async with a_paid_rig(home, costing("One.", 19_000), day="0.02") as rig:
        await rig.answered("hello")
        accepted = await rig.say("/allow 0.01", client_id="once")
        await rig.outcome(accepted.turn_id)
        again = await rig.say("/allow 0.01", client_id="once")
        assert again.duplicate
        assert await rig.said_to(accepted.turn_id) == [
            "Allowed: $0.01 more today beyond `limits.money.day`."
        ]
    async with a_paid_rig(home, costing("Two.", 9_500), day="0.02") as rig:
        assert (await rig.answered("and now?")).startswith("Two.")
        assert "`limits.money.day`" in await rig.answered("and now?")


@pytest.mark.parametrize("rank", [Rank.GUEST, Rank.MEMBER])
async def test_a_guest_spends_their_own_share_and_the_owner_hears_of_it_and_goes_on(
    tmp_path: Path, rank: Rank
) -> None:
    steps = (costing("One.", 9_000), costing("For the owner.", 100))
    async with a_paid_rig(tmp_path / "home", *steps, person="0.01", day="1") as rig:
        anna = await as_somebody(rig, rank)
        first = await anna.say("hello")
        await anna.outcome(first.turn_id)
        refused = await anna.answered("more!")
        owner = await rig.answered("hello")
        anna_sees, owner_sees = await anna.screen(), await rig.screen()

    assert "for you a day (`limits.money.person`)" in refused
    assert owner == "For the owner."
    told = [line for line in owner_sees if "Nearly used up" in line]
    assert len(told) == 1
    assert f"It was webchat:{anna.sender.id} who used it last" in told[0]
    assert len([line for line in anna_sees if "Nearly used up" in line]) == 1
    assert anna.conversation != PAGE


async def test_only_the_owner_raises_a_limit(tmp_path: Path) -> None:
    async with a_paid_rig(tmp_path / "home", day="1") as rig:
        anna = await as_somebody(rig, Rank.ADMIN)
        refused = await anna.answered("/allow 5")
        assert await rig.app.store.ledger.allowances(today()) == []
        allowed = await rig.answered("/allow 5")
        ((day, one),) = await rig.app.store.ledger.allowances(today())

    assert "/allow" in refused
    assert "Allowed" not in refused
    assert "Allowed: $5.00 more today" in allowed
    assert (day, one.amount) == (today(), 5_000_000)


async def test_a_message_may_cost_so_much_and_the_next_goes_on(tmp_path: Path) -> None:
    async with a_paid_rig(tmp_path / "home", turn="0", day="1") as rig:
        accepted = await rig.say("hello")
        record = await rig.outcome(accepted.turn_id)
        (said,) = await rig.said_to(accepted.turn_id)

    assert record.outcome is not None
    assert record.outcome.failure is Failure.SPENDING
    assert "for one message (`limits.money.turn`)" in said
    assert "Write again" in said
    assert rig.model.requests == []


async def test_usage_says_what_was_used_to_the_owner_all_and_to_others_their_own(
    tmp_path: Path,
) -> None:
    steps = (costing("One.", 20_000), costing("Two.", 30_000))
    async with a_paid_rig(tmp_path / "home", *steps, day="1") as rig:
        anna = await as_somebody(rig, Rank.MEMBER)
        await rig.answered("hello")
        await anna.answered("hello")
        owner, hers = await rig.answered("/usage"), await anna.answered("/usage")
        status = await rig.answered("/status")

    assert "$0.05" in owner
    assert "(a day's limit: $1.00)" in owner
    assert f"webchat:{anna.sender.id}" in owner
    assert "$0.03" in hers
    assert "webchat:owner" not in hers
    assert "$0.05" not in hers
    assert "$0.05 / $1.00" in status


async def test_a_hundred_messages_at_once_overshoot_by_one_call_at_most(tmp_path: Path) -> None:
    steps = [costing(f"Answer {n}.", 3_000) for n in range(100)]
    async with a_paid_rig(tmp_path / "home", *steps, day="0.03", others="off") as rig:
        rigs = [
            replace(
                rig,
                conversation=replace(PAGE, thread_id=f"00000000-0000-0000-0000-{n:012}"),
            )
            for n in range(100)
        ]
        async with asyncio.timeout(60):
            accepted = await asyncio.gather(*(each.say("hello") for each in rigs))
            records = await asyncio.gather(
                *(each.outcome(one.turn_id) for each, one in zip(rigs, accepted, strict=True))
            )
        total = await spent(rig)

    kinds = [record.outcome.kind for record in records if record.outcome]
    assert total <= 30_000 + 3_000
    assert total >= 15_000
    assert kinds.count(OutcomeKind.ANSWERED) * 3_000 == total
    assert kinds.count(OutcomeKind.FAILED) == 100 - total // 3_000

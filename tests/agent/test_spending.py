"""What an agent's model calls cost is limited before, counted after, and never forgotten."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest

from bot.agent.purse import Purse
from bot.contracts.budget import FREE, Caps, Cost, Price, Scope
from bot.contracts.errors import KeyExhausted, ModelDisconnected, ModelError, ModelUnavailable
from bot.contracts.messages import AssistantMessage
from bot.contracts.model import ModelEvent, ModelRequest, TextDelta
from bot.contracts.tool import Effect
from bot.contracts.transcript import Received, Unanswered
from bot.contracts.turn import Failure, OutcomeKind, Turn, TurnId, Usage
from tests.doubles.agent import AgentBench, a_bench
from tests.doubles.clock import START, HastyClock
from tests.doubles.scripted_model import ScriptedModel, Step, call, words
from tests.doubles.tools import Ledger

_DOLLAR = Price(input=1_000_000, output=1_000_000, cached_input=1_000_000, cache_write=1_000_000)
"""A micro-dollar for each token."""


def counted(step: AssistantMessage, read: int, wrote: int) -> AssistantMessage:
    """A step whose tokens the provider counted."""
    return replace(step, usage=Usage(input_tokens=read, output_tokens=wrote))


def a_paid_bench(root: Path, *steps: Step, turn: int | None = None) -> AgentBench:
    bench = a_bench(root, *steps, tools=[Ledger().tool(effect=Effect.PURE)])
    bench.price = _DOLLAR
    money = {} if turn is None else {Scope.TURN: turn}
    bench.purse = Purse(Caps(money=money), bench.clock)
    return bench


def day(bench: AgentBench) -> Cost:
    assert bench.purse is not None
    account = bench.purse.account((Scope.DAY, ""))
    assert account.held == Cost()
    return account.spent


async def test_each_answer_is_recorded_with_what_it_cost(tmp_path: Path) -> None:
    bench = a_paid_bench(
        tmp_path, counted(call("act", word="a"), 100, 20), counted(words("Done."), 150, 5)
    )

    outcome = await bench.answer(bench.turn())

    assert outcome.usage.micro_usd == 275
    assert day(bench) == Cost(micro_usd=275)
    said = [e for e in bench.transcripts.entries() if isinstance(e, AssistantMessage)]
    assert [message.usage.micro_usd for message in said] == [120, 155]


async def test_a_turn_that_reaches_its_limit_ends_before_the_call_that_would_go_beyond(
    tmp_path: Path,
) -> None:
    bench = a_paid_bench(tmp_path, counted(call("act", word="a"), 900, 100), turn=1_500)

    outcome = await bench.answer(bench.turn())

    assert (outcome.kind, outcome.failure) == (OutcomeKind.FAILED, Failure.SPENDING)
    assert outcome.ended_by is not None
    assert (outcome.ended_by.scope, outcome.ended_by.spent) == (Scope.TURN, 1_000)
    assert len(bench.models[0].requests) == 1
    assert [met.scope for met in outcome.warnings] == []


async def test_a_restart_does_not_give_a_turn_its_limit_again(tmp_path: Path) -> None:
    bench = a_paid_bench(tmp_path, words("never asked"), turn=1_500)
    turn = bench.turn()
    asked = counted(call("act", word="a"), 900, 500)
    bench.transcripts.record(turn.id, replace(asked, usage=replace(asked.usage, micro_usd=1_400)))

    outcome = await bench.answer(replace(turn, attempt=2, crashes=1))

    assert outcome.failure is Failure.SPENDING
    assert bench.models[0].requests == []


async def test_a_provider_that_counts_nothing_costs_what_was_estimated(tmp_path: Path) -> None:
    bench = a_paid_bench(tmp_path, counted(words("Hello there."), 0, 0))

    outcome = await bench.answer(bench.turn())

    assert outcome.usage.input_tokens == 0
    assert outcome.usage.micro_usd > len("Hello there.")


@pytest.mark.parametrize(
    ("error", "costs"),
    [
        (ModelDisconnected("it broke"), True),
        (ModelDisconnected("it stumbled (500)", refused=True), False),
        (ModelUnavailable("overloaded"), False),
        (KeyExhausted("no money"), False),
    ],
)
async def test_a_call_without_an_answer_costs_the_most_it_may_have_unless_it_was_refused(
    tmp_path: Path, error: ModelError, costs: bool
) -> None:
    def refuse(_: ModelRequest) -> AssistantMessage:
        raise error  # before any word

    bench = a_paid_bench(tmp_path, refuse, counted(words("Hello."), 10, 5))
    bench.models.append(ScriptedModel(counted(words("Hello."), 10, 5)))

    outcome = await bench.answer(bench.turn())

    lost = [e for e in bench.transcripts.entries() if isinstance(e, Unanswered)]
    assert len(lost) == costs
    assert day(bench).micro_usd == 15 + sum(one.usage.micro_usd for one in lost)
    assert outcome.usage.micro_usd == day(bench).micro_usd
    assert all(one.usage.micro_usd > 8_192 for one in lost)


async def test_a_refusal_after_the_first_words_costs_what_they_may_have_cost(
    tmp_path: Path,
) -> None:
    bench = a_paid_bench(tmp_path, ModelUnavailable("overloaded"))

    await bench.answer(bench.turn())

    assert day(bench).micro_usd > 8_192


async def test_failed_calls_that_cost_something_are_still_tried_only_so_often(
    tmp_path: Path,
) -> None:
    bench = a_paid_bench(tmp_path, *[ModelDisconnected("it broke") for _ in range(50)])

    outcome = await bench.answer(bench.turn())

    assert outcome.kind is OutcomeKind.FAILED
    assert len(bench.models[0].requests) == 3


@dataclass
class Endless:
    """A model that begins to answer and never ends."""

    name: str = "endless"
    began: asyncio.Event = field(default_factory=asyncio.Event)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        del request
        yield TextDelta(text="Well")
        self.began.set()
        await asyncio.Event().wait()

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("lost", [False, True])
async def test_a_call_that_was_stopped_is_counted_even_if_its_turn_was_taken_away(
    tmp_path: Path, lost: bool
) -> None:
    bench = a_paid_bench(tmp_path)
    model = Endless()
    bench.models = cast("list[ScriptedModel]", [model])
    turn = bench.turn()
    running = asyncio.ensure_future(bench.ending(turn))
    async with asyncio.timeout(10):
        await model.began.wait()

    bench.transcripts.lost = lost
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    kept = [e for e in bench.transcripts.entries() if isinstance(e, Unanswered)]
    assert (len(kept), len(bench.transcripts.charged)) == ((0, 1) if lost else (1, 0))
    (one,) = kept or bench.transcripts.charged
    assert one.usage.micro_usd == day(bench).micro_usd > 8_192


async def test_a_call_that_died_with_its_process_counts_once_as_the_most_it_may_have_cost(
    tmp_path: Path,
) -> None:
    bench = a_paid_bench(tmp_path, counted(words("Hello."), 10, 5))
    turn = bench.turn()

    outcome = await bench.answer(replace(turn, attempt=2, crashes=1))

    (lost,) = [e for e in bench.transcripts.entries() if isinstance(e, Unanswered)]
    assert lost.lost_attempt == 1
    assert lost.usage.micro_usd > 8_192
    assert outcome.usage.micro_usd == lost.usage.micro_usd + 15 == day(bench).micro_usd


async def test_a_graceful_stop_loses_no_call_and_one_that_is_counted_is_not_counted_again(
    tmp_path: Path,
) -> None:
    stopped = a_paid_bench(tmp_path, counted(words("Hello."), 10, 5))
    await stopped.answer(replace(stopped.turn(), attempt=2, crashes=0))
    assert day(stopped) == Cost(micro_usd=15)

    again = a_paid_bench(tmp_path, counted(words("Hello."), 10, 5))
    turn = again.turn()
    known = Unanswered(model="scripted", usage=Usage(micro_usd=7), lost_attempt=1)
    again.transcripts.record(turn.id, known, attempt=2)
    outcome = await again.answer(replace(turn, attempt=2, crashes=1))
    assert outcome.usage.micro_usd == 7 + 15


async def test_where_models_are_free_nothing_is_written_of_calls_that_failed(
    tmp_path: Path,
) -> None:
    bench = a_bench(tmp_path, ModelDisconnected("it broke"), words("Hello."))
    bench.price = FREE

    await bench.answer(replace(bench.turn(), attempt=2, crashes=1))

    assert [entry.kind for entry in bench.transcripts.entries()] == ["received", "assistant"]


async def test_the_earlier_calls_of_a_turn_teach_how_large_its_next_request_is(
    tmp_path: Path,
) -> None:
    bench = a_paid_bench(tmp_path, counted(call("act", word="a"), 5_000, 1), turn=9_999)

    outcome = await bench.answer(bench.turn())

    assert outcome.failure is Failure.SPENDING
    assert outcome.ended_by is not None
    assert outcome.ended_by.spent == 5_001


async def test_at_four_fifths_the_answer_comes_with_a_warning_and_the_next_without(
    tmp_path: Path,
) -> None:
    bench = a_paid_bench(tmp_path, counted(words("One."), 700, 100), counted(words("Two."), 100, 0))
    bench.purse = Purse(Caps(money={Scope.DAY: 1_000}), bench.clock)

    first = await bench.answer(bench.turn())
    bench.transcripts.record(
        TurnId("other"),
        Received(inbound=a_turn_of(bench).arrival.inbound, rank=a_turn_of(bench).arrival.rank),
    )
    second = await bench.answer(replace(a_turn_of(bench), id=TurnId("other")))

    assert [(met.scope, met.spent) for met in first.warnings] == [(Scope.DAY, 800)]
    assert (second.kind, second.text, second.warnings) == (OutcomeKind.ANSWERED, "Two.", ())


def a_turn_of(bench: AgentBench) -> Turn:
    return AgentBench(root=bench.root, models=[], clock=HastyClock(START)).turn("again")

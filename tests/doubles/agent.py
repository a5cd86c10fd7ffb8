"""An agent alone: a scripted model, tools of the test's making, a transcript in memory."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.agent.answer import Agent
from bot.agent.budget import Limits
from bot.agent.failover import Candidate, Try
from bot.agent.hooks import Hooks, LiveWords, Reading
from bot.agent.lineup import Lineup
from bot.agent.policy import by_rank
from bot.agent.purse import Purse
from bot.context.fold import Fold
from bot.contracts.budget import FREE, Caps, Price
from bot.contracts.messages import ResultState, ToolCall
from bot.contracts.model import ModelRequest, SystemPrompt, ToolOffer
from bot.contracts.tool import Tool, ToolContext
from bot.contracts.transcript import Ending, Received, Recorded
from bot.contracts.turn import Outcome, Turn, TurnState
from tests.doubles.arrivals import an_arrival
from tests.doubles.clock import START, CountingIds, HastyClock
from tests.doubles.memory_approvals import MemoryApprovals
from tests.doubles.scripted_model import ScriptedModel, Step
from tests.doubles.tool_context import a_tool_context
from tests.doubles.transcripts import MemoryTranscripts


class PlainWords:
    """Shows every word at once."""

    def feed(self, piece: str) -> str:
        return piece

    def end(self) -> str:
        return ""


@dataclass
class AgentBench:
    """Runs one turn of an agent and keeps what it told the world."""

    root: Path
    models: list[ScriptedModel]
    tools: Sequence[Tool[Any]] = ()
    limits: Limits = field(default_factory=Limits)
    purse: Purse | None = None
    """None: nothing limits what is spent."""
    price: Price | None = FREE
    clock: HastyClock = field(default_factory=lambda: HastyClock(START))
    transcripts: MemoryTranscripts = field(default_factory=MemoryTranscripts)
    approvals: MemoryApprovals = field(default_factory=MemoryApprovals)
    longest_question: int = 10_000
    """Characters of arguments that a question may show."""
    asked_for: Mapping[str, str] = field(default_factory=dict)
    """The tools that the operator wants asked for, with the rule."""
    words: list[str] = field(default_factory=list)
    news: list[str] = field(default_factory=list)
    joining: list[str] = field(default_factory=list)
    """Texts of messages that wait to be absorbed."""

    def turn(self, text: str = "do it", **changes: Any) -> Turn:  # noqa: ANN401 - fields of Turn
        """A turn that was just taken, its words received."""
        arrival = replace(
            an_arrival(text, turn_id="turn"),
            received_at=START,
            fresh_until=START.replace(day=30, hour=23),
        )
        turn = Turn(id=arrival.turn_id, seq=1, arrival=arrival, state=TurnState.RUNNING, attempt=1)
        self.transcripts.record(turn.id, Received(inbound=arrival.inbound, rank=arrival.rank))
        return replace(turn, **changes)

    async def answer(self, turn: Turn) -> Outcome:
        """Carry *turn* to its end, and record the last words as the end of a turn does."""
        ending = await self.ending(turn)
        self.transcripts.record(turn.id, *ending.words)
        return ending.outcome

    async def ending(self, turn: Turn) -> Ending:
        return await self.agent().answer(turn, self.hooks(turn))

    def agent(self) -> Agent:
        return Agent(
            transcripts=self.transcripts,
            lineup=Lineup([Candidate(model=model, price=self.price) for model in self.models]),
            tools=tuple(self.tools),
            permitted=lambda turn: by_rank(self.tools, turn.arrival.rank),
            build_request=_request,
            tool_context=self._context,
            limits=self.limits,
            purse=self.purse or Purse(Caps(), self.clock),
            clock=self.clock,
            ids=CountingIds(),
            store_epoch=0,
            approvals=self.approvals,
            questions_open_for=timedelta(minutes=10),
            history_turns=lambda _: 100,
        )

    def hooks(self, turn: Turn) -> Hooks:
        async def absorb() -> Sequence[Recorded]:
            waiting, self.joining = self.joining, []
            return self.transcripts.record(
                turn.id,
                *(
                    Received(inbound=an_arrival(text).inbound, rank=turn.arrival.rank)
                    for text in waiting
                ),
            )

        return Hooks(
            absorb=absorb,
            live=_live,
            read=_read,
            words=self.words.append,
            message_made=lambda final: self.news.append("answer" if final else "progress"),
            can_show=lambda question: len(question.call.arguments) < self.longest_question,
            message_dropped=lambda: self.news.append("dropped"),
            attempt_failed=lambda reason: self.news.append(f"failed: {reason}"),
            tool_started=lambda call, _: self.news.append(f"started {call.name}"),
            tool_ended=self._tool_ended,
        )

    def _tool_ended(self, call: ToolCall, state: ResultState) -> None:
        self.news.append(f"ended {call.name}: {state}")

    def _context(self, turn: Turn, call: ToolCall) -> ToolContext:
        return a_tool_context(self.root, call_id=call.id, session_key=turn.session_key)


def a_bench(root: Path, *steps: Step, tools: Sequence[Tool[Any]] = ()) -> AgentBench:
    """A bench with one model that takes *steps*."""
    return AgentBench(root=root, models=[ScriptedModel(*steps)], tools=tools)


async def until(event: asyncio.Event) -> None:
    """Wait for an event of a test, but not for ever."""
    async with asyncio.timeout(10):
        await event.wait()


def _live() -> LiveWords:
    return PlainWords()


def _read(text: str) -> Reading:
    return Reading(visible=text, silent=text.strip() == "[[silent]]")


async def _request(
    turn: Turn, recorded: Sequence[Recorded], tools: Sequence[Tool[Any]], attempt: Try
) -> ModelRequest:
    del turn
    return ModelRequest(
        system=SystemPrompt(stable="You help."),
        messages=Fold(START.tzinfo or _no_zone()).messages(recorded, history=attempt.history),
        tools=tuple(
            ToolOffer(name=t.name, description=t.description, schema=t.parameters.schema())
            for t in tools
        ),
    )


def _no_zone() -> Any:  # noqa: ANN401 - never returns
    raise AssertionError("the start has a zone")

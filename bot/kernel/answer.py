"""What answers a turn: its agent, surrounded by the turn's news and its waiting messages."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from bot.agent.answer import Agent
from bot.agent.hooks import Hooks, LiveWords, Reading
from bot.contracts.approval import Question
from bot.contracts.errors import AgentGone, StoreUnavailable, TurnInterrupted
from bot.contracts.events import (
    AttemptFailed,
    Bus,
    MessageDropped,
    MessageMade,
    ToolEnded,
    ToolStarted,
    WordsCame,
)
from bot.contracts.messages import ResultState, ToolCall
from bot.contracts.session import AgentId
from bot.contracts.store import Turns
from bot.contracts.transcript import Ending, Recorded
from bot.contracts.turn import QueueMode, Turn, Usage
from bot.kernel.absorb import absorb
from bot.reply.directives import Silent, read_directives
from bot.reply.live import LiveText


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Gives each turn to its agent."""

    agents: Mapping[AgentId, Agent]
    turns: Turns
    bus: Bus
    can_show: Callable[[Turn, Question], bool]
    """Whether a question can be shown in full where the turn's answer goes."""

    async def answer(self, turn: Turn) -> Ending:
        """Carry *turn* to its last word.

        Raises:
            AgentGone: its agent is no longer configured; no other one answers in its place.
            TurnInterrupted: it was cut off; with the words that people had seen by then. Whoever
                cut it off knows whether it was a stop.
            BotError: it could not be answered; the sentence says why.
        """
        agent = self.agents.get(turn.arrival.route.agent_id)
        if agent is None:
            raise AgentGone(f"the agent {turn.arrival.route.agent_id!r} is no longer configured")
        news = _TurnNews(turn, self.bus, self.turns, self.can_show)
        try:
            return await agent.answer(turn, news.hooks())
        except asyncio.CancelledError:
            usage = await _spent(agent, turn)
            raise TurnInterrupted("it was stopped", said=news.on_screen, usage=usage) from None


class _TurnNews:
    """What one turn tells the world, and what the world has for it."""

    def __init__(
        self, turn: Turn, bus: Bus, turns: Turns, can_show: Callable[[Turn, Question], bool]
    ) -> None:
        self._can_show = can_show
        self._turn = turn
        self._bus = bus
        self._turns = turns
        self._seen: list[str] = []
        """The words of the message that is being written."""
        self._conversation = turn.arrival.target.conversation_key

    @property
    def on_screen(self) -> str:
        """The visible words of the message that is being written."""
        return "".join(self._seen)

    def hooks(self) -> Hooks:
        return Hooks(
            absorb=self._absorb,
            live=_live_words,
            read=_reading,
            words=self._words,
            message_made=self._message_made,
            message_dropped=self._message_dropped,
            can_show=partial(self._can_show, self._turn),
            attempt_failed=self._attempt_failed,
            tool_started=self._tool_started,
            tool_ended=self._tool_ended,
        )

    async def _absorb(self) -> Sequence[Recorded]:
        return await absorb(self._turn, {QueueMode.STEER}, turns=self._turns, bus=self._bus)

    def _words(self, text: str) -> None:
        self._seen.append(text)
        self._bus.publish(
            WordsCame(conversation=self._conversation, turn_id=self._turn.id, text=text)
        )

    def _message_made(self, final: bool) -> None:
        self._seen.clear()
        self._bus.publish(
            MessageMade(conversation=self._conversation, turn_id=self._turn.id, final=final)
        )

    def _message_dropped(self) -> None:
        self._seen.clear()
        self._bus.publish(MessageDropped(conversation=self._conversation, turn_id=self._turn.id))

    def _attempt_failed(self, reason: str) -> None:
        self._bus.publish(
            AttemptFailed(conversation=self._conversation, turn_id=self._turn.id, reason=reason)
        )

    def _tool_started(self, call: ToolCall, summary: str) -> None:
        self._bus.publish(
            ToolStarted(
                conversation=self._conversation,
                turn_id=self._turn.id,
                call_id=call.id,
                name=call.name,
                summary=summary,
            )
        )

    def _tool_ended(self, call: ToolCall, state: ResultState) -> None:
        self._bus.publish(
            ToolEnded(
                conversation=self._conversation,
                turn_id=self._turn.id,
                call_id=call.id,
                name=call.name,
                state=state,
            )
        )


async def _spent(agent: Agent, turn: Turn) -> Usage:
    try:
        return await agent.spent(turn)
    except StoreUnavailable:
        return Usage()  # it is for eyes: the turn ends all the same


def _live_words() -> LiveWords:
    return LiveText()


def _reading(text: str) -> Reading:
    visible, directives = read_directives(text)
    return Reading(visible=visible, silent=any(isinstance(d, Silent) for d in directives))

"""Carries a turn to its last word: what the record permits, which model, what if it fails."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final

from bot.agent.budget import Budget, Limits
from bot.agent.failover import Failover, Try
from bot.agent.guards import Guards, Kit
from bot.agent.hooks import BuildRequest, Hooks, ToolContextOf
from bot.agent.lineup import Lineup
from bot.agent.loop import Run, last_word, run_loop
from bot.agent.repair import repair
from bot.agent.toolbox import Toolbox
from bot.agent.transcript import LiveTranscript
from bot.agent.verdict import (
    RESUME_WITHIN,
    CallEvidence,
    Evidence,
    Verdict,
    call_evidence,
    in_time,
    unsafe_begun,
    verdict,
)
from bot.contracts.clock import Clock, Ids
from bot.contracts.errors import BudgetSpent, CandidatesExhausted, ModelError, TurnInterrupted
from bot.contracts.extension import NamedHooks
from bot.contracts.messages import AssistantMessage
from bot.contracts.model import ModelRequest
from bot.contracts.store import Transcripts
from bot.contracts.tool import Effect, Tool
from bot.contracts.transcript import Ending
from bot.contracts.turn import Failure, Lane, Outcome, OutcomeKind, Turn

_ENDINGS: Final = {
    Verdict.POISON: (Failure.THREE_CRASHES, "it ended the process three times"),
    Verdict.STALE: (Failure.TOO_LATE, "it was found too late"),
    Verdict.ROLLED_BACK: (Failure.ROLLED_BACK, "the store was rolled back while it ran"),
    Verdict.ABANDON: (Failure.UNKNOWN_EFFECT, "a call has an unknown end and nobody watches"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent: its models, its tools, its limits."""

    transcripts: Transcripts
    lineup: Lineup
    tools: tuple[Tool[Any], ...]
    build_request: BuildRequest
    tool_context: ToolContextOf
    limits: Limits
    clock: Clock
    ids: Ids
    store_epoch: int
    guards: tuple[NamedHooks, ...] = ()
    """Hooks of other packages, which look at every call."""

    async def answer(self, turn: Turn, hooks: Hooks) -> Ending:
        """Carry *turn* to its last word, from wherever the record says it stands.

        Raises:
            TurnInterrupted: a stop was asked for before it began.
            LeaseLost: the turn is somebody else's by now.
        """
        with self.lineup.held():  # from here on, whatever replaces these settings meanwhile
            run = await self._begin(turn, hooks)
            ending = await self._ending(turn, run)
            await run.transcript.flush()
            return ending

    async def _ending(self, turn: Turn, run: Run) -> Ending:
        calls = call_evidence(run.transcript.recorded, turn.id, run.tools.effect)
        ruling = verdict(self._evidence(turn, run.transcript, calls))
        if ruling is Verdict.CANCEL:
            raise TurnInterrupted("it was stopped")
        if isinstance(said := last_word(run), Outcome):
            return Ending(outcome=said)
        if ruling in _ENDINGS:
            failure, reason = _ENDINGS[ruling]
            return _failed(reason, run, failure)
        await repair(calls, run.transcript, run.tools)
        try:
            return await self._try_candidates(turn, run, Failover.over(self.lineup.candidates))
        except BudgetSpent as error:
            return _failed(str(error), run, error.failure)
        except CandidatesExhausted as error:
            return _failed(str(error), run)

    async def _try_candidates(self, turn: Turn, run: Run, failover: Failover) -> Ending:
        while True:
            attempt = failover.current()
            recorded_before = len(run.transcript.of_this_turn)
            request = partial(self._request, turn, run, attempt)
            try:
                outcome = await run_loop(attempt.candidate.model, request, run)
            except ModelError as error:
                self.lineup.note(attempt.candidate, error)
                run.hooks.attempt_failed(str(error))
                if len(run.transcript.of_this_turn) > recorded_before:
                    failover = failover.refreshed()
                failover, wait_seconds = failover.after(error, self.clock.now())
                await self.clock.sleep(wait_seconds)
            else:
                self.lineup.note(attempt.candidate, None)
                return outcome

    async def _request(self, turn: Turn, run: Run, attempt: Try) -> ModelRequest:
        return await self.build_request(turn, run.transcript.recorded, run.tools.offered, attempt)

    async def _begin(self, turn: Turn, hooks: Hooks) -> Run:
        recorded = await self.transcripts.recent(turn.chapter_key)
        transcript = LiveTranscript(self.transcripts, turn, recorded)
        budget = Budget(self.limits, transcript.of_this_turn)
        tools = Toolbox(
            Kit(tools=self.tools, guards=Guards(self.guards, turn)),
            lambda call: self.tool_context(turn, call),
            budget,
            transcript,
            hooks,
            turn.arrival.rank,
        )
        return Run(transcript=transcript, tools=tools, budget=budget, hooks=hooks, ids=self.ids)

    def _evidence(
        self, turn: Turn, transcript: LiveTranscript, calls: tuple[CallEvidence, ...]
    ) -> Evidence:
        now, received_at = self.clock.now(), turn.arrival.received_at
        return Evidence(
            crashes=turn.crashes,
            cancel_asked=turn.cancel_asked,
            same_epoch=turn.epoch == self.store_epoch,
            can_act=any(tool.effect is not Effect.PURE for tool in self.tools),
            attended=turn.arrival.lane is Lane.PEOPLE,
            in_time=in_time(received_at, now, _freshness(turn)),
            resumable=in_time(received_at, now, RESUME_WITHIN),
            has_begun=turn.attempt > 1
            or any(isinstance(entry, AssistantMessage) for entry in transcript.of_this_turn),
            calls=calls,
            unsafe_begun=unsafe_begun(transcript.recorded, turn.id),
        )


def _freshness(turn: Turn) -> timedelta:
    return turn.arrival.fresh_until - turn.arrival.received_at


def _failed(reason: str, run: Run, failure: Failure | None = None) -> Ending:
    return Ending(
        outcome=Outcome(
            kind=OutcomeKind.FAILED, reason=reason, failure=failure, usage=run.transcript.usage()
        )
    )

"""Carries a turn to its last word: what the record permits, which model, what if it fails."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any, Final

from bot.agent.asking import Asking
from bot.agent.budget import Budget, Limits
from bot.agent.estimate import estimate, unanswered
from bot.agent.failover import Candidate, Failover, Try
from bot.agent.guards import Guards, Kit
from bot.agent.hooks import BuildRequest, Hooks, ToolContextOf
from bot.agent.lineup import Lineup
from bot.agent.loop import Run, asked, last_word, run_loop
from bot.agent.lost import lost_attempts
from bot.agent.policy import Permitted
from bot.agent.purse import Purse
from bot.agent.repair import repair
from bot.agent.steps import steps_shown
from bot.agent.toolbox import Bounds, Toolbox
from bot.agent.transcript import LiveTranscript, usage_of
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
from bot.contracts.approval import NOES, Approval, Approvals
from bot.contracts.budget import Cost, LimitMet
from bot.contracts.clock import Clock, Ids
from bot.contracts.errors import (
    BotError,
    BudgetSpent,
    CandidatesExhausted,
    ModelError,
    TurnInterrupted,
)
from bot.contracts.extension import NamedHooks
from bot.contracts.messages import AssistantMessage
from bot.contracts.model import ModelRequest
from bot.contracts.store import Transcripts
from bot.contracts.tool import Effect, Tool
from bot.contracts.transcript import Decided, Ending
from bot.contracts.turn import Failure, Lane, Outcome, OutcomeKind, Turn, Usage

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
    """All there are."""
    permitted: Callable[[Turn], Permitted]
    """Which of them a turn may use."""
    build_request: BuildRequest
    tool_context: ToolContextOf
    limits: Limits
    purse: Purse
    clock: Clock
    ids: Ids
    store_epoch: int
    approvals: Approvals
    questions_open_for: timedelta
    """How long a question waits for a decision; then it is a no."""
    history_turns: Callable[[Turn], int]
    """How many turns of the past a turn sees where nobody chose another number."""
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
            await self._count_lost(turn, run)
            ending = await self._answered(turn, run)
        steps = steps_shown(run.transcript.of_this_turn, turn.choices.verbosity, self.tools)
        return replace(ending, outcome=replace(ending.outcome, steps=steps)) if steps else ending

    async def _answered(self, turn: Turn, run: Run) -> Ending:
        try:
            ending = await self._ending(turn, run)
        except asyncio.CancelledError:
            with suppress(BotError):  # what it did is recorded, as far as anything can be
                await run.transcript.flush()
            raise
        await run.transcript.flush()
        spent = run.transcript.usage().cost + usage_of(ending.words).cost
        warnings = run.purse.warnings(spent)
        if not warnings:
            return ending
        return replace(ending, outcome=replace(ending.outcome, warnings=warnings))

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
        if isinstance(refused := refusal(run), Outcome):
            return Ending(outcome=refused)
        await repair(calls, run.transcript, run.tools)
        if run.tools.asked:
            return asked(run)
        if problem := self.permitted(turn).problem:
            return _failed(problem, run)
        try:
            failover = self._failover(turn, self.lineup.candidates)
            return await self._try_candidates(turn, run, failover)
        except BudgetSpent as error:
            return _failed(str(error), run, error.failure, error.limit)
        except CandidatesExhausted as error:
            return _failed(str(error), run)

    def _failover(self, turn: Turn, candidates: Sequence[Candidate]) -> Failover:
        """Begin with the model that was chosen; it is the first to fail, and not the last."""
        history = turn.choices.history_turns or self.history_turns(turn)
        return Failover.over(candidates, first=turn.choices.model, history=history)

    async def spent(self, turn: Turn) -> Usage:
        """Return what *turn* has used, by what is recorded of it.

        Raises:
            StoreUnavailable: it cannot be read.
        """
        recorded = await self.transcripts.recent(turn.chapter_key)
        return usage_of(one.entry for one in recorded if one.turn_id == turn.id)

    async def _try_candidates(self, turn: Turn, run: Run, failover: Failover) -> Ending:
        while True:
            attempt = failover.current()
            answers_before = run.transcript.usage().model_calls
            request = partial(self._request, turn, run, attempt)
            try:
                outcome = await run_loop(attempt.candidate, request, run)
            except ModelError as error:
                self.lineup.note(attempt.candidate, error)
                run.hooks.attempt_failed(str(error))
                if run.transcript.usage().model_calls > answers_before:
                    failover = failover.refreshed()
                failover, wait_seconds = failover.after(error, self.clock.now())
                await self.clock.sleep(wait_seconds)
            else:
                self.lineup.note(attempt.candidate, None)
                return outcome

    async def _count_lost(self, turn: Turn, run: Run) -> None:
        """Count the calls that ended with their process as the most they may have cost.

        It is not known which model was asked; the dearest counts.
        """
        attempts = lost_attempts(run.transcript.recorded, turn) if turn.crashes else ()
        paid = [c for c in self.lineup.candidates if c.price is None or not c.price.is_free]
        for attempt in attempts if paid else ():
            costs = [await self._most(turn, run, candidate) for candidate in paid]
            name, cost = max(costs, key=lambda one: (one[1].micro_usd, one[1].unpriced_tokens))
            await run.transcript.keep(unanswered(name, cost, attempt))
            run.purse.charge(cost)

    async def _most(self, turn: Turn, run: Run, candidate: Candidate) -> tuple[str, Cost]:
        request = await self._request(turn, run, Try(candidate=candidate))
        expected = estimate(request, candidate.price, run.transcript.of_this_turn)
        return candidate.model.name, expected.most

    async def _request(self, turn: Turn, run: Run, attempt: Try) -> ModelRequest:
        return await self.build_request(turn, run.transcript.recorded, run.tools.offered, attempt)

    async def _begin(self, turn: Turn, hooks: Hooks) -> Run:
        recorded = await self.transcripts.recent(turn.chapter_key)
        transcript = LiveTranscript(self.transcripts, turn, recorded)
        settled = await self._settled(turn, transcript)
        budget = Budget(self.limits, transcript.of_this_turn)
        purse = self.purse.of(turn)
        permitted = self.permitted(turn)
        tools = Toolbox(
            Kit(tools=self.tools, guards=Guards(self.guards, turn)),
            lambda call: self.tool_context(turn, call),
            Bounds(
                budget=budget,
                permitted=permitted,
                asking=Asking(
                    turn=turn,
                    approvals=self.approvals,
                    asked_for=permitted.asked,
                    can_show=hooks.can_show,
                    clock=self.clock,
                    open_for=self.questions_open_for,
                    settled=settled,
                ),
            ),
            transcript,
            hooks,
        )
        return Run(
            transcript=transcript,
            tools=tools,
            budget=budget,
            purse=purse,
            hooks=hooks,
            ids=self.ids,
        )

    async def _settled(self, turn: Turn, transcript: LiveTranscript) -> Approval | None:
        """Return what a person decided, if that opened *turn*; the transcript begins with it."""
        if not turn.arrival.settles:
            return None
        approval = await self.approvals.get(turn.arrival.settles)
        if approval is None or approval.decision is None or approval.decided_in != turn.id:
            return None
        if not any(isinstance(entry, Decided) for entry in transcript.of_this_turn):
            await transcript.keep(
                Decided(
                    code=approval.question.code,
                    call=approval.question.call,
                    decision=approval.decision,
                    by=approval.decided_name or approval.decided_by,
                    noes=approval.noes,
                )
            )
        return approval

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


def refusal(run: Run) -> Outcome | None:
    """End the turn if a person said no for the second time: the model is not to try a third way."""
    noes = [one.noes for one in run.transcript.of_this_turn if isinstance(one, Decided)]
    if max(noes, default=0) < NOES or any(
        isinstance(one, Decided) and one.is_approved for one in run.transcript.of_this_turn
    ):
        return None
    return Outcome(
        kind=OutcomeKind.FAILED,
        reason="a person said no twice",
        failure=Failure.REFUSED_TWICE,
        usage=run.transcript.usage(),
    )


def _failed(
    reason: str, run: Run, failure: Failure | None = None, limit: LimitMet | None = None
) -> Ending:
    return Ending(
        outcome=Outcome(
            kind=OutcomeKind.FAILED,
            reason=reason,
            failure=failure,
            usage=run.transcript.usage(),
            ended_by=limit,
        )
    )

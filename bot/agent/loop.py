"""Model, tools, model, … until it stops asking."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from bot.agent.budget import Budget
from bot.agent.estimate import counted, estimate, unanswered
from bot.agent.failover import Candidate
from bot.agent.hooks import Hooks
from bot.agent.purse import TurnPurse
from bot.agent.terminal import Said, SaidNothing, Unfinished, judge
from bot.agent.toolbox import Toolbox
from bot.agent.transcript import LiveTranscript, usage_of
from bot.contracts import faults
from bot.contracts.approval import Question
from bot.contracts.budget import NOTHING
from bot.contracts.clock import Ids
from bot.contracts.errors import ModelDisconnected, ModelError
from bot.contracts.messages import AssistantMessage, ResultState, ToolResult
from bot.contracts.model import ChatModel, ModelRequest, TextDelta
from bot.contracts.transcript import Ending, Nudge
from bot.contracts.turn import Failure, Outcome, OutcomeKind

_NUDGES: Final = 1
"""How often a turn is told that it stopped too early; then its words are taken as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What stays the same while one turn asks and acts."""

    transcript: LiveTranscript
    tools: Toolbox
    budget: Budget
    purse: TurnPurse
    hooks: Hooks
    ids: Ids


async def run_loop(
    candidate: Candidate, request: Callable[[], Awaitable[ModelRequest]], run: Run
) -> Ending:
    """Ask, act, ask again, until the model has said its last word.

    A message is recorded with the first thing that follows from it, the result of an effect
    before the model is asked again, that of a pure call meanwhile; the last word is left to
    the commit that ends the turn. So this may be left at any point and entered again: it goes
    on from the record, and a last word that is recorded already is not asked for twice.

    Raises:
        ModelError: a model call failed; the transcript holds all that was done.
        BudgetSpent: the turn may do no more, or spend no more.
        LeaseLost: the turn is somebody else's by now.
    """
    while True:
        unfinished = last_word(run)
        if isinstance(unfinished, Outcome):
            run.hooks.message_made(True)
            return Ending(outcome=unfinished)
        if unfinished is not None:
            run.hooks.message_made(False)
            await run.transcript.keep(Nudge(text=unfinished.nudge))
        run.budget.check_model_call()
        assistant = await _paid(candidate, await request(), run)
        # What it is made of; long since on the disk, as a rule.
        await run.transcript.flush(paid=assistant)
        outcome = last_word(run, assistant)
        if isinstance(outcome, Outcome):
            run.hooks.message_made(True)
            return Ending(outcome=outcome, words=(assistant,))
        run.transcript.hold(assistant)
        if assistant.tool_calls:
            run.hooks.message_made(False)
            await run.tools.carry_out(assistant.tool_calls, stop=assistant.stop)
            if run.tools.asked:
                return asked(run)
            if joined := await run.hooks.absorb():
                await run.transcript.flush()
                run.transcript.join(joined)


def last_word(run: Run, said: AssistantMessage | None = None) -> Outcome | Unfinished | None:
    """Say whether the record ends in an answer: an outcome, a message to nudge about, or no.

    With *said* the record is judged as if that stood at its end.
    """
    entries = [*run.transcript.of_this_turn, *([said] if said else ())]
    if not entries or not isinstance(entries[-1], AssistantMessage) or entries[-1].tool_calls:
        return None
    acted = any(isinstance(e, AssistantMessage) and e.tool_calls for e in entries)
    reading = run.hooks.read(entries[-1].text)
    judgement = judge(
        entries[-1],
        visible=reading.visible,
        silent=reading.silent,
        tools=run.tools.names,
        acted=acted,
    )
    usage = usage_of(entries)
    match judgement:
        case Said(text=text):
            return Outcome(kind=OutcomeKind.ANSWERED, text=text, usage=usage)
        case SaidNothing():
            reason = "the model chose to stay silent"
            return Outcome(kind=OutcomeKind.SILENT, reason=reason, usage=usage)
        case Unfinished(text=text, reason=reason):
            if sum(isinstance(e, Nudge) for e in entries) < _NUDGES:
                return judgement
            if text:
                return Outcome(kind=OutcomeKind.ANSWERED, text=text, usage=usage)
            failure = Failure.UNFINISHED if acted else Failure.EMPTY
            return Outcome(kind=OutcomeKind.FAILED, reason=reason, failure=failure, usage=usage)


def asked(run: Run) -> Ending:
    """End the turn with what a person has to decide about; its calls wait for that.

    That they wait is recorded with the questions, in the commit that ends the turn: before it
    a crash leaves calls that never began, which are asked for again under the same names.
    """
    questions = tuple(run.tools.asked)
    return Ending(
        outcome=Outcome(
            kind=OutcomeKind.ASKED,
            reason="a person has to decide",
            reference=" ".join(question.code for question in questions),
            usage=run.transcript.usage(),
        ),
        words=tuple(_waits(question) for question in questions),
        questions=questions,
    )


def _waits(question: Question) -> ToolResult:
    return ToolResult(
        call_id=question.call.id,
        name=question.tool,
        text=f"Not carried out yet: a person is asked, as {question.code}, until "
        f"{question.expires_at:%H:%M %Z}. What they decide comes in a later message of its own, "
        "with the result; if none has come by then, it was refused. Go on with other things "
        "meanwhile, and do not ask for this again.",
        state=ResultState.ASKED,
    )


async def _paid(candidate: Candidate, request: ModelRequest, run: Run) -> AssistantMessage:
    """Make one call within the limits on spending, and count what it cost.

    A call that ended without an answer counts as the most it may have cost, unless the
    provider refused it.
    """
    entries = run.transcript.of_this_turn
    expected = estimate(request, candidate.price, entries)
    held = await run.purse.hold(expected, usage_of(entries).cost)
    began = _Began()
    try:
        assistant = await _ask(candidate.model, request, run, began)
    except BaseException as error:
        refused = isinstance(error, ModelError) and not (error.may_have_cost or began.to_answer)
        lost = NOTHING if refused else expected.most
        held.settle(lost)
        if lost:
            await run.transcript.keep_lost(unanswered(candidate.model.name, lost))
        raise
    assistant = counted(assistant, candidate.price, expected)
    held.settle(assistant.usage.cost)
    return assistant


@dataclass(slots=True)
class _Began:
    """Whether anything of an answer has come."""

    to_answer: bool = False


async def _ask(
    model: ChatModel, request: ModelRequest, run: Run, began: _Began
) -> AssistantMessage:
    """Make one call; its words are shown as they come, and count only once it is complete."""
    live = run.hooks.live()
    assistant: AssistantMessage | None = None
    faults.reach("model.req")
    try:
        async for event in model.stream(request):
            began.to_answer = True
            faults.reach("model.stream")
            if isinstance(event, TextDelta) and (visible := live.feed(event.text)):
                run.hooks.words(visible)
            elif isinstance(event, AssistantMessage):
                assistant = event
    except ModelError:
        run.hooks.message_dropped()
        raise
    if assistant is None:
        run.hooks.message_dropped()
        raise ModelDisconnected(f"{model.name} ended its answer without completing it")
    if rest := live.end():
        run.hooks.words(rest)
    return _with_our_ids(assistant, run.ids)


def _with_our_ids(message: AssistantMessage, ids: Ids) -> AssistantMessage:
    """Name every call ourselves: providers repeat ids, or leave them out."""
    calls = tuple(replace(call, id=f"call{ids.new()}") for call in message.tool_calls)
    return replace(message, tool_calls=calls)

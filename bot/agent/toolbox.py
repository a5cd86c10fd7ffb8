"""Looks a call up, checks it, carries it out. Whatever goes wrong becomes a result."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, assert_never

import structlog

from bot.agent.asking import Asking
from bot.agent.budget import WARNING, Budget, Repetition
from bot.agent.guards import Cleared, Kit
from bot.agent.hooks import Hooks
from bot.agent.policy import Permitted
from bot.agent.transcript import LiveTranscript, to_the_end
from bot.contracts import faults
from bot.contracts.approval import Question
from bot.contracts.errors import BotError, ToolDenied, ToolError
from bot.contracts.messages import ResultState, StopReason, ToolCall, ToolResult
from bot.contracts.tool import Effect, Parameters, Probe, Tool, ToolContext
from bot.contracts.transcript import CallStarted

_log = structlog.get_logger(__name__)

GRACE_SECONDS: Final = 0.8
"""How long a cancelled tool may take to end: TERM, then KILL, and a little. Who wrote /stop is told
within a second, whatever the tool does."""

_CUT_OFF: Final = (
    "Not carried out: your message was cut off at its length limit, so the arguments may be "
    "incomplete. Ask again with less text."
)
_OTHER_THAN_ASKED: Final = (
    "Not carried out: {module} changed the arguments, and what it made of them is not what a "
    "person approved, or would have to be approved first. Tell the person."
)
_TOO_MANY: Final = "Not carried out: the turn has made as many tool calls as it may."
_NEVER_BEGAN: Final = "It was stopped before it began."
_KILLED: Final = "It was stopped before it ended. Part of its effect may have happened."
_UNKNOWN: Final = (
    "It did not end when it was told to; its outcome is unknown and it was not repeated. "
    "Verify before you ask for it again."
)
_REFUSALS: Final = {
    Repetition.DENY: "Not carried out: you asked for exactly this several times, always with the "
    "same result. Do something else, or answer with what you have.",
    Repetition.UNKNOWN_BEFORE: "Not carried out: the same call was started before and its outcome "
    "is unknown. Verify what it did, or ask the person whether to run it again.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """A call that may be carried out."""

    call: ToolCall
    tool: Tool[Any]
    arguments: Parameters
    warning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What the calls of a turn are held to."""

    budget: Budget
    permitted: Permitted
    asking: Asking


class Toolbox:
    """The tools of one turn, for who asked for it.

    A `CallStarted` is recorded before an effect, and a result as soon as it is known: that of
    a pure call, which may be made again, beside what follows. A tool that does not end when it
    is cancelled is left adrift: its call is `unknown`, and nothing it returns later counts.
    """

    def __init__(
        self,
        kit: Kit,
        context: Callable[[ToolCall], ToolContext],
        bounds: Bounds,
        transcript: LiveTranscript,
        hooks: Hooks,
    ) -> None:
        self.asked: list[Question] = []
        """What a person has to be asked before it is carried out; the turn ends with it."""
        self._asking = bounds.asking
        self._tools = {tool.name: tool for tool in kit.tools}
        self._guards = kit.guards
        self._permitted = bounds.permitted
        self._context = context
        self._budget = bounds.budget
        self._transcript = transcript
        self._keep = transcript.keep
        self._hooks = hooks

    @property
    def offered(self) -> tuple[Tool[Any], ...]:
        """The tools the model is told of: those that who asked may have used."""
        return self._permitted.tools

    @property
    def names(self) -> tuple[str, ...]:
        """What may be called."""
        return tuple(tool.name for tool in self.offered)

    def effect(self, name: str) -> Effect:
        """What repeating a call of that tool would do; an unknown tool's is unsafe."""
        tool = self._find(name)
        return tool.effect if tool else Effect.UNSAFE

    async def carry_out(self, calls: Sequence[ToolCall], *, stop: StopReason) -> None:
        """Record exactly one result for each call.

        Calls run side by side unless one of them must run alone. When this is
        cancelled, every call still gets its result before the cancellation goes
        on. What a person has to be asked about has none yet, and stands in `asked`.
        """
        ready: list[_Checked] = []
        affordable = len(calls) - self._budget.tool_calls_over()
        for number, call in enumerate(calls):
            checked: _Checked | Question | ToolResult = self._check(
                call, cut_off=stop is StopReason.LENGTH
            )
            if number >= affordable:
                checked = _result(call, ResultState.DENIED, _TOO_MANY)
            if isinstance(checked, _Checked):
                checked = await self._asked_about(checked, ready, calls[number:])
            if isinstance(checked, ToolResult):
                await self._keep(checked)
            elif isinstance(checked, Question):
                self.asked.append(checked)
            else:
                ready.append(checked)
        one_by_one = any(checked.tool.alone for checked in ready)
        batches = [[checked] for checked in ready] if one_by_one else [ready]
        for done, batch in enumerate(batches, start=1):
            try:
                await self._side_by_side(batch)
            except asyncio.CancelledError:
                for checked in (c for later in batches[done:] for c in later):
                    await self._keep(_result(checked.call, ResultState.KILLED, _NEVER_BEGAN))
                raise

    async def _asked_about(
        self, checked: _Checked, ready: Sequence[_Checked], after: Sequence[ToolCall]
    ) -> _Checked | Question | ToolResult:
        """Return the question that has to be put before the call, its refusal, or the call."""
        call, tool = checked.call, checked.tool
        try:
            answer = await self._asking.about(
                call, tool, checked.arguments, self._context(call), self.asked
            )
        except asyncio.CancelledError:
            for one in (*(c.call for c in ready), *after):
                await self._keep(_result(one, ResultState.KILLED, _NEVER_BEGAN))
            raise
        match answer:
            case None:
                return checked
            case str():
                return _result(call, ResultState.DENIED, answer)
            case Question():
                return answer
            case _:
                assert_never(answer)

    async def probe(self, call: ToolCall) -> Probe:
        """Ask whether a call with an unknown end happened."""
        tool = self._find(call.name)
        if tool is None or tool.probe is None:
            return Probe.UNCLEAR
        try:
            async with asyncio.timeout(tool.timeout_seconds):
                arguments = tool.parameters.parse(self._carried_out(call))
                return await tool.probe(self._context(call), arguments)
        except (BotError, TimeoutError):
            return Probe.UNCLEAR
        except Exception:  # noqa: BLE001 - the log has it whole
            # A broken probe has found nothing out, and the call counts as unknown.
            _log.exception("probe broke", tool=tool.name)
            return Probe.UNCLEAR

    def _carried_out(self, call: ToolCall) -> str:
        """Return the arguments a call was started with: a hook may have changed them."""
        for entry in self._transcript.of_this_turn:
            if isinstance(entry, CallStarted) and entry.call_id == call.id and entry.arguments:
                return entry.arguments
        return call.arguments

    def _find(self, name: str) -> Tool[Any] | None:
        """Find by exact name, else by the only one that differs in case alone."""
        if name in self._tools:
            return self._tools[name]
        alike = [t for n, t in self._tools.items() if n.casefold() == name.strip().casefold()]
        return alike[0] if len(alike) == 1 else None

    def _check(self, call: ToolCall, *, cut_off: bool) -> _Checked | ToolResult:
        if cut_off:
            return _result(call, ResultState.ERROR, _CUT_OFF)
        tool = self._find(call.name)
        if tool is None:
            known = ", ".join(self.names) or "none"
            text = f"There is no tool {call.name!r}. There are: {known}."
            return _result(call, ResultState.ERROR, text)
        if tool.name not in self.names:
            why = self._permitted.refusal(tool.name) or f"{tool.name} is not for this conversation."
            return _result(call, ResultState.DENIED, f"Not carried out: {why}")
        repetition = self._budget.repetition(call)
        if repetition in _REFUSALS:
            return _result(call, ResultState.DENIED, _REFUSALS[repetition])
        try:
            arguments = tool.parameters.parse(call.arguments)
        except ToolError as error:
            return _result(call, ResultState.ERROR, str(error))
        warning = WARNING if repetition is Repetition.WARN else ""
        return _Checked(call=call, tool=tool, arguments=arguments, warning=warning)

    async def _side_by_side(self, batch: Sequence[_Checked]) -> None:
        if len(batch) == 1:
            await self._one(batch[0])
            return
        tasks = [asyncio.create_task(self._one(c), name=f"call {c.tool.name}") for c in batch]
        if not tasks:
            return
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        for task in tasks:
            task.result()

    async def _one(self, checked: _Checked) -> None:
        """Carry one call out and record its result, however it ends."""
        call, tool = checked.call, checked.tool
        try:
            cleared = await self._cleared(checked)
        except asyncio.CancelledError:
            await to_the_end(self._keep(_result(call, ResultState.KILLED, _NEVER_BEGAN)))
            raise
        if cleared is None:
            return
        checked = replace(checked, arguments=cleared.arguments)
        self._hooks.tool_started(call, tool.summarise(checked.arguments))
        settles = self._asking.settles(call)
        if tool.effect is not Effect.PURE or settles:
            started = CallStarted(
                call_id=call.id,
                name=tool.name,
                effect=tool.effect,
                arguments=cleared.ran,
                settles=settles,
            )
            try:
                await self._keep(started)
            except asyncio.CancelledError:
                await self._record(call, _result(call, ResultState.KILLED, _NEVER_BEGAN))
                raise
        faults.reach("tool.exec")
        await self._carried_through(checked, cleared)

    async def _carried_through(self, checked: _Checked, cleared: Cleared) -> None:
        call, tool = checked.call, checked.tool
        work = asyncio.create_task(_run(tool, self._context(call), checked), name=tool.name)
        result: ToolResult | None = None
        try:
            await asyncio.wait({work}, timeout=tool.timeout_seconds)
            if work.done() and not work.cancelled():
                result = work.result()
                result = await self._guards.after(call, tool, cleared, result)
        finally:
            if result is not None and tool.effect is Effect.PURE:
                self._transcript.hold_briefly(result)
                self._hooks.tool_ended(call, result.state)
            else:
                await to_the_end(self._end(work, checked, result))

    async def _cleared(self, checked: _Checked) -> Cleared | None:
        """Ask the hooks of other packages; what they refuse has its result at once."""
        cleared = await self._guards.before(checked.call, checked.tool, checked.arguments)
        if isinstance(cleared, Cleared) and await self._is_unasked(checked, cleared):
            cleared = _OTHER_THAN_ASKED.format(module=cleared.changed_by)
        if isinstance(cleared, Cleared):
            return cleared
        await self._keep(_result(checked.call, ResultState.DENIED, cleared))
        return None

    async def _is_unasked(self, checked: _Checked, cleared: Cleared) -> bool:
        """Whether a hook made of a call what no person approved and one would have to."""
        if cleared.ran is None:
            return False
        changed = replace(checked.call, arguments=cleared.ran)
        if self._asking.settles(checked.call):
            return True
        context = self._context(checked.call)
        return (
            await self._asking.about(changed, checked.tool, cleared.arguments, context, self.asked)
            is not None
        )

    async def _end(
        self, work: "asyncio.Task[ToolResult]", checked: _Checked, result: ToolResult | None
    ) -> None:
        await self._record(checked.call, result or await _ended(work, checked))

    async def _record(self, call: ToolCall, result: ToolResult) -> None:
        await self._keep(result)
        self._hooks.tool_ended(call, result.state)


async def _run(tool: Tool[Any], context: ToolContext, checked: _Checked) -> ToolResult:
    try:
        text = await tool.run(context, checked.arguments)
    except ToolDenied as error:
        return _result(checked.call, ResultState.DENIED, str(error))
    except ToolError as error:
        return _result(checked.call, ResultState.ERROR, str(error) + checked.warning)
    except Exception as error:  # noqa: BLE001 - see below, and the log has it whole
        # A broken tool is a result like any other: the model and the person go on without it.
        _log.exception("tool broke", tool=tool.name)
        broken = f"The tool broke: {type(error).__name__}. This is a fault of the tool."
        return _result(checked.call, ResultState.ERROR, broken)
    return _result(checked.call, ResultState.OK, text + checked.warning)


async def _ended(work: "asyncio.Task[ToolResult]", checked: _Checked) -> ToolResult:
    """Return the result of *work*, ending it first if it is still running."""
    if not work.done():
        work.cancel()
        await asyncio.wait({work}, timeout=GRACE_SECONDS)
    if not work.done():
        _adrift.add(work)
        work.add_done_callback(_adrift.discard)
        return _result(checked.call, ResultState.UNKNOWN, _UNKNOWN)
    if work.cancelled():
        return _result(checked.call, ResultState.KILLED, _KILLED)
    return work.result()


_adrift: Final[set["asyncio.Task[ToolResult]"]] = set()
"""Tools that did not end when they were told to; held so that they are not forgotten half-way."""


def _result(call: ToolCall, state: ResultState, text: str) -> ToolResult:
    return ToolResult(call_id=call.id, name=call.name, text=text, state=state)

"""Hooks of other packages may refuse, change, and fail: a call is never the freer for it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.agent.answer import Agent
from bot.contracts.extension import (
    Allowed,
    Changed,
    NamedHooks,
    Refused,
    Ruling,
    ToolHooks,
    ToolUse,
    UseEnded,
)
from bot.contracts.messages import ResultState, ToolResult
from bot.contracts.tool import Effect, Probe, Tool, ToolContext
from bot.contracts.transcript import CallStarted
from bot.tools.arguments import Arguments
from tests.architecture.pages import page
from tests.doubles.agent import AgentBench
from tests.doubles.scripted_model import ScriptedModel, call, words

Before = Callable[[ToolUse], Awaitable[Ruling]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Send(Arguments):
    """Send something."""

    to: str
    """To whom."""
    times: int = 1
    """How often."""


class Bench(AgentBench):
    """A model that asks for one call of one tool, and hooks that look at it."""

    hooks_given: tuple[NamedHooks, ...] = ()

    def agent(self) -> Agent:
        return replace(super().agent(), guards=self.hooks_given)


class Asked:
    """One call, carried out or not, and all that is recorded of it."""

    def __init__(self, tmp_path: Path, effect: Effect = Effect.UNSAFE) -> None:
        self.sent: list[Send] = []
        self.probed: list[Send] = []
        tool = Tool(
            name="send",
            description="Send something.",
            guidance="",
            effect=effect,
            parameters=Send,
            run=self._run,
            probe=self._probe,
            needs_approval=lambda args, _: "risky" if args.to == "the bank" else None,
        )
        self.model = ScriptedModel(call("send", id="c1", to="ana"), words("done"))
        self.bench = Bench(root=tmp_path, models=[self.model], tools=(tool,))

    async def _run(self, context: ToolContext, args: Send) -> str:
        del context
        self.sent.append(args)
        return "sent, the password is hunter2"

    async def _probe(self, context: ToolContext, args: Send) -> Probe:
        del context
        self.probed.append(args)
        return Probe.DONE

    async def with_hooks(self, *hooks: ToolHooks) -> ToolResult:
        self.bench.hooks_given = tuple(
            NamedHooks(module=f"hook_{number}", hooks=each) for number, each in enumerate(hooks)
        )
        await self.bench.answer(self.bench.turn())
        (result,) = self.entries(ToolResult)
        assert isinstance(result, ToolResult)
        return result

    def entries(self, kind: type) -> list:  # type: ignore[type-arg]  # of whatever kind is asked for
        return [each for each in self.bench.transcripts.entries() if isinstance(each, kind)]


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path)


def before(ruling: object, seconds: float = 5.0) -> ToolHooks:
    async def before_tool(use: ToolUse) -> Ruling:
        assert use.tool == "send"
        if isinstance(ruling, BaseException):
            raise ruling
        return ruling  # type: ignore[return-value]  # also what is no ruling

    return ToolHooks(before_tool=before_tool, seconds=seconds)


async def test_a_call_that_is_allowed_is_carried_out_as_it_was_asked_for(asked: Asked) -> None:
    result = await asked.with_hooks(before(Allowed()))

    assert asked.sent == [Send(to="ana")]
    assert (result.state, result.ran, result.changed_by) == (ResultState.OK, None, "")


async def test_a_refused_call_has_no_effect_and_the_model_hears_why(asked: Asked) -> None:
    result = await asked.with_hooks(before(Refused(reason="not on a Sunday")))

    assert asked.sent == []
    assert result.state is ResultState.DENIED
    assert result.text == "Not carried out: hook_0 refused it: not on a Sunday"
    assert asked.entries(CallStarted) == []


async def test_changed_arguments_are_carried_out_recorded_and_told(asked: Asked) -> None:
    result = await asked.with_hooks(before(Changed(arguments={"to": "bo", "times": "2"})))

    assert asked.sent == [Send(to="bo", times=2)]
    (started,) = asked.entries(CallStarted)
    assert started.arguments == result.ran == '{"to": "bo", "times": "2"}'
    assert "[hook_0 changed the arguments; it was carried out with" in result.text


async def test_the_next_hook_sees_what_the_one_before_it_made_of_the_call(asked: Asked) -> None:
    seen: list[object] = []

    async def before_tool(use: ToolUse) -> Ruling:
        seen.append(dict(use.arguments))
        return Allowed()

    look = ToolHooks(before_tool=before_tool)
    await asked.with_hooks(look, before(Changed(arguments={"to": "bo"})), look)

    assert seen == [{"to": "ana", "times": 1}, {"to": "bo", "times": 1}]


@pytest.mark.parametrize(
    ("hook", "told"),
    [
        (before(ValueError("secret-in-here")), "hook_0, which looks at every call, failed (Value"),
        (before(None), "answered with NoneType, which is no ruling"),
        (before(True), "answered with bool, which is no ruling"),
        (before(Changed(arguments={"to": 1, "by": 2})), "as it changed them they do not fit"),
        (before(Changed(arguments={"to": object()})), "they are no JSON"),
        (before(asyncio.CancelledError()), "gave up"),
    ],
)
async def test_a_hook_that_fails_refuses_the_call(asked: Asked, hook: ToolHooks, told: str) -> None:
    result = await asked.with_hooks(hook)

    assert asked.sent == []
    assert result.state is ResultState.DENIED
    assert told in result.text
    assert "secret-in-here" not in result.text


async def test_a_hook_that_hangs_refuses_the_call_even_if_it_cannot_be_ended(
    asked: Asked,
) -> None:
    released = asyncio.Event()

    async def before_tool(use: ToolUse) -> Ruling:
        del use
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue
        return Allowed()

    result = await asked.with_hooks(ToolHooks(before_tool=before_tool, seconds=0.01))
    released.set()

    assert asked.sent == []
    assert "did not answer within 0.01 seconds" in result.text


async def test_a_result_may_be_rewritten_and_says_by_whom(asked: Asked) -> None:
    async def after_tool(ended: UseEnded) -> str:
        return ended.text.replace("hunter2", "…")

    result = await asked.with_hooks(ToolHooks(after_tool=after_tool))

    assert result.text == "[hook_0 changed this result]\nsent, the password is …"
    assert (result.state, result.changed_by) == (ResultState.OK, "hook_0")


@pytest.mark.parametrize("fault", ["raises", "hangs", "says nothing", "says a number"])
async def test_after_a_hook_that_fails_the_result_stays_as_it_was(asked: Asked, fault: str) -> None:
    async def after_tool(ended: UseEnded) -> str | None:
        del ended
        if fault == "raises":
            raise RuntimeError
        if fault == "hangs":
            await asyncio.Event().wait()
        return 7 if fault == "says a number" else None  # type: ignore[return-value]  # the mistake

    result = await asked.with_hooks(ToolHooks(after_tool=after_tool, seconds=0.01))

    assert (result.state, result.text) == (ResultState.OK, "sent, the password is hunter2")


async def test_the_example_of_the_recipe_refuses_what_its_owner_forbids(asked: Asked) -> None:
    code = next(b.code for b in page("CONTRIBUTING.md").blocks("python") if "FORBIDDEN" in b.code)
    assert len([line for line in code.splitlines() if line.strip()]) <= 15
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102 - our own page
    hooks = names["HOOKS"]
    assert isinstance(hooks, ToolHooks)
    asked.model = ScriptedModel(call("send", id="c1", to="all salaries"), words("done"))
    asked.bench.models = [asked.model]

    assert "nothing about 'salaries'" in (await asked.with_hooks(hooks)).text
    assert asked.sent == []


async def test_after_a_crash_the_probe_looks_for_what_was_really_begun(tmp_path: Path) -> None:
    asked = Asked(tmp_path, Effect.CHECKABLE)
    asked.bench.models = [ScriptedModel(words("done"))]
    turn = asked.bench.turn(attempt=2, crashes=1)
    started = CallStarted(
        call_id="c1", name="send", effect=Effect.CHECKABLE, arguments='{"to": "bo", "times": 2}'
    )
    asked.bench.transcripts.record(turn.id, call("send", id="c1", to="ana"), started)

    await asked.bench.answer(turn)

    assert asked.probed == [Send(to="bo", times=2)]
    assert asked.sent == []


async def test_no_hook_makes_of_a_call_what_a_person_would_have_to_approve(asked: Asked) -> None:
    result = await asked.with_hooks(before(Changed(arguments={"to": "the bank"})))

    assert asked.sent == []
    assert result.state is ResultState.DENIED
    assert "hook_0 changed the arguments" in result.text

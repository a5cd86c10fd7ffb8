"""Lets the hooks of other packages look at a call: what they may do, and what if they fail."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from typing import Any, Final, TypeVar

import structlog

from bot.contracts.errors import ToolError
from bot.contracts.extension import Allowed, Changed, NamedHooks, Refused, ToolUse, UseEnded
from bot.contracts.messages import ToolCall, ToolResult
from bot.contracts.text import clean
from bot.contracts.tool import Parameters, Tool
from bot.contracts.turn import Turn

_log = structlog.get_logger(__name__)

_T = TypeVar("_T")

_REFUSED: Final = "Not carried out: {module} refused it: {reason}"
_FAILED: Final = (
    "Not carried out: {module}, which looks at every call, {how}. Tell the person; whoever runs "
    "the bot finds more in its log."
)
_UNFIT: Final = (
    "Not carried out: {module} changed the arguments, and as it changed them they do not fit: "
    "{fault}"
)
_RAN_AS: Final = "\n\n[{module} changed the arguments; it was carried out with {arguments}]"
_REWRITTEN: Final = "[{module} changed this result]\n{text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """A call that every hook lets through, with the arguments it is carried out with."""

    arguments: Parameters
    ran: str | None = None
    """Their JSON, where a hook changed them."""
    changed_by: str = ""


class Guards:
    """The hooks, for the calls of one turn. They are asked one after the other, in their order."""

    def __init__(self, hooks: Sequence[NamedHooks], turn: Turn) -> None:
        self._hooks = tuple(hooks)
        self._turn = turn

    async def before(self, call: ToolCall, tool: Tool[Any], arguments: Parameters) -> Cleared | str:
        """Return the call as it may be carried out, or why it is not, for the model."""
        cleared = Cleared(arguments=arguments)
        for each in self._hooks:
            if each.hooks.before_tool is None:
                continue
            try:
                use = self._use(call, tool, cleared)
            except (
                ToolError,
                ValueError,
            ) as error:  # not seen, not carried out
                return _FAILED.format(module=each.module, how=f"could not be shown it ({error})")
            asked = await _bounded(each, each.hooks.before_tool, use, "before_tool")
            match asked:
                case _Failed(how=how):
                    return _FAILED.format(module=each.module, how=how)
                case Allowed():
                    pass
                case Refused(reason=reason):
                    return _REFUSED.format(module=each.module, reason=reason)
                case Changed(arguments=changed):
                    again = _parsed(each.module, tool, changed)
                    if isinstance(again, str):
                        return again
                    names = [*filter(None, [cleared.changed_by, each.module])]
                    cleared = replace(again, changed_by=", ".join(dict.fromkeys(names)))
                case _:
                    how = f"answered with {type(asked).__name__}, which is no ruling"
                    _log.error("hook broke", module=each.module, hook="before_tool", how=how)
                    return _FAILED.format(module=each.module, how=how)
        return cleared

    async def after(
        self, call: ToolCall, tool: Tool[Any], cleared: Cleared, result: ToolResult
    ) -> ToolResult:
        """Return *result* as the model is to read it; whoever changed it is named in it."""
        if cleared.ran is not None:
            note = _RAN_AS.format(module=cleared.changed_by, arguments=cleared.ran)
            result = replace(result, text=result.text + note, ran=cleared.ran)
        for each in self._hooks:
            if each.hooks.after_tool is None:
                continue
            ended = UseEnded(
                use=self._use(call, tool, cleared), state=result.state, text=result.text
            )
            text = await _bounded(each, each.hooks.after_tool, ended, "after_tool")
            if isinstance(text, str) and text != result.text:
                shown = _REWRITTEN.format(module=each.module, text=text)
                names = [*filter(None, [result.changed_by, each.module])]
                result = replace(result, text=shown, changed_by=", ".join(dict.fromkeys(names)))
            elif text is not None and not isinstance(text, str | _Failed):
                _log.error("hook broke", module=each.module, hook="after_tool", how="no text")
        return result

    def _use(self, call: ToolCall, tool: Tool[Any], cleared: Cleared) -> ToolUse:
        arrival = self._turn.arrival
        return ToolUse(
            call_id=call.id,
            tool=tool.name,
            effect=tool.effect,
            arguments=_as_carried_out(call, cleared),
            rank=arrival.rank,
            session_key=self._turn.session_key,
            agent_id=arrival.route.agent_id,
            channel=arrival.inbound.channel,
            conversation_id=arrival.inbound.conversation.id,
        )


def _as_carried_out(call: ToolCall, cleared: Cleared) -> Mapping[str, object]:
    """Return the values the tool would really be given, defaults and all; a copy."""
    if is_dataclass(cleared.arguments) and not isinstance(cleared.arguments, type):
        return asdict(cleared.arguments)
    written: object = json.loads(clean(cleared.ran or call.arguments).strip() or "{}")
    if not isinstance(written, dict):
        raise ToolError("the arguments are no object")
    return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """The tools there are, and what looks at every call of one."""

    tools: tuple[Tool[Any], ...]
    guards: Guards


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failed:
    how: str


_Shown = TypeVar("_Shown", ToolUse, UseEnded)


async def _bounded(
    named: NamedHooks, hook: Callable[[_Shown], Awaitable[_T]], shown: _Shown, name: str
) -> _T | _Failed:
    """Ask a hook, for as long as it may take. One that cannot be ended is left to itself."""
    task = asyncio.ensure_future(hook(shown))
    try:
        await asyncio.wait({task}, timeout=named.hooks.seconds)
    finally:
        if not task.done():
            task.cancel()
            _adrift.add(task)
            task.add_done_callback(_adrift.discard)
    if not task.done():
        _log.error("hook took too long", module=named.module, hook=name)
        return _Failed(how=f"did not answer within {named.hooks.seconds:g} seconds")
    if task.cancelled():
        return _Failed(how="gave up")
    if (error := task.exception()) is not None:
        _log.error("hook broke", module=named.module, hook=name, exc_info=error)
        return _Failed(how=f"failed ({type(error).__name__})")
    return task.result()


_adrift: Final[set["asyncio.Future[Any]"]] = set()
"""Hooks that did not end when they were told to; held so that they are not forgotten half-way."""


def _parsed(module: str, tool: Tool[Any], changed: object) -> Cleared | str:
    try:
        ran = json.dumps(changed, ensure_ascii=False, allow_nan=False)
        return Cleared(arguments=tool.parameters.parse(ran), ran=ran)
    except ToolError as error:
        return _UNFIT.format(module=module, fault=error)
    except (TypeError, ValueError) as error:
        return _UNFIT.format(module=module, fault=f"they are no JSON ({error})")

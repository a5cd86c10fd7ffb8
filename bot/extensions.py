"""Opens the modules of `tools.extra`: their tools and hooks, or one sentence on what is wrong."""

import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import structlog

from bot.contracts.errors import ConfigError
from bot.contracts.extension import LONGEST_WAIT, NamedHooks, ToolHooks
from bot.contracts.tool import Effect, Tool
from bot.settings.root import Settings
from bot.settings.tools import ExtraModule
from bot.tools import BUILTIN

_log = structlog.get_logger(__name__)

FOLDER: Final = "extensions"
"""The folder of the state directory in which a module is looked for first."""

_TOOL_NAME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}")
"""What every provider takes as the name of a tool
(https://platform.openai.com/docs/api-reference/chat/create: letters, digits, ``_`` and ``-``, at
most 64)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extensions:
    """What the modules of other packages bring, in the order in which the settings name them."""

    tools: tuple[Tool[Any], ...] = ()
    hooks: tuple[NamedHooks, ...] = ()
    code: tuple[tuple[str, str], ...] = ()
    """Each module with the digest of the source it was imported from."""


_digests: Final[dict[str, str]] = {}
"""The source that each module in this process was imported from. Python imports a module once."""


def load_extensions(settings: Settings, *, taken: Collection[str] = ()) -> Extensions:
    """Import every module of `tools.extra`; names of tools in *taken* are not free.

    Raises:
        ConfigError: one cannot be imported, or what it brings cannot be used.
    """
    names = {tool.name for tool in BUILTIN} | set(taken)
    tools: list[Tool[Any]] = []
    hooks: list[NamedHooks] = []
    code: list[tuple[str, str]] = []
    for number, named in enumerate(settings.modules):
        opening = _Opening(setting=f"tools.extra.{number}", named=named, settings=settings)
        module = opening.module()
        brought = opening.tools_of(module)
        for tool in brought:
            opening.check(tool, names)
            names.add(tool.name)
        tools += brought
        found = opening.hooks_of(module)
        if found is not None:
            hooks.append(NamedHooks(module=named.name, hooks=found))
        if not brought and found is None:
            raise opening.wrong(
                "which has neither a TOOL nor HOOKS",
                "a module with `TOOL = Tool(…)`, `TOOLS = (…, …)` or `HOOKS = ToolHooks(…)`",
            )
        code.append((named.name, _digests[named.name]))
    return Extensions(tools=tuple(tools), hooks=tuple(hooks), code=tuple(code))


def changed_since(extensions: Extensions) -> tuple[str, ...]:
    """Name the modules whose source is another one by now; only a restart imports them again."""
    return tuple(
        name
        for name, digest in extensions.code
        if (module := sys.modules.get(name)) is not None and _digest(_source(module)) != digest
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opening:
    """One module on its way in."""

    setting: str
    named: ExtraModule
    settings: Settings

    def wrong(self, found: str, expected: str) -> ConfigError:
        return ConfigError(
            self.setting, f"{self.named.name!r}, {found}", expected, where=self.named.where
        )

    def module(self) -> ModuleType:
        """Import it from the state directory's folder, or from wherever Python finds it."""
        name, folder = self.named.name, self.settings.home / FOLDER
        self._keep_out_of_reach(folder)
        _look_in(folder)
        if name.partition(".")[0] in _ours() or self._is_hidden(folder):
            raise self.wrong(
                "a name that a module of the bot or of Python has already",
                f"another name for your file in {folder}",
            )
        try:
            module = import_module(name)
        except ModuleNotFoundError as error:
            if error.name and (name == error.name or name.startswith(f"{error.name}.")):
                raise self.wrong(
                    "a module that does not exist",
                    f"{folder / name.replace('.', '/')}.py, or an installed package",
                ) from None
            raise self._broken(error) from error
        except Exception as error:
            raise self._broken(error) from error
        self._keep_out_of_reach(_source(module))
        _digests.setdefault(name, _digest(_source(module)))
        return module

    def _broken(self, error: Exception) -> ConfigError:
        said = " ".join(str(error).split())[:300]
        line = _line_of(error, self.settings.home / FOLDER)
        found = f"which cannot be imported ({type(error).__name__}: {said}{line})"
        return self.wrong(found, "a module that can be imported; mend it, then run `reload`")

    def _is_hidden(self, folder: Path) -> bool:
        """Whether a file of the folder would never be found, because its name is taken."""
        first = self.named.name.partition(".")[0]
        if not ((folder / f"{first}.py").exists() or (folder / first).is_dir()):
            return False
        spec = importlib.util.find_spec(first)
        return spec is None or not str(spec.origin or folder).startswith(str(folder))

    def _keep_out_of_reach(self, file: Path | None) -> None:
        """Refuse code that a model could write: it would run with all that the bot may do."""
        for agent in self.settings.agents.values():
            if file is not None and file.resolve().is_relative_to(agent.workspace.resolve()):
                raise self.wrong(
                    f"whose file {file} is in the workspace, where a model may write",
                    f"a file in {self.settings.home / FOLDER}, or an installed package",
                )

    def tools_of(self, module: ModuleType) -> tuple[Tool[Any], ...]:
        one, several = getattr(module, "TOOL", None), getattr(module, "TOOLS", ())
        if not isinstance(several, tuple | list):
            raise self.wrong("whose TOOLS is no tuple", "`TOOLS = (one, other)`")
        found = (*(() if one is None else (one,)), *several)
        for each in found:
            if not isinstance(each, Tool):
                raise self.wrong(
                    f"whose TOOL is of the type {type(each).__name__}",
                    "a `bot.contracts.tool.Tool`",
                )
        return tuple(found)

    def check(self, tool: Tool[Any], names: Collection[str]) -> None:
        """Refuse a tool that no model could be offered."""
        which = f"whose tool {tool.name!r}"
        if not isinstance(tool.name, str) or not _TOOL_NAME.fullmatch(tool.name):
            expected = (
                "a name of letters, digits, `_` and `-`, at most 64, that begins with a letter"
            )
            raise self.wrong(f"{which} has a name that no provider takes", expected)
        if tool.name.casefold() in {name.casefold() for name in names}:
            raise self.wrong(f"{which} has the name of another tool", "a name of its own")
        if not isinstance(tool.effect, Effect):
            listed = ", ".join(f"Effect.{each.name}" for each in Effect)
            raise self.wrong(f"{which} has the effect {tool.effect!r}", f"one of {listed}")
        if not str(tool.description).strip():
            raise self.wrong(f"{which} has no description", "one sentence on what it does")
        if not 0 < tool.timeout_seconds <= 3600:
            raise self.wrong(f"{which} has a strange time limit", "between 0 and 3,600 seconds")
        try:
            schema = tool.parameters.schema()
            json.dumps(schema, allow_nan=False)
            is_object = schema.get("type") == "object" and hasattr(tool.parameters, "parse")
        except Exception as error:
            said = " ".join(str(error).split())[:200]
            raise self.wrong(
                f"{which} has a schema that cannot be made ({type(error).__name__}: {said})",
                "`parameters` like those of a built-in tool: a frozen dataclass of `Arguments`",
            ) from error
        if not is_object:
            raise self.wrong(
                f"{which} has a schema that is no object",
                '`parameters` whose `schema()` has `"type": "object"` and which can `parse`',
            )

    def hooks_of(self, module: ModuleType) -> ToolHooks | None:
        found = getattr(module, "HOOKS", None)
        if found is None:
            return None
        if not isinstance(found, ToolHooks):
            raise self.wrong(
                f"whose HOOKS is of the type {type(found).__name__}",
                "a `bot.contracts.extension.ToolHooks`",
            )
        for name, each in (("before_tool", found.before_tool), ("after_tool", found.after_tool)):
            if each is not None and not iscoroutinefunction(each):
                raise self.wrong(f"whose {name} is no coroutine", f"`async def {name}(…)`")
        if found.before_tool is None and found.after_tool is None:
            raise self.wrong("whose HOOKS is empty", "a `before_tool`, an `after_tool`, or both")
        if not 0 < found.seconds <= LONGEST_WAIT:
            expected = f"`seconds` above 0 and at most {LONGEST_WAIT:g}"
            raise self.wrong(f"whose HOOKS may take {found.seconds} seconds", expected)
        return found


def _look_in(folder: Path) -> None:
    """Let Python look there, after all other places, so that nothing there hides a library."""
    if folder.is_dir() and str(folder) not in sys.path:
        sys.path.append(str(folder))
    importlib.invalidate_caches()  # a file that was put there a moment ago is found


def _ours() -> frozenset[str]:
    return frozenset({"bot", "channels"}) | sys.stdlib_module_names


def _source(module: ModuleType) -> Path | None:
    return Path(module.__file__) if module.__file__ else None


def _digest(file: Path | None) -> str:
    try:
        return "" if file is None else hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return "gone"


def _line_of(error: Exception, folder: Path) -> str:
    """Return in which line of the folder it broke, as far as that is known."""
    if isinstance(error, SyntaxError):
        return ""  # says it itself
    lines = [frame for frame in _frames(error) if frame[0].startswith(str(folder))]
    return f", {Path(lines[-1][0]).name} line {lines[-1][1]}" if lines else ""


def _frames(error: Exception) -> Iterator[tuple[str, int]]:
    step = error.__traceback__
    while step is not None:
        yield step.tb_frame.f_code.co_filename, step.tb_lineno
        step = step.tb_next


def described(extensions: Extensions) -> Sequence[str]:
    """Say in a line for each module what it brings (pure)."""
    hooked = {each.module for each in extensions.hooks}
    names = ", ".join(tool.name for tool in extensions.tools)
    lines = [f"tools: {names}"] if names else []
    return [*lines, *(f"hooks: {name}" for name in sorted(hooked))]

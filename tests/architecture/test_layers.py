"""Who may import and use what: the layers, and one door for each foreign thing."""

import ast
import logging
import re
from collections.abc import Iterator
from contextlib import chdir
from typing import Final

import pytest
from importlinter.cli import lint_imports

from tests.architecture.source import ROOT, Source, docstrings, dotted, ours

SYSTEM: Final = ("bot/clock.py",)
"""Where time, chance and ids come from; everybody else is given them."""

HOMES: Final = {
    "time": SYSTEM,
    "random": SYSTEM,
    "uuid": ("bot/cli/client.py",),  # a message from the terminal needs an id before any bot
    "secrets": (*SYSTEM, "channels/webchat/auth.py"),  # codes that open the page
    "sqlite3": ("bot/store/sqlite",),
    "aiohttp": ("bot/http", "bot/net", "bot/models", "bot/cli", "channels"),
    "httpx": (),
    "httpx2": (),
    "requests": (),
    "urllib.request": ("bot/net", "bot/models"),
    "http.client": (),
    "subprocess": ("bot/sandbox",),
    "pty": (),
    "multiprocessing": (),
    "yaml": ("bot/settings",),
    "anthropic": ("bot/models/anthropic/listing.py",),  # and the tests measure our wire by it
    "openai": ("bot/models/openai/listing.py",),
    "truststore": ("bot/trust.py",),
    "typer": ("bot/cli",),
    "rich": ("bot/cli",),
}
"""Each module that is a door to the outside, and where it may be imported."""

CALLS: Final = {
    "aiohttp.ClientSession": ("bot/net", "bot/models", "bot/cli/client.py"),
    "asyncio.create_subprocess_exec": ("bot/sandbox",),
    "asyncio.create_subprocess_shell": ("bot/sandbox",),
    "os.system": (),
    "os.popen": (),
    "os.fork": ("bot/sandbox",),
    "datetime.now": SYSTEM,
    "datetime.today": SYSTEM,
    "datetime.utcnow": SYSTEM,
    "date.today": SYSTEM,
    "os.urandom": (),
}
"""Calls that reach outside, and where they may stand."""

STARTS_PROGRAMS: Final = re.compile(r"os\.(?:exec|spawn|posix_spawn)\w*")
SQL: Final = re.compile(
    r"^\s*(?:SELECT\b.+\bFROM\b|INSERT\s+(?:OR\s+\w+\s+)?INTO\b|UPDATE\s+\w+\s+SET\b"
    r"|DELETE\s+FROM\b|CREATE\s+(?:TABLE|INDEX|UNIQUE|TRIGGER)\b|PRAGMA\s+\w)",
    re.DOTALL,
)


@pytest.fixture
def loggers_left_as_they_were() -> Iterator[None]:
    """import-linter sets up logging for itself, and with that switches off every other logger."""
    known = logging.getLogger().manager.loggerDict.values()
    loggers = [logger for logger in known if isinstance(logger, logging.Logger)]
    before = [(logger, logger.disabled) for logger in loggers]
    yield
    for logger, disabled in before:
        logger.disabled = disabled


@pytest.mark.usefixtures("loggers_left_as_they_were")
def test_the_layers_of_the_pyproject_hold(capsys: pytest.CaptureFixture[str]) -> None:
    with chdir(ROOT):
        broken = lint_imports(no_cache=True, no_logo=True)

    assert not broken, capsys.readouterr().out


@pytest.mark.parametrize("module", HOMES)
def test_a_door_to_the_outside_is_imported_only_at_its_home(module: str) -> None:
    strangers = [
        f"{source.at(node)} imports {name}"
        for source in ours()
        if not source.is_in(*HOMES[module])
        for name, node in source.imports()
        if f"{name}.".startswith(f"{module}.")
    ]

    assert not strangers, f"{module} belongs to {HOMES[module] or 'nobody'}: {strangers}"


def test_only_the_settings_read_the_environment() -> None:
    readers = [
        source.at(node)
        for source in ours()
        if not source.is_in("bot/settings")
        for node in ast.walk(source.tree)
        if (isinstance(node, ast.Attribute) and dotted(node) in {"os.environ", "os.environb"})
        or (isinstance(node, ast.Call) and dotted(node.func) in {"os.getenv", "getenv"})
        or (isinstance(node, ast.ImportFrom) and _takes_environ(node))
    ]

    assert not readers


def _takes_environ(node: ast.ImportFrom) -> bool:
    return node.module == "os" and any(a.name in {"environ", "getenv"} for a in node.names)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_reaches_outside_stands_only_at_its_home(name: str) -> None:
    strangers = [
        source.at(call)
        for source in ours()
        if not source.is_in(*CALLS[name])
        for call in _calls(source)
        if f".{dotted(call.func)}".endswith(f".{name}")
    ]

    assert not strangers, f"{name} belongs to {CALLS[name] or 'nobody'}: {strangers}"


def test_only_the_sandbox_starts_programs_and_nobody_a_shell() -> None:
    found = [
        source.at(call)
        for source in ours()
        for call in _calls(source)
        if (STARTS_PROGRAMS.fullmatch(dotted(call.func)) and not source.is_in("bot/sandbox"))
        or any(keyword.arg == "shell" and _is_true(keyword.value) for keyword in call.keywords)
    ]

    assert not found


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def test_whoever_starts_a_task_keeps_it() -> None:
    """A task nobody holds may be collected half-way, and its error is told to nobody."""
    forgotten = [
        source.at(statement)
        for source in ours()
        for name, function in source.functions()
        for statement in ast.walk(function)
        if isinstance(statement, ast.Expr) and _starts_task(statement.value, _groups(function))
    ]

    assert not forgotten


def _starts_task(node: ast.expr, groups: set[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    owner, _, name = dotted(node.func).rpartition(".")
    return name in {"create_task", "ensure_future"} and owner not in groups


def _groups(function: ast.AST) -> set[str]:
    """Return the names of the task groups opened in *function*: they keep their tasks."""
    return {
        item.optional_vars.id
        for node in ast.walk(function)
        if isinstance(node, ast.AsyncWith)
        for item in node.items
        if isinstance(item.context_expr, ast.Call)
        and dotted(item.context_expr.func) == "asyncio.TaskGroup"
        and isinstance(item.optional_vars, ast.Name)
    }


def test_sql_stands_only_in_the_store() -> None:
    found = [
        source.at(node)
        for source in ours()
        if not source.is_in("bot/store/sqlite")
        for node in _strings(source)
        if isinstance(node.value, str) and SQL.match(node.value)
    ]

    assert not found


def _strings(source: Source) -> Iterator[ast.Constant]:
    prose = docstrings(source.tree)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and id(node) not in prose:
            yield node


def _calls(source: Source) -> Iterator[ast.Call]:
    return (node for node in ast.walk(source.tree) if isinstance(node, ast.Call))

"""Small enough to read: files, functions, and how many may be long."""

import ast
from collections.abc import Iterator
from typing import Final

from tests.architecture.source import ROOT, Function, docstrings, ours

FILE_AT_MOST: Final = 500
FILE_LONG: Final = 350
FILES_LONG_AT_MOST: Final = 0.02
FUNCTION_AT_MOST: Final = 60
FUNCTION_LONG: Final = 25
FUNCTIONS_LONG_AT_MOST: Final = 0.1

WRITTEN: Final = {".py", ".js", ".css", ".html", ".sql", ".toml"}


def test_no_file_is_longer_than_one_can_hold_in_mind() -> None:
    too_long = {path: count for path, count in _files() if count > FILE_AT_MOST}

    assert not too_long


def test_hardly_any_file_is_long() -> None:
    files = dict(_files())
    long = {path: count for path, count in files.items() if count > FILE_LONG}

    assert len(long) <= len(files) * FILES_LONG_AT_MOST, long


def test_no_function_is_longer_than_a_screen() -> None:
    too_long = {name: count for name, count in _functions() if count > FUNCTION_AT_MOST}

    assert not too_long


def test_most_functions_are_short() -> None:
    functions = dict(_functions())
    long = {name: count for name, count in functions.items() if count > FUNCTION_LONG}

    assert len(long) <= len(functions) * FUNCTIONS_LONG_AT_MOST, long


def _files() -> Iterator[tuple[str, int]]:
    for folder in ("bot", "channels"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in WRITTEN:
                yield path.relative_to(ROOT).as_posix(), len(path.read_text("utf-8").splitlines())


def _functions() -> Iterator[tuple[str, int]]:
    for source in ours():
        prose = docstrings(source.tree)
        for name, function in source.functions():
            yield f"{source.at(function)} {name}", _lines(function, prose)


def _lines(function: Function, prose: set[int]) -> int:
    """Count the lines of *function* without its docstring."""
    first = getattr(function.body[0], "value", None)
    said = _span(function.body[0]) if first is not None and id(first) in prose else 0
    return _span(function) - said


def _span(node: Function | ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1

"""The source as the architecture tests see it: files, their syntax trees, and named places."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One Python file."""

    path: str
    """From the root, with ``/``."""
    text: str
    tree: ast.Module

    def __str__(self) -> str:
        return self.path

    def is_in(self, *folders: str) -> bool:
        """Whether it is one of *folders*, which may be files, or below one."""
        return any(self.path == f or self.path.startswith(f"{f}/") for f in folders)

    def at(self, node: ast.stmt | ast.expr | ast.excepthandler | ast.arg) -> str:
        """Say where *node* is, as an editor understands it."""
        return f"{self.path}:{node.lineno}"

    def definitions(self) -> Iterator[tuple[str, Definition]]:
        """Give every class and function with its dotted name in the file."""
        yield from _definitions(self.tree, "")

    def functions(self) -> Iterator[tuple[str, Function]]:
        """Give every function and method with its dotted name in the file."""
        for name, node in self.definitions():
            if isinstance(node, Function):
                yield name, node

    def comments(self, pattern: str) -> Iterator[tuple[int, str]]:
        """Give every comment that holds *pattern*, with its line; a string is no comment."""
        if not re.search(pattern, self.text):
            return
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.COMMENT and re.search(pattern, token.string):
                yield token.start[0], token.string

    def imports(self) -> Iterator[tuple[str, ast.stmt]]:
        """Give the dotted name of every module, or name in a module, that is imported."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((alias.name, node) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield from ((f"{node.module}.{alias.name}", node) for alias in node.names)


@cache
def sources(*folders: str) -> tuple[Source, ...]:
    """Read every Python file below *folders*, sorted; a file may be named itself."""
    return tuple(
        Source(path=path.relative_to(ROOT).as_posix(), text=text, tree=ast.parse(text))
        for folder in folders
        for path in _python(ROOT / folder)
        for text in [path.read_text("utf-8")]
    )


def ours() -> tuple[Source, ...]:
    """Return what is installed: the bot and its channels."""
    return sources("bot", "channels")


def everything() -> tuple[Source, ...]:
    """Return what is installed and what tests it."""
    return sources("bot", "channels", "tests")


def packages(folder: str) -> list[str]:
    """Return the packages directly below *folder*, sorted, by their path from the root."""
    return sorted(
        init.parent.relative_to(ROOT).as_posix() for init in (ROOT / folder).glob("*/__init__.py")
    )


def dotted(node: ast.expr) -> str:
    """Return ``a.b.c`` for a chain of names, and nothing for anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr) if before := dotted(value):
            return f"{before}.{attr}"
        case _:
            return ""


def docstrings(tree: ast.AST) -> set[int]:
    """Return the identity of every docstring's node: of a definition, and of a field."""
    return {
        id(node.value)
        for parent in ast.walk(tree)
        if isinstance(parent, Definition | ast.Module)
        for node in parent.body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def _python(place: Path) -> list[Path]:
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


def _definitions(parent: ast.AST, prefix: str) -> Iterator[tuple[str, Definition]]:
    for node in ast.iter_child_nodes(parent):
        name = prefix
        if isinstance(node, Definition):
            name = f"{prefix}{node.name}"
            yield name, node
            name += "."
        yield from _definitions(node, name)

"""The fault points: each one is in the code, and every write of a turn's life has its own."""

import ast
from collections.abc import Iterator
from typing import Final

from bot.contracts.faults import COMMIT_POINTS, PLAIN_POINTS
from tests.architecture.source import Source, dotted, ours

WRITES: Final = {"open", "take", "absorb", "append", "finish", "lease", "settle"}
"""The store verbs that move a turn or a delivery on."""

ELSEWHERE: Final = {
    "bot/kernel/intake.py Intake._accepted": "the queue was full and nothing was written yet: "
    "a crash here is a crash at in.commit:before",
}
"""Writes outside a commit point, each with the reason why that loses nothing to the tests."""


def test_every_commit_point_stands_around_something() -> None:
    assert _names("commit") == set(COMMIT_POINTS)


def test_every_plain_point_stands_somewhere() -> None:
    assert _names("reach") == set(PLAIN_POINTS)


def test_a_write_of_a_turns_life_stands_between_its_two_points() -> None:
    bare = {
        f"{source.path} {name}": source.at(write)
        for source in ours()
        if source.is_in("bot/kernel", "bot/agent", "bot/delivery")
        for name, function in source.functions()
        for write in _bare_writes(function)
    }

    assert bare.keys() == ELSEWHERE.keys(), bare


def _names(verb: str) -> set[str]:
    """Collect the names given to ``faults.commit`` or ``faults.reach`` anywhere."""
    return {
        name
        for source in ours()
        if not source.is_in("bot/contracts/faults.py")
        for call in ast.walk(source.tree)
        if isinstance(call, ast.Call) and dotted(call.func) == f"faults.{verb}"
        for name in _said(call.args[0], source)
    }


def _said(argument: ast.expr, source: Source) -> Iterator[str]:
    """Give the strings of *argument*, and of the constants of the file that it names."""
    constants = {
        target.id: node.value
        for node in source.tree.body
        if isinstance(node, ast.AnnAssign) and node.value is not None
        for target in [node.target]
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(argument):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Name) and node.id in constants:
            yield from _said(constants[node.id], source)


def _bare_writes(function: ast.AST) -> Iterator[ast.expr]:
    """Give the awaited store verbs in *function* that no ``with faults.commit`` encloses."""
    for node in ast.iter_child_nodes(function):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue  # it is asked for itself
        if isinstance(node, ast.With) and any(_is_commit(item) for item in node.items):
            continue
        if isinstance(node, ast.Await) and _is_write(node.value):
            yield node
        yield from _bare_writes(node)


def _is_commit(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and dotted(call.func) == "faults.commit"


def _is_write(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in WRITES
        and not dotted(node.func).endswith("hooks.absorb")  # it ends in the kernel's own absorb
    )

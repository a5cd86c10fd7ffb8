"""What the pages claim of tests is true: each that is named exists, and no row is without one."""

import ast
import re
from typing import Final

import pytest

from tests.architecture.pages import Page, page, pages
from tests.architecture.source import ROOT

SECURITY: Final = page("docs/security.md")
ROWS: Final = [
    *(f"L{n}" for n in range(1, 16)),
    *(f"M{n}" for n in range(1, 7)),
    *(f"S{n}" for n in range(1, 9)),
    *(f"G{n}" for n in range(1, 10)),
    "K5",
    "W1",
    "W2",
    "W3",
    "W7",
    "O1",
    "O2",
    "O5",
    "O6",
]
"""Those whose target exists or was promised; a later issue adds its own."""

_NODE: Final = re.compile(r"(?P<file>tests/[\w./-]+\.py)::(?P<name>[\w:]+)")


def _exists(file: str, name: str) -> bool:
    body: list[ast.stmt] = ast.parse((ROOT / file).read_text("utf-8")).body
    for part in name.split("::"):
        found = [
            node
            for node in body
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.name == part
        ]
        if not found:
            return False
        body = found[0].body
    return True


def _cells(row: str) -> list[str]:
    """Return row, claim, test and twin as the table of the page has them."""
    lines = [line for line in SECURITY.text.splitlines() if line.startswith(f"| {row} |")]
    assert len(lines) == 1, f"{row} stands on {len(lines)} lines"
    return [cell.strip() for cell in lines[0].strip("|").split("|")]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.path)
def test_every_test_a_page_names_is_there(page: Page) -> None:
    named = [found for code in page.code() for found in _NODE.finditer(code)]

    assert [found[0] for found in named if not _exists(found["file"], found["name"])] == []


@pytest.mark.parametrize("row", ROWS)
def test_a_denied_attack_has_its_test_and_its_twin_or_no_target_yet(row: str) -> None:
    _, claim, shown_by, twin = _cells(row)

    assert claim
    if not shown_by.startswith("no target yet: "):
        assert _NODE.search(shown_by)
        assert _NODE.search(twin) or twin.startswith("the same ")

"""The sheets of the page do not reach into each other: a class belongs to one of them."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[3] / "channels" / "webchat" / "static"
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SELECTORS = re.compile(r"(?:^|[{};])\s*([^{};@]+)(?=\{)")
_BARE = re.compile(r"(\.[a-z][\w-]*)(?::.*)?")
"""A class that nothing stands before or behind, so that it is met anywhere on the page."""


def _classes(sheet: str) -> set[str]:
    """Name every class that a sheet styles wherever it stands."""
    selectors = (
        one.strip()
        for found in _SELECTORS.findall(_COMMENT.sub("", sheet))
        for one in re.split(r",(?![^(]*\))", found)
    )
    return {found[1] for one in selectors if (found := _BARE.fullmatch(one))}


def test_a_class_is_styled_by_one_sheet() -> None:
    sheets = defaultdict(set)
    for file in STATIC.glob("*.css"):
        for name in _classes(file.read_text()):
            sheets[name].add(file.name)
    shared = {name: sorted(files) for name, files in sheets.items() if len(files) > 1}

    assert {name: files for name, files in shared.items() if "states.css" not in files} == {}


@pytest.mark.parametrize(
    ("sheet", "classes"),
    [
        (".a { x: y } .b .c { x: y } p .d { x: y }", {".a"}),
        (".a,\n.b::before { x: y }", {".a", ".b"}),
        ("@media (x) { .a { x: y } }", {".a"}),
        (":is(.a, .b) { x: y } /* .c { } */", set()),
    ],
)
def test_which_classes_a_sheet_styles(sheet: str, classes: set[str]) -> None:
    assert _classes(sheet) == classes

"""The walkthrough is true: what it names is there, and a message really takes that way."""

import re
from dataclasses import dataclass
from typing import Final

import pytest

from tests.architecture.journey import MESSAGE, journey
from tests.architecture.pages import page
from tests.architecture.source import ROOT, ours, sources

WALKTHROUGH: Final = page("docs/walkthrough.md")
STEPS_AT_LEAST: Final = 20

_FILE: Final = re.compile(r"`((?:bot|channels)/[\w/]+\.py)`")
_FUNCTION: Final = re.compile(r"`([A-Za-z_][\w.]*)(?:\([^`]*\))?`")
_CALL: Final = re.compile(r"([A-Za-z_][\w.]*)\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One numbered row of the table: where, and what is called there."""

    file: str
    names: tuple[str, ...]


def _steps() -> list[Step]:
    rows = (line.split("|") for line in WALKTHROUGH.prose.splitlines() if line.startswith("|"))
    return [
        Step(file=file[1], names=tuple(_FUNCTION.findall(row[3])))
        for row in rows
        if row[1].strip().isdigit() and (file := _FILE.fullmatch(row[2].strip()))
    ]


STEPS: Final = _steps()


def test_the_journey_is_told_in_full() -> None:
    assert len(STEPS) >= STEPS_AT_LEAST


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step.file} {step.names[:1]}")
def test_what_a_step_names_is_in_its_file(step: Step) -> None:
    there = {name for source in sources(step.file) for name, _ in source.definitions()}

    assert step.names
    assert there.issuperset(step.names), f"not in {step.file}: {set(step.names) - there}"


def test_whatever_the_page_calls_is_defined_somewhere() -> None:
    there = {name for source in ours() for name, _ in source.definitions()}
    last = {name.rpartition(".")[2] for name in there} | {"isinstance"}
    called = {name for code in WALKTHROUGH.code() for name in _CALL.findall(code)}

    unknown = {name for name in called if name not in there and name not in last}

    assert not unknown


def test_the_page_names_only_files_that_are_there() -> None:
    named = _FILE.findall(WALKTHROUGH.prose)

    assert [file for file in named if not (ROOT / file).is_file()] == []


async def test_a_message_takes_every_step_in_this_order() -> None:
    ended, entered = await journey()

    assert ended.outcome == "answered", ended.reason
    assert MESSAGE in WALKTHROUGH.text
    left = iter(entered)
    assert [step for step in STEPS if (step.file, step.names[0]) not in left] == []

from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from bot.contracts.errors import ToolError
from bot.tools.arguments import Arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Brew(Arguments):
    """Brew tea."""

    leaf: str
    """Which tea."""
    cups: Annotated[int, Field(ge=1)] = 1
    """How many."""
    strong: bool = False
    """Whether to wait longer."""
    degrees: float = 95.0
    """How hot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest(Arguments):
    """Do nothing."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            '{"leaf": "green"}', Brew(leaf="green"), id="what is left out has its default"
        ),
        pytest.param(
            '{"leaf": "green", "cups": "3"}', Brew(leaf="green", cups=3), id="a number as text"
        ),
        pytest.param(
            '{"leaf": "green", "cups": 3.0}', Brew(leaf="green", cups=3), id="a whole float"
        ),
        pytest.param(
            '{"leaf": "green", "strong": "true"}',
            Brew(leaf="green", strong=True),
            id="true as text",
        ),
        pytest.param(
            '{"leaf": "green", "strong": "false"}', Brew(leaf="green"), id="false as text"
        ),
        pytest.param(
            '{"leaf": "green", "degrees": "70.5"}',
            Brew(leaf="green", degrees=70.5),
            id="a fraction as text",
        ),
        pytest.param(
            '{"leaf": "green", "cups": null}', Brew(leaf="green"), id="null means the default"
        ),
        pytest.param(' {"leaf": "绿茶"}\n', Brew(leaf="绿茶"), id="white space around"),
    ],
)
def test_what_a_model_writes_is_read(text: str, expected: Brew) -> None:
    assert Brew.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("{}", "- leaf: it is required", id="nothing"),
        pytest.param(
            '{"leaf": null}',
            "- leaf: Input should be a valid string (received null)",
            id="a required null",
        ),
        pytest.param('{"leaf": "x", "cups": "many"}', '(received "many")', id="no number"),
        pytest.param(
            '{"leaf": "x", "cups": 0}',
            "- cups: Input should be greater than or equal to 1",
            id="too few",
        ),
        pytest.param(
            '{"leaf": "x", "sugar": 2}',
            "- sugar: no such argument; there are: leaf, cups, strong, degrees",
            id="unknown",
        ),
        pytest.param('{"leaf": "x"', "not valid JSON", id="cut off"),
        pytest.param('{"leaf": "x"} and', "not valid JSON", id="words behind"),
        pytest.param('{"degrees": NaN}', "not valid JSON", id="not a number"),
        pytest.param("[" * 100_000, "not valid JSON", id="very deep"),
        pytest.param('{"leaf": "\\ud800"}', "not valid JSON", id="half a character"),
        pytest.param('["green"]', "must be a JSON object", id="a list"),
    ],
)
def test_what_does_not_fit_is_told_per_path(text: str, said: str) -> None:
    with pytest.raises(ToolError) as refusal:
        Brew.parse(text)

    assert said in str(refusal.value)


def test_every_fault_is_told_at_once() -> None:
    with pytest.raises(ToolError) as refusal:
        Brew.parse('{"cups": "x", "strong": "perhaps", "sugar": 1}')

    assert [line.split(":")[0] for line in str(refusal.value).splitlines()[1:]] == [
        "- leaf",
        "- cups",
        "- strong",
        "- sugar",
    ]


def test_a_long_wrong_value_is_not_told_back_whole() -> None:
    with pytest.raises(ToolError) as refusal:
        Brew.parse('{"leaf": "x", "cups": "%s"}' % ("y" * 10_000))

    assert len(str(refusal.value)) < 500


@pytest.mark.parametrize("text", ["", "  ", "{}"])
def test_no_text_means_no_arguments(text: str) -> None:
    assert Rest.parse(text) == Rest()


def test_half_a_character_in_the_text_itself_is_replaced() -> None:
    assert Brew.parse('{"leaf": "\ud800"}') == Brew(leaf="\ufffd")


@given(st.text())
def test_no_text_breaks_the_door(text: str) -> None:
    with suppress(ToolError):
        assert isinstance(Brew.parse(text), Brew)

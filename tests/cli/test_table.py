"""Rows a script can cut, and that no stranger's words can bend."""

from collections import Counter
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bot.cli.table import fitting, lay_out, one_line, show, widths

ROWS = [("turn", "received", "text"), ("0" * 26, "2026-11-30 17:42:55", "读" * 15)]


def test_a_pipe_gets_tabs_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    show(("a", "b"), [("1", "two words"), ("3", "[bold]x[/bold]")], nothing="none")

    assert capsys.readouterr().out == "1\ttwo words\n3\t[bold]x[/bold]\n"


def test_no_rows_are_said_beside_a_pipe_and_not_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    show(("a",), [], nothing="none")

    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "none\n")


def test_a_cell_stays_in_its_cell(capsys: pytest.CaptureFixture[str]) -> None:
    show(("a", "b"), [("x\ty\nz", "\x1b[2J\u202eevil")], nothing="none")

    assert capsys.readouterr().out == "x y z\t[2J evil\n"
    assert one_line("a\r\n\x00b") == "a b"


@pytest.mark.parametrize(
    ("room", "shared"), [(99, [26, 19, 30]), (79, [26, 19, 30]), (73, [26, 19, 24]), (72, None)]
)
def test_where_a_line_is_narrow_only_the_last_column_gets_less(
    room: int, shared: list[int] | None
) -> None:
    assert widths(ROWS, room) == shared


@pytest.mark.parametrize(("room", "fit"), [(79, 3), (78, 2), (47, 2), (46, 1), (5, 1)])
def test_what_fits_side_by_side_is_counted_and_the_first_always_does(room: int, fit: int) -> None:
    assert fitting(ROWS, room) == fit


WORDS = st.text(st.sampled_from("ab读 [].x"), max_size=40).map(one_line)


@given(
    lines=st.lists(st.lists(WORDS, min_size=4, max_size=4), min_size=1, max_size=4),
    room=st.integers(20, 130),
)
def test_on_a_terminal_of_any_width_nothing_of_a_row_is_cut(
    lines: list[list[str]], room: int
) -> None:
    told = StringIO()
    lay_out(("one", "two", "three", "four"), lines, Console(file=told, width=room))

    shown = Counter("".join(told.getvalue().split()))
    for line in lines:
        for letter, count in Counter("".join("".join(line).split())).items():
            assert shown[letter] >= count
    assert "…" not in shown


@pytest.mark.parametrize("width", [40, 80, 120])
def test_what_other_commands_ask_for_can_be_copied_whole(width: int) -> None:
    turn, session = "06f7m3x1q8s5t0v2w4y6z8a1c3", f"agent:main:webchat:thread:{'0d9c1a52-' * 9}"
    told = StringIO()
    lay_out(
        ("turn", "state", "session", "text"),
        [(turn, "finished", session, "what now?")],
        Console(file=told, width=width),
    )

    assert turn in told.getvalue()
    assert session in told.getvalue()


@pytest.mark.parametrize("width", [80, 200])
def test_a_console_without_colours_gets_none(width: int) -> None:
    told = StringIO()
    console = Console(file=told, width=width, force_terminal=True, no_color=True)
    lay_out(("a", "b"), [("1", "x" * 90)], console)

    assert "\x1b[3" not in told.getvalue()

"""Rows a script can cut, and that no stranger's words can bend."""

import pytest

from bot.cli.table import one_line, show, widths


def test_a_pipe_gets_tabs_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    show(("a", "b"), [("1", "two words"), ("3", "[bold]x[/bold]")], nothing="none")

    assert capsys.readouterr().out == "1\ttwo words\n3\t[bold]x[/bold]\n"


def test_no_rows_are_no_output(capsys: pytest.CaptureFixture[str]) -> None:
    show(("a",), [], nothing="none")

    assert capsys.readouterr().out == ""


def test_a_cell_stays_in_its_cell(capsys: pytest.CaptureFixture[str]) -> None:
    show(("a", "b"), [("x\ty\nz", "\x1b[2J\u202eevil")], nothing="none")

    assert capsys.readouterr().out == "x y z\t[2J evil\n"
    assert one_line("a\r\n\x00b") == "a b"


@pytest.mark.parametrize(
    ("room", "shared"),
    [
        (99, [26, 19, 30]),
        (60, [26, 19, 11]),
        (50, [26, 11, 9]),
        (40, [26, 9, 1]),
        (20, [26, 1, 1]),
    ],
)
def test_where_a_line_is_narrow_the_first_column_is_the_last_to_be_cut(
    room: int, shared: list[int]
) -> None:
    rows = [("turn", "received", "text"), ("0" * 26, "2026-11-30 17:42:55", "读" * 15)]

    assert widths(rows, room) == shared

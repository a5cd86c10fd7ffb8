"""Rows a script can cut, and that no stranger's words can bend."""

import pytest

from bot.cli.table import one_line, show


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

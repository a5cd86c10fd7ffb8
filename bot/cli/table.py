"""Rows for eyes on a terminal, and the same rows with tabs for whatever reads a pipe."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")

_GAP: Final = 1
_BETWEEN: Final = 2 * _GAP
"""What Rich puts between two columns: the padding, and the place of a line that this box lacks."""
_LEAST: Final = 24
"""Cells of the last column that still tell what it is about: four or five words."""
_INDENT: Final = 4


def show(columns: Sequence[str], rows: Iterable[Sequence[str]], *, nothing: str) -> None:
    """Print *rows* under *columns*; where there are none, *nothing* is said to whoever looks.

    A pipe gets rows and nothing else, so there it is said beside it.
    """
    lines = [[one_line(cell) for cell in row] for row in rows]
    to_eyes = sys.stdout.isatty()
    if not lines:
        (sys.stdout if to_eyes else sys.stderr).write(f"{nothing}\n")
    elif to_eyes:
        lay_out(columns, lines, Console())
    else:
        for line in lines:
            sys.stdout.write("\t".join(line) + "\n")


def lay_out(columns: Sequence[str], lines: Sequence[Sequence[str]], console: Console) -> None:
    """Print a table whose last column may take several lines, if *console* is wide enough.

    Where it is not, the columns that do not fit stand below their row, each with its name.
    Nothing is cut: it is what other commands ask for.
    """
    room = console.width
    shared = widths([columns, *lines], room)
    if shared is not None:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP, 0, 0))
        for name, width in zip(columns, shared, strict=True):
            table.add_column(name, width=width, overflow="fold")
        for line in lines:
            table.add_row(*map(Text, line))
        console.print(table)
        return
    fit = fitting([columns, *lines], room)
    sizes = [max(map(cell_len, column)) for column in zip(*[columns, *lines], strict=True)][:fit]
    console.print(Text(_side_by_side(columns, sizes), style="bold"), soft_wrap=True)
    for line in lines:
        console.print(Text(_side_by_side(line, sizes)), soft_wrap=True)
        for below in _flowing(columns[fit:], line[fit:], room - _INDENT):
            if max(map(cell_len, below.plain.split())) > room - _INDENT:
                # The terminal breaks a long key by itself, so that it can be copied whole.
                console.print(Text(" " * _INDENT).append_text(below), soft_wrap=True)
            else:
                console.print(Padding(below, (0, 0, 0, _INDENT), expand=False))


def widths(rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Share *room* cells among the columns of *rows*; None if that is too little (pure).

    Only the last one may get less than it needs.
    """
    found = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    over = sum(found) + _BETWEEN * (len(found) - 1) - room
    if over > 0:
        found[-1] -= over
        if found[-1] < _LEAST:
            return None
    return found


def fitting(rows: Sequence[Sequence[str]], room: int) -> int:
    """Return how many of the first columns fit side by side, at least one (pure)."""
    used, fit = -_BETWEEN, 0
    for column in zip(*rows, strict=True):
        used += _BETWEEN + max(map(cell_len, column))
        if used > room:
            break
        fit += 1
    return max(1, fit)


def _side_by_side(cells: Sequence[str], sizes: Sequence[int]) -> str:
    padded = (
        cell + " " * (size - cell_len(cell) + _BETWEEN)
        for cell, size in zip(cells, sizes, strict=False)
    )
    return "".join(padded).rstrip()


def _flowing(names: Sequence[str], cells: Sequence[str], room: int) -> Iterator[Text]:
    """Put what has a value on as few lines as its names and values need."""
    line = Text()
    for name, cell in zip(names, cells, strict=True):
        if not cell:
            continue
        pair = Text.assemble((f"{name}:", "dim"), " ", cell)
        if line and line.cell_len + _BETWEEN + pair.cell_len > room:
            yield line
            line = Text()
        line = Text("  ").join([line, pair]) if line else pair
    if line:
        yield line


def one_line(text: str) -> str:
    """Make *text* fit on a line and unable to steer a terminal (pure)."""
    return _UNPRINTABLE.sub(" ", text).strip()


def local(moment: datetime | None) -> str:
    """Write a moment in the time of this machine (pure, but for its zone)."""
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")

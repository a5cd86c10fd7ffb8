"""Rows for eyes on a terminal, and the same rows with tabs for whatever reads a pipe."""

import re
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")

_GAP: Final = 1
_BETWEEN: Final = 2 * _GAP
"""What Rich puts between two columns: the padding, and the place of a line that this box lacks."""
_NARROWEST: Final = 9
"""Cells a column keeps while another has more: a state or an outcome fits whole."""


def show(columns: Sequence[str], rows: Iterable[Sequence[str]], *, nothing: str) -> None:
    """Print *rows* under *columns*; *nothing* is said on a terminal when there are none.

    On a terminal a row is one line. Where that is too narrow, the last column is cut first and
    the first one last: it is what other commands ask for.
    """
    lines = [[one_line(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for line in lines:
            sys.stdout.write("\t".join(line) + "\n")
        return
    if not lines:
        sys.stdout.write(f"{nothing}\n")
        return
    console = Console()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP, 0, 0))
    for name, width in zip(columns, widths([columns, *lines], console.width), strict=True):
        table.add_column(name, width=width, no_wrap=True)
    for line in lines:
        table.add_row(*(Text(cell, overflow="ellipsis") for cell in line))
    console.print(table)


def widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Share *room*, the cells of a line, among the columns of *rows* (pure)."""
    found = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    over = sum(found) + _BETWEEN * (len(found) - 1) - room
    for narrowest in (_NARROWEST, 1):
        for column in range(len(found) - 1, 0, -1):
            given = max(0, min(over, found[column] - narrowest))
            found[column] -= given
            over -= given
    return found


def one_line(text: str) -> str:
    """Make *text* fit on a line and unable to steer a terminal (pure)."""
    return _UNPRINTABLE.sub(" ", text).strip()


def local(moment: datetime | None) -> str:
    """Write a moment in the time of this machine (pure, but for its zone)."""
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")

"""Rows for eyes on a terminal, and the same rows with tabs for whatever reads a pipe."""

import re
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def show(columns: Sequence[str], rows: Iterable[Sequence[str]], *, nothing: str) -> None:
    """Print *rows* under *columns*; *nothing* is said on a terminal when there are none."""
    lines = [[one_line(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for line in lines:
            sys.stdout.write("\t".join(line) + "\n")
        return
    if not lines:
        sys.stdout.write(f"{nothing}\n")
        return
    table = Table(*columns, box=box.SIMPLE, pad_edge=False)
    for line in lines:
        table.add_row(*(Text(cell, overflow="ellipsis") for cell in line))
    Console().print(table)


def one_line(text: str) -> str:
    """Make *text* fit on a line and unable to steer a terminal (pure)."""
    return _UNPRINTABLE.sub(" ", text).strip()


def local(moment: datetime | None) -> str:
    """Write a moment in the time of this machine (pure, but for its zone)."""
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")

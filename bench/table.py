"""What the bench found, as rows of one table and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measure. *beside* is the floor's value, or that of what the row's name says."""

    name: str
    unit: str
    bot: float
    beside: float | None = None
    aim: str = ""
    """What the project aims at, in the terms of the row."""
    times: bool = True
    """Whether one divided by the other means anything."""

    @property
    def ratio(self) -> float | None:
        """How many times the value beside it."""
        return self.bot / self.beside if self.beside and self.times else None


def table(rows: Sequence[Row]) -> Table:
    """Lay the rows out for a terminal."""
    laid = Table("measure", box=None, pad_edge=False)
    for title in ("beside", "bot", "unit", "ratio", "aim"):
        laid.add_column(title, justify="left" if title in {"unit", "aim"} else "right")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.1f}x"
        beside = "" if row.beside is None else _number(row.beside)
        laid.add_row(row.name, beside, _number(row.bot), row.unit, ratio, row.aim)
    return laid


def as_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Return the rows for a file."""
    return [{**asdict(row), "ratio": row.ratio} for row in rows]


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"

"""Named fault points: nothing in production, a plan in tests and in the drill.

A commit point stands around a store verb (``tool.start:before`` and
``tool.start:after``); a plain point stands where an outside effect begins or
ends. A plan is a function that is told the name of each point reached; it may
raise, or end the process.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

COMMIT_POINTS: Final = (
    "in.commit",
    "run.start",
    "run.absorb",
    "model.commit",
    "tool.start",
    "tool.commit",
    "run.finish",
    "approval.expire",
    "ob.start",
    "ob.receipt",
)
"""T1 accept, T2 start, (absorb), T3 think, T4 begin effect, T5 end effect, T6 finish,
T7 begin send, T8 end send."""

PLAIN_POINTS: Final = (
    "in.recv",
    "model.req",
    "model.stream",
    "tool.exec",
    "ob.net",
    "recover",
)

POINTS: Final = (
    *PLAIN_POINTS,
    *(f"{name}:{side}" for name in COMMIT_POINTS for side in ("before", "after")),
)
"""Every fault point there is. A test fails for one that is never reached."""

Plan = Callable[[str], None]

_plan: Plan | None = None


def install(plan: Plan | None) -> None:
    """Make *plan* hear of every point reached from now on; None ends it."""
    global _plan  # noqa: PLW0603 - the one switch of the one seam that has no owner to pass it
    _plan = plan


def reach(point: str) -> None:
    """Say that *point* was reached. Without a plan this is one comparison."""
    if _plan is not None:
        _plan(point)


@contextmanager
def commit(*names: str) -> Iterator[None]:
    """Stand around one store verb: ``<name>:before``, the verb, ``<name>:after``.

    What one commit holds of several kinds has a name for each.
    """
    for name in names:
        reach(f"{name}:before")
    yield
    for name in names:
        reach(f"{name}:after")

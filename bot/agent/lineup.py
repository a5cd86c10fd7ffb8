"""The models of now: replaced while turns run, and closed when the last turn that has them ends."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from bot.agent.failover import Candidate
from bot.contracts.errors import ModelError, Remedy

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Group:
    """Candidates that came together, and how many turns have begun with them."""

    candidates: tuple[Candidate, ...]
    turns: int = 0
    troubles: dict[str, ModelError] = field(default_factory=dict)
    """What each failed with last, if it has not answered since."""


class Lineup:
    """Who is asked, in which order. Keep one for as long as the agent lives, and close it."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._group = _Group(tuple(candidates))
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Those that the next turn begins with."""
        return self._group.candidates

    @property
    def troubles(self) -> tuple[ModelError, ...]:
        """What those of now failed with last, as far as somebody must act on it."""
        return tuple(self._group.troubles.values())

    def note(self, candidate: Candidate, error: ModelError | None) -> None:
        """Remember how the latest call of *candidate* ended; None is well.

        A stumble, or a request that was too long or wrong, says nothing of the model.
        """
        if candidate not in self._group.candidates:
            return
        if error is None:
            self._group.troubles.pop(candidate.model.name, None)
        elif error.remedy in {Remedy.ROTATE_KEY, Remedy.NEXT_MODEL}:
            self._group.troubles[candidate.model.name] = error

    @contextmanager
    def held(self) -> Iterator[tuple[Candidate, ...]]:
        """Give the candidates of now to one turn, which keeps them to its end."""
        group = self._group
        group.turns += 1
        try:
            yield group.candidates
        finally:
            group.turns -= 1
            self._let_go(group)

    def replace(self, candidates: Sequence[Candidate]) -> None:
        """Let the next turn begin with *candidates*; those of before are closed once unused."""
        before, self._group = self._group, _Group(tuple(candidates))
        self._let_go(before)

    async def close(self) -> None:
        """Close every model that was ever here and is still open."""
        await _close(self._group.candidates)
        await asyncio.gather(*self._closing)

    def _let_go(self, group: _Group) -> None:
        if group is self._group or group.turns:
            return
        closing = asyncio.create_task(_close(group.candidates), name="close models")
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)


async def _close(candidates: Sequence[Candidate]) -> None:
    """Close each; what one of them fails with keeps no other open."""
    ends = await asyncio.gather(*(one.model.close() for one in candidates), return_exceptions=True)
    for candidate, error in zip(candidates, ends, strict=True):
        if isinstance(error, Exception):
            _log.error("model not closed", model=candidate.model.name, exc_info=error)

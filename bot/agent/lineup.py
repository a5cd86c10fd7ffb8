"""The models an agent asks: once retired, they are closed when the last turn that has them ends."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import structlog

from bot.agent.failover import Candidate
from bot.contracts.errors import ModelError, Remedy

_log = structlog.get_logger(__name__)


class Lineup:
    """Who is asked, in which order. It never changes: other models are another lineup.

    Whoever made it closes it, or retires it and lets the turns that have it end first.
    """

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates = tuple(candidates)
        self._turns = 0
        self._closed = False
        self._troubles: dict[str, ModelError] = {}
        self._unused = asyncio.Event()
        self._unused.set()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The models, in the order in which they are tried."""
        return self._candidates

    @property
    def troubles(self) -> tuple[ModelError, ...]:
        """What each failed with last, as far as somebody must act on it."""
        return tuple(self._troubles.values())

    def note(self, candidate: Candidate, error: ModelError | None) -> None:
        """Remember how the latest call of *candidate* ended; None is well.

        A stumble, or a request that was too long or wrong, says nothing of the model.
        """
        if error is None:
            self._troubles.pop(candidate.model.name, None)
        elif error.remedy in {Remedy.ROTATE_KEY, Remedy.NEXT_MODEL}:
            self._troubles[candidate.model.name] = error

    @contextmanager
    def held(self) -> Iterator[tuple[Candidate, ...]]:
        """Give the candidates to one turn, which keeps them to its end, retired or not."""
        self._turns += 1
        self._unused.clear()
        try:
            yield self._candidates
        finally:
            self._turns -= 1
            if not self._turns:
                self._unused.set()

    async def retire(self) -> None:
        """Close the models once no turn has them any more."""
        await self._unused.wait()
        await self.close()

    async def close(self) -> None:
        """Close every model now; a second time does nothing."""
        if not self._closed:
            self._closed = True
            await _close(self._candidates)


async def _close(candidates: Sequence[Candidate]) -> None:
    """Close each; what one of them fails with keeps no other open."""
    ends = await asyncio.gather(*(one.model.close() for one in candidates), return_exceptions=True)
    for candidate, error in zip(candidates, ends, strict=True):
        if isinstance(error, Exception):
            _log.error("model not closed", model=candidate.model.name, exc_info=error)

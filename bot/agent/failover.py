"""The next thing to try after a failed model call, by its remedy. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, assert_never

from bot.contracts.budget import Price
from bot.contracts.errors import (
    CandidatesExhausted,
    KeyExhausted,
    ModelDisconnected,
    ModelError,
    Remedy,
)
from bot.contracts.model import ChatModel

_RETRIES: Final = 2
_BACKOFF_SECONDS: Final = (1.0, 3.0)
_LONGEST_WAIT_SECONDS: Final = 20.0
"""A server that asks for more than this is left for the next candidate."""
HISTORY_STEPS: Final = (100, 25, 5, 1)
"""How many earlier turns the model sees: fewer each time a request did not fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A model to try, with its key."""

    model: ChatModel
    max_output: int = 8192
    price: Price | None = None
    """None where it is not known: its tokens are limited instead of its money."""
    name: str = ""
    """The model's name in the settings; empty: it has none beside the provider's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """What to try now."""

    candidate: Candidate
    history: int = HISTORY_STEPS[0]
    """How many turns of the session it may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failover:
    """Where we are among the candidates, and what was tried. A value: `after` gives the next."""

    candidates: tuple[Candidate, ...]
    history: tuple[int, ...] = HISTORY_STEPS
    """How many turns the model sees, and how many when that did not fit."""
    index: int = 0
    retries: int = 0
    trims: int = 0
    causes: tuple[str, ...] = ()

    @classmethod
    def over(
        cls,
        candidates: Sequence[Candidate],
        *,
        first: str | None = None,
        history: int | None = None,
    ) -> "Failover":
        """Begin with those called *first*, then the others in order; *history* turns are seen."""
        chosen = [one for one in candidates if first and first in {one.name, one.model.name}]
        others = [one for one in candidates if one not in chosen]
        most = HISTORY_STEPS[0] if history is None else history
        fewer = (step for step in HISTORY_STEPS[1:] if step < most)
        return cls(candidates=(*chosen, *others), history=(most, *fewer))

    def refreshed(self) -> "Failover":
        """Forgive earlier retries: a call has succeeded since."""
        return replace(self, retries=0)

    def current(self) -> Try:
        """Return what to try now.

        Raises:
            CandidatesExhausted: nothing is left; it names every cause, in order.
        """
        if self.index >= len(self.candidates):
            raise CandidatesExhausted("; ".join(self.causes) or "no model is configured")
        return Try(
            candidate=self.candidates[self.index],
            history=self.history[self.trims],
        )

    def after(self, error: ModelError, now: datetime) -> tuple["Failover", float]:
        """Return the next state and the seconds to wait before it."""
        if isinstance(error, KeyExhausted) and (rest := self._short_rest(error, now)) is not None:
            return replace(self, retries=self.retries + 1), rest
        match error.remedy:
            case Remedy.RETRY:
                return self._retry(error)
            case Remedy.COMPACT:
                if self.trims + 1 < len(self.history):
                    return replace(self, trims=self.trims + 1), 0.0
                return self._next(error), 0.0
            case Remedy.ROTATE_KEY | Remedy.NEXT_MODEL:
                return self._next(error), 0.0
            case Remedy.GIVE_UP:
                return replace(self._next(error), index=len(self.candidates)), 0.0
            case _:
                assert_never(error.remedy)

    def _short_rest(self, error: KeyExhausted, now: datetime) -> float | None:
        """Say how long the last candidate's key must rest, if that is worth waiting for."""
        last = self.index == len(self.candidates) - 1
        if error.spent or error.until is None or not last or self.retries >= _RETRIES:
            return None
        seconds = max((error.until - now).total_seconds(), 0.0)
        return seconds if seconds <= _LONGEST_WAIT_SECONDS else None

    def _retry(self, error: ModelError) -> tuple["Failover", float]:
        asked = error.retry_after if isinstance(error, ModelDisconnected) else None
        if self.retries >= _RETRIES or (asked or 0.0) > _LONGEST_WAIT_SECONDS:
            return self._next(error), 0.0
        wait = _BACKOFF_SECONDS[self.retries] if asked is None else asked
        return replace(self, retries=self.retries + 1), wait

    def _next(self, error: ModelError) -> "Failover":
        name = self.candidates[self.index].model.name
        return replace(
            self,
            index=self.index + 1,
            retries=0,
            causes=(*self.causes, f"{name}: {error}"),
        )

"""The words of the WebSocket about what a person has to decide."""

from dataclasses import dataclass
from typing import Literal

QuestionWord = Literal["asked", "approved", "carried_out", "refused", "expired", "withdrawn"]
"""How far a question is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedChoice:
    """A button: what stands on it, and what pressing it says."""

    label: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCard:
    """How a question stands that a person has to decide about."""

    code: str
    state: QuestionWord = "asked"
    until: str | None = None
    """When it expires."""
    decision: Literal["once", "always", "no"] | None = None
    by: str | None = None
    """Who decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFrame:
    """A question that is on the screen stands differently now."""

    question: QuestionCard
    type: Literal["question"] = "question"

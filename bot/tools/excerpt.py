"""What of a long text a model gets to see."""

from typing import Final

OUTPUT_LIMIT: Final = 16_000
"""Characters of one result. More would crowd the conversation out of the model's window."""


def cut_middle(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """Leave out the middle of a text that is too long, and say how much (pure).

    The result has at most *limit* characters, the mark included.
    """
    if len(text) <= limit:
        return text
    mark = f"\n[… {len(text) - limit:,} characters and more left out …]\n"
    room = max(limit - len(mark), 0)
    head = room - room // 2
    return text[:head] + mark + text[len(text) - room // 2 :]


def cut_end(text: str, limit: int) -> str:
    """Shorten one line for a list or a title (pure)."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"

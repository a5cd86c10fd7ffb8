"""Words on their way to a terminal, which takes some characters for orders."""

import re
from typing import Final

_ORDERS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""The control characters but tab and newline: with them a text could move the cursor, change
the title or fake what was said before (ECMA-48, C0 and C1)."""


def printable(text: str) -> str:
    """Drop what a terminal would obey (pure)."""
    return _ORDERS.sub("", text)

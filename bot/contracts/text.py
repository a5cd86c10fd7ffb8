"""Text as it crosses a door."""

import re
from typing import Final

_SURROGATES: Final = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Replace lone surrogates by U+FFFD, so that no codec behind the door meets one (pure)."""
    return _SURROGATES.sub("\ufffd", text)

"""What a test that failed has left running."""

import os
import signal
from contextlib import suppress

ALIVE: set[int] = set()
"""The processes that were started and have not been seen to end."""


def end_leftovers() -> None:
    """End them."""
    for pid in ALIVE:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    ALIVE.clear()

"""A bug's way out: one sentence for the person, the traceback for whoever mends it."""

import io
import logging
import sys
import traceback

from bot import log
from bot.contracts.errors import ConfigError
from bot.contracts.secret import mask
from bot.settings import home_folder


def report(error: BaseException, *, debug: bool) -> None:
    """Say that *error* was not expected; with *debug* show its traceback, else log it."""
    place = None if debug else _logged(error)
    if place is None:
        sys.stderr.write(mask("".join(traceback.format_exception(error))))
        place = "above"
    name = type(error).__name__
    sys.stderr.write(f"stonechat: stopped by an error in the program ({name}); see {place}\n")


def _logged(error: BaseException) -> str | None:
    """Write the traceback to the log file, and return its name; None if that cannot be done."""
    try:
        home = home_folder()
        if not home.is_dir():
            return None
        log.configure(terminal=io.StringIO(), colours=False, logs=home / "logs")
    except (ConfigError, OSError):
        return None
    logging.getLogger("bot.cli").critical("stopped by an error in the program", exc_info=error)
    return str(home / "logs" / log.LOG_FILE)

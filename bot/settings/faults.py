"""A fault plan from the environment: ``STONECHAT_FAULT="tool.start:after@2=kill"``, for tests.

The parts are a fault point, which time it is reached (1 if left out), and what happens
then: ``kill`` ends the process as SIGKILL does, ``raise`` is an error nobody expects,
``hang`` never returns. Several are separated by commas.
"""

import os
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, NoReturn

from bot.contracts.errors import ConfigError
from bot.contracts.faults import POINTS, Plan
from bot.settings.section import one_of

VARIABLE: Final = "STONECHAT_FAULT"
_PART: Final = re.compile(r"(?P<point>[^@=]+?)(?:@(?P<times>[1-9][0-9]{0,6}))?=(?P<action>\w+)")


class FaultPlanned(Exception):
    """Nobody: what ``raise`` raises. It is no `BotError`, because a bug would be none."""


def _kill() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("SIGKILL returned")


def _hang() -> None:
    threading.Event().wait()


def _raise() -> NoReturn:
    raise FaultPlanned("raised by the fault plan")


_ACTIONS: Final[Mapping[str, Callable[[], None]]] = {"kill": _kill, "raise": _raise, "hang": _hang}


def fault_plan(environ: Mapping[str, str] | None = None) -> Plan | None:
    """Read the plan, for `bot.contracts.faults.install`; None if there is none.

    Raises:
        ConfigError: it is not of this form, or ``STONECHAT_ENV`` is ``production``.
    """
    environ = os.environ if environ is None else environ
    written = environ.get(VARIABLE, "").strip()
    if not written:
        return None
    if environ.get("STONECHAT_ENV") == "production":
        raise ConfigError(VARIABLE, "a plan while STONECHAT_ENV is production", "no fault plan")
    planned = dict(_part(part.strip()) for part in written.split(","))
    reached: Counter[str] = Counter()
    lock = threading.Lock()

    def plan(point: str) -> None:
        with lock:
            reached[point] += 1
            action = planned.get((point, reached[point]))
        if action is not None:
            action()

    return plan


def _part(written: str) -> tuple[tuple[str, int], Callable[[], None]]:
    match = _PART.fullmatch(written)
    if match is None:
        raise ConfigError(VARIABLE, repr(written), "point@times=action, as tool.start:after@2=kill")
    if match["point"] not in POINTS:
        raise ConfigError(VARIABLE, f"the point {match['point']!r}", one_of(POINTS, match["point"]))
    if match["action"] not in _ACTIONS:
        found = f"the action {match['action']!r}"
        raise ConfigError(VARIABLE, found, one_of(_ACTIONS, match["action"]))
    return (match["point"], int(match["times"] or 1)), _ACTIONS[match["action"]]

"""A fault plan does what was written at the time that was written, and only in tests."""

import os
import signal
import subprocess
import sys

import pytest

from bot.contracts.errors import ConfigError
from bot.settings.faults import FaultPlanned, fault_plan


def test_without_a_plan_there_is_none() -> None:
    assert fault_plan({}) is None
    assert fault_plan({"STONECHAT_FAULT": " "}) is None


def test_a_fault_happens_the_time_it_is_planned_for_and_once() -> None:
    plan = fault_plan({"STONECHAT_FAULT": "tool.start:after@2=raise, ob.net=raise"})
    assert plan is not None

    plan("tool.start:after")
    plan("tool.start:before")
    with pytest.raises(FaultPlanned):
        plan("tool.start:after")
    plan("tool.start:after")
    with pytest.raises(FaultPlanned):
        plan("ob.net")


def test_kill_ends_the_process_as_a_power_cut_would() -> None:
    program = (
        "import atexit; from bot.settings.faults import fault_plan;"
        "atexit.register(print, 'said goodbye');"
        "fault_plan({'STONECHAT_FAULT': 'ob.net=kill'})('ob.net'); print('still here')"
    )
    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", program], capture_output=True, check=False, env=dict(os.environ)
    )

    assert ended.returncode == -signal.SIGKILL
    assert ended.stdout == b""


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("tool.strat:after=kill", "did you mean 'tool.start:after'?"),
        ("in.commit=kill", "the point 'in.commit'"),
        ("ob.net=kil", "did you mean 'kill'?"),
        ("ob.net", "point@times=action"),
        ("ob.net@0=kill", "point@times=action"),
        ("ob.net@x=kill", "point@times=action"),
        ("ob.net=kill,", "point@times=action"),
    ],
)
def test_a_plan_that_cannot_be_read_is_refused(written: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        fault_plan({"STONECHAT_FAULT": written})

    assert said in str(caught.value)


def test_in_production_there_are_no_planned_faults() -> None:
    with pytest.raises(ConfigError, match="production"):
        fault_plan({"STONECHAT_FAULT": "ob.net=kill", "STONECHAT_ENV": "production"})

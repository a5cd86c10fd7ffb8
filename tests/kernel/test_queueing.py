"""What a message waits for: more of the same, and only where something may come."""

from dataclasses import replace

import pytest

from bot.contracts.inbound import EventClass, Inbound
from bot.contracts.queue import QueueRule
from bot.contracts.turn import Pacing
from bot.kernel.queueing import QueueRules
from tests.doubles.arrivals import A_FILE, an_inbound

RULES = QueueRules(
    channels={"telegram": QueueRule(debounce_seconds=2.0)}, longest_seconds=10.0, part_seconds=1.5
)
AT_ONCE = Pacing(longest_seconds=10.0)
QUIET = Pacing(quiet_seconds=2.0, longest_seconds=10.0)
PART = Pacing(part_seconds=1.5, longest_seconds=10.0)


def on_telegram(text: str, **changes: object) -> Inbound:
    return replace(an_inbound(text, channel="telegram"), **changes)  # type: ignore[arg-type] # fields


@pytest.mark.parametrize(
    ("inbound", "pacing"),
    [
        pytest.param(an_inbound("hello"), AT_ONCE, id="no wait is set here"),
        pytest.param(on_telegram("hello"), QUIET, id="a text waits for more"),
        pytest.param(on_telegram("/think high why?"), None, id="a command does not"),
        pytest.param(on_telegram("look", attachments=(A_FILE,)), None, id="a file does not"),
        pytest.param(
            on_telegram("", attachments=(A_FILE,), album_id="a1"), PART, id="one of an album does"
        ),
        pytest.param(on_telegram("x" * 3_969, cut_at=4_096), PART, id="a text that was cut"),
        pytest.param(on_telegram("x" * 4_096, cut_at=4_096), PART, id="a text at its limit"),
        pytest.param(on_telegram("x" * 3_900, cut_at=4_096), QUIET, id="a long text that fits"),
        pytest.param(
            on_telegram("/stop", event=EventClass.INTERACTION), None, id="a button does not"
        ),
    ],
)
def test_a_message_waits_only_where_something_may_be_missing(
    inbound: Inbound, pacing: Pacing | None
) -> None:
    assert RULES.pacing(inbound) == pacing

"""``queue:``: what it may say, and what a mistake is told."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.contracts.queue import QueueRule
from bot.contracts.turn import DropPolicy, QueueMode
from bot.queue_rules import queue_rules
from bot.settings.queue import QueueSettings
from tests.doubles.settings_files import SettingsFiles


def test_a_channel_says_what_is_different_and_the_rest_is_as_everywhere() -> None:
    settings = QueueSettings.model_validate(
        {
            "mode": "collect",
            "debounce_seconds": "1.5",
            "cap": "5",
            "drop": "old",
            "channels": {"telegram": {"mode": "interrupt", "debounce_seconds": "0"}},
            "observed": {"keep": "false", "days": "2"},
        }
    )
    rules = queue_rules(settings)
    assert rules.of("webchat") == QueueRule(
        mode=QueueMode.COLLECT, debounce_seconds=1.5, cap=5, drop=DropPolicy.OLD
    )
    assert rules.of("telegram") == QueueRule(
        mode=QueueMode.INTERRUPT, debounce_seconds=0.0, cap=5, drop=DropPolicy.OLD
    )
    assert not rules.keep_observed
    assert rules.keep_observed_for == timedelta(days=2)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("queue: {mode: stear}", "steer, followup, collect or interrupt"),
        ("queue: {drop: newest}", "new, old or summarize"),
        ("queue: {debounce_seconds: soon}", "seconds between 0 and 120"),
        ("queue: {debounce_seconds: -1}", "seconds between 0 and 120"),
        ("queue: {debounce_seconds: 1e2}", "seconds between 0 and 120"),
        ("queue: {longest_wait_seconds: 121}", "seconds between 0 and 120"),
        ("queue: {cap: 0}", "a whole number between 1 and 10000"),
        ("queue: {channels: {telegram: {mode: x}}}", "steer, followup, collect or interrupt"),
        ("queue: {channels: {Tele gram: {cap: 2}}}", "a channel's name"),
        ("queue: {observed: {days: 0}}", "a whole number between 1 and 3650"),
    ],
)
def test_a_mistake_is_told_with_what_would_be_right(
    tmp_path: Path, written: str, expected: str
) -> None:
    (mistake,) = SettingsFiles(tmp_path).mistakes(written)
    assert expected in mistake
    assert mistake.startswith("config.yaml")

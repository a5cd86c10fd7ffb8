"""A pattern of the settings is tried on what anybody writes, and never takes long."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.settings.patterns import EXAMINED, safe_pattern


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\bhey,?\s+bot\b", "hey,  bot"),
        ("stonechat|小助手", "小助手，在吗"),
        (r"(?i)^bot[:,]", "BOT: hi"),
        ("[]a]+x", "aa]x"),
        (r"(?P<who>ana|bo)!", "ana!"),
        ("x{2,5}y", "xxxy"),
        ("a{2}", "aa"),
        (r"\(bot\)", "(bot)"),
    ],
)
def test_what_names_a_bot_is_taken(pattern: str, text: str) -> None:
    assert safe_pattern(pattern).search(text)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a+)+b", "without a repetition of what varies"),
        ("(a|a)*b", "without a repetition of what varies"),
        ("(?:a?){30}b", "without a repetition of what varies"),
        ("((a{1,9}){1,9})b", "without a repetition of what varies"),
        ("a*a*a*b", "fewer repetitions"),
        (".*x.*y", "fewer repetitions"),
        (r"(a)\1", "without a reference back"),
        ("(?=a)b", "without looking around"),
        ("(?<!a)b", "without looking around"),
        ("(a", "a regular expression"),
        ("*", "a regular expression"),
        ("", "1 to 200 characters"),
        ("   ", "1 to 200 characters"),
        ("x" * 201, "1 to 200 characters"),
        ("a?", "does not match everything"),
        (".*", "does not match everything"),
    ],
)
def test_what_could_take_long_or_names_everybody_is_refused_with_the_reason(
    pattern: str, why: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        safe_pattern(pattern)


@given(st.text(alphabet="ab|()*+?{},1239[]^\\.x$", max_size=40))
def test_whatever_is_taken_is_done_within_half_a_second(text: str) -> None:
    try:
        pattern = safe_pattern(text)
    except ValueError:
        return
    began = time.process_time()
    for said in ("a" * EXAMINED, "ab" * (EXAMINED // 2), "x" * EXAMINED):
        pattern.search(said)
    assert time.process_time() - began < 0.5

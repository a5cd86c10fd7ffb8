from hypothesis import given
from hypothesis import strategies as st

from bot.tools.excerpt import cut_end, cut_middle


def test_a_short_text_is_left_alone() -> None:
    assert cut_middle("x" * 100, 100) == "x" * 100


def test_a_long_one_keeps_both_ends_and_says_how_much_is_missing() -> None:
    cut = cut_middle("a" * 1000 + "b" * 1000, 200)

    assert cut.startswith("aaa")
    assert cut.endswith("bbb")
    assert "\n[… 1,800 characters and more left out …]\n" in cut


@given(st.text(max_size=400), st.integers(min_value=60, max_value=300))
def test_it_never_exceeds_the_limit(text: str, limit: int) -> None:
    assert len(cut_middle(text, limit)) <= limit


@given(st.text(max_size=50), st.integers(min_value=1, max_value=60))
def test_a_line_never_exceeds_it_either(text: str, limit: int) -> None:
    assert len(cut_end(text, limit)) <= limit

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bot.tools.changes import difference

LINES = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)


def test_a_change_is_shown_with_the_lines_around() -> None:
    before = [f"line {n}" for n in range(1, 21)]
    after = [*before[:9], "LINE 10", *before[10:]]

    assert difference("\n".join(before), "\n".join(after)).splitlines() == [
        "@@ -7,7 +7,7 @@",
        " line 7",
        " line 8",
        " line 9",
        "-line 10",
        "+LINE 10",
        " line 11",
        " line 12",
        " line 13",
    ]


def test_two_changes_far_apart_are_shown_apart() -> None:
    before = [f"line {n}" for n in range(1, 101)]
    after = ["first", *before[1:-1], "last"]

    shown = difference("\n".join(before), "\n".join(after))

    assert "@@ -1,4 +1,4 @@\n-line 1\n+first" in shown
    assert "@@ -97,4 +97,4 @@" in shown
    assert "line 50" not in shown


def test_only_other_line_ends_are_called_so() -> None:
    assert difference("a\r\nb", "a\nb\n") == "(only line ends differ)"


def test_a_long_difference_is_shortened() -> None:
    assert len(difference("", "\n".join(["x" * 50] * 900))) <= 4000


def test_files_too_different_to_compare_are_counted() -> None:
    before = "\n".join(map(str, range(20_000)))
    after = "\n".join(map(str, range(30_000, 0, -1)))

    assert difference(before, after) == "(from line 1 on, 20,000 lines became 30,000)"


@given(LINES, LINES)
def test_whatever_changed_is_in_it(before: list[str], after: list[str]) -> None:
    shown = difference("\n".join(before), "\n".join(after)).splitlines()

    if before != after:
        removed = sum(line.startswith("-") for line in shown)
        added = sum(line.startswith("+") for line in shown)
        assert added - removed == len(after) - len(before)
        assert added + removed > 0
    assert not any(one.startswith("@@") and two.startswith("@@") for one, two in pairwise(shown))

import pytest

from bot.markup.links import Links, link_target


@pytest.mark.parametrize(
    ("text", "opened", "closed"),
    [
        ("(a)", 0, 2),
        ("(a(b)c)", 0, 6),
        ("(a(b)c)", 2, 4),
        ("(a", 0, None),
        ("(a\n)", 0, None),
        (r"(a\))", 0, 4),
        ('(a "b) c")', 0, 9),
    ],
)
def test_parentheses_are_paired_on_their_line(text: str, opened: int, closed: int | None) -> None:
    assert Links(text).closing(opened) == closed


@pytest.mark.parametrize(
    ("inner", "link", "aside"),
    [
        pytest.param("https://ex.test", "https://ex.test", ""),
        pytest.param(' https://ex.test "title" ', "https://ex.test", ""),
        pytest.param("<https://ex.test>", "https://ex.test", ""),
        pytest.param("HTTPS://ex.test", "HTTPS://ex.test", ""),
        pytest.param("tel:+4912345", "tel:+4912345", ""),
        pytest.param(r"https://ex.test/\(a\)", "https://ex.test/(a)", ""),
        pytest.param("javascript:alert(1)", None, "", id="a script is never a link"),
        pytest.param("JaVaScRiPt:x", None, "", id="nor in mixed case"),
        pytest.param("data:text/html,x", None, ""),
        pytest.param("file:///etc/passwd", None, ""),
        pytest.param("<https://a b>", None, ""),
        pytest.param("notes/a.md", None, "notes/a.md", id="a path is shown"),
        pytest.param("Plan draft", None, "", id="a sentence is not"),
        pytest.param("#part", None, "", id="a place on a page nobody has is not"),
        pytest.param("", None, ""),
    ],
)
def test_only_what_can_be_followed_is_a_link(inner: str, link: str | None, aside: str) -> None:
    assert link_target(inner) == (link, aside)

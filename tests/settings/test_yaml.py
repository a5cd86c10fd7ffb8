"""What is written is what is read; everything else is refused with its line."""

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.errors import ConfigError
from bot.settings.yaml import DEEPEST, Value, dotted, parse


@pytest.mark.parametrize(
    "written",
    [
        *("no", "yes", "on", "off", "y", "true", "False"),
        *("010", "0x1F", "0o17", "1_000", "1e3", ".5", "12:30:00", ".inf", "=", "3.10"),
        *("2026-11-30", "2026-11-30 12:00:00", "18446744073709551616", "-1001234567890123456789"),
    ],
)
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_scalar_is_the_text_that_was_written_quoted_or_not(written: str, quote: str) -> None:
    assert parse(f"id: {quote}{written}{quote}", "f").root == {"id": written}


@pytest.mark.parametrize("written", ["", "~", "null", "NULL"])
def test_nothing_is_nothing_and_in_quotes_it_is_text(written: str) -> None:
    assert parse(f"key: {written}", "f").root == {"key": None}
    assert parse(f"key: '{written}'", "f").root == {"key": written}


_VALUES = st.recursive(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cn", "Co"])),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(_VALUES)
def test_what_another_writer_wrote_comes_back(value: Value) -> None:
    text = pyyaml.safe_dump({"key": value}, allow_unicode=True, default_style='"')

    assert parse(text, "f").root == {"key": value}


def test_every_value_has_the_line_it_stands_on() -> None:
    lines = parse("a: 1\n\nb:\n  - x\n  - c: 2\n", "f").lines

    assert lines[("a",)] == 1
    assert lines[("b",)] == 3
    assert lines[("b", 1, "c")] == 5


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        pytest.param("", None, "remove the file to get the defaults back", id="an empty file"),
        pytest.param("# later\n", None, "remove the file", id="nothing but a comment"),
        pytest.param("- a\n", 1, "`key: value`", id="a list"),
        pytest.param("a: 1\nb: 2\na: 3\n", 3, "first on line 1", id="a key that comes twice"),
        pytest.param("a: {b: 1,\n b: 2}\n", 2, "a.b", id="a key that comes twice further in"),
        pytest.param("a:\n\tb: 1\n", 2, "a tab, expected spaces", id="a tab"),
        pytest.param("a:\n  b: 1\n\tc: 2\n", 3, "a tab, expected spaces", id="a later tab"),
        pytest.param("a: {b: 1\n", 2, "begins on line 1", id="cut in a mapping"),
        pytest.param("x: 1\na: [1,\n 2", 3, "begins on line 2", id="cut in a list"),
        pytest.param("a:\n  key: 'sec", 2, "cut short", id="cut in quotes"),
        pytest.param("a: 1\nhal", 2, "cut short", id="cut in a key"),
        pytest.param("a: !!python/object/apply:os.system ['x']", 1, "a tag", id="a tag"),
        pytest.param("a: !env X", 1, "a tag", id="somebody's tag"),
        pytest.param("a: &x 1", 1, "an anchor", id="an anchor"),
        pytest.param("a: *x", 1, "an anchor or alias", id="an alias"),
        pytest.param("a: {<<: {b: 1}}", 1, "a merge key", id="a merge key"),
        pytest.param("a: [@ana]", 1, "begins with '@', expected it in quotes", id="an at sign"),
        pytest.param("a: `x`", 1, "expected it in quotes", id="a back-tick"),
        pytest.param("a: {b: ${NAME}}", 1, 'in quotes: "${NAME}"', id="a bare reference"),
        pytest.param("a: 1\n---\nb: 1\n", 2, "one document", id="two documents"),
        pytest.param("a: b: c\n", 1, "`:` where none may stand", id="two colons"),
        pytest.param("a: \x07\n", 1, "U+0007", id="a control character"),
        pytest.param("? [x]\n: 1\n", 1, "plain text as key", id="a list as key"),
        pytest.param("~: 1\n", 1, "an empty key", id="no key"),
        pytest.param("{" * 40, 1, "levels", id="too deep"),
    ],
)
def test_what_is_no_plain_yaml_gets_one_sentence_with_its_line(
    text: str, line: int | None, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "config.yaml")

    assert caught.value.where == ("config.yaml" if line is None else f"config.yaml:{line}")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["key: [sk-secret, {", "key: 'sk-secret", "key: sk-secret: x"])
def test_a_mistake_does_not_show_the_line_it_is_in(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "config.yaml")

    assert "secret" not in str(caught.value)


def test_an_alias_bomb_does_not_go_off() -> None:
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10))

    with pytest.raises(ConfigError):
        parse(f"l0: &l0 boom\n{levels}\n", "config.yaml")


def test_the_deepest_settings_allowed_are_read() -> None:
    depth = DEEPEST - 1
    text = "".join(f"{'  ' * level}a:\n" for level in range(depth)) + "  " * depth + "a: 1\n"

    assert parse(text.replace("a: 1", "x"), "f").root


def test_a_path_is_written_as_a_person_would() -> None:
    assert dotted(("agents", "main", "models", 0)) == "agents.main.models[0]"
    assert dotted(()) == ""

"""Where variables come from, which file may name them, and what ``${NAME}`` becomes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.errors import ConfigError
from bot.contracts.secret import mask
from bot.settings.environment import Environment, Unset, Variable, fill_in, read_environment


def _env_file(home: Path, text: str, mode: int = 0o600) -> None:
    file = home / ".env"
    file.write_text(text)
    file.chmod(mode)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("OPENAI_API_KEY=sk-1", "sk-1"),
        ("export OPENAI_API_KEY = sk-1  ", "sk-1"),
        ("OPENAI_API_KEY='sk 1 # all'  # mine", "sk 1 # all"),
        ('OPENAI_API_KEY="sk=1"', "sk=1"),
        ("OPENAI_API_KEY=sk-1 # mine", "sk-1"),
        ("OPENAI_API_KEY=sk#1", "sk#1"),
        ("OPENAI_API_KEY=$OTHER_KEY", "$OTHER_KEY"),
    ],
)
def test_a_line_of_the_env_file(tmp_path: Path, line: str, value: str) -> None:
    _env_file(tmp_path, f"# keys\n\n{line}\n")

    found = read_environment(tmp_path, {}).get("OPENAI_API_KEY")

    assert found == Variable(value=value, source=f"OPENAI_API_KEY in {tmp_path}/.env")


def test_the_process_wins_over_the_file_unless_it_says_nothing(tmp_path: Path) -> None:
    _env_file(tmp_path, "A_KEY=file-a\nB_KEY=file-b\n")

    environment = read_environment(tmp_path, {"A_KEY": "process-a", "B_KEY": " ", "C_KEY": ""})

    assert environment.variables["A_KEY"].value == "process-a"
    assert environment.variables["A_KEY"].source == "A_KEY in the environment"
    assert environment.variables["B_KEY"].value == "file-b"
    assert environment.get("C_KEY") is None


@pytest.mark.parametrize(
    "name", ["PYTHONPATH", "LD_PRELOAD", "PATH", "STONECHAT_HOME", "STONECHAT_BASE_URL", "a_key"]
)
def test_the_file_cannot_set_what_is_no_key(tmp_path: Path, name: str) -> None:
    _env_file(tmp_path, f"{name}=/tmp/evil\n")

    environment = read_environment(tmp_path, {})

    assert environment.get(name) is None
    assert f"{name} was skipped" in environment.findings[0]
    assert "evil" not in environment.findings[0]


@pytest.mark.parametrize("line", ["sk-pasted-alone", "OPENAI_API_KEY='sk-never-closed"])
def test_a_line_that_cannot_be_read_is_told_without_its_content(tmp_path: Path, line: str) -> None:
    _env_file(tmp_path, line)

    [finding] = read_environment(tmp_path, {}).findings

    assert finding.startswith(f"{tmp_path}/.env:1: ")
    assert "sk-" not in finding


@pytest.mark.parametrize(("mode", "told"), [(0o600, False), (0o640, True), (0o604, True)])
def test_an_env_file_that_others_may_read_is_told(tmp_path: Path, mode: int, told: bool) -> None:
    _env_file(tmp_path, "OPENAI_API_KEY=sk-1", mode)

    findings = read_environment(tmp_path, {}).findings

    assert bool(findings) is told
    assert all("chmod 600" in finding for finding in findings)


def test_an_env_file_that_is_a_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()

    with pytest.raises(ConfigError, match=r"\.env: found a file that cannot be read"):
        read_environment(tmp_path, {})


def test_what_is_called_a_key_is_masked_from_then_on(tmp_path: Path) -> None:
    _env_file(tmp_path, "MY_BOT_TOKEN=canary-in-file\n")

    read_environment(tmp_path, {"OTHER_PASSWORD": "canary-in-process"})

    assert mask("canary-in-file canary-in-process") == "*** ***"


AROUND = Environment(
    variables={
        "SET": Variable(value="a: 'b' # ${SET}\n- c", source=""),
        "lower": Variable(value="low", source=""),
    }
)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("x ${SET} y", "x a: 'b' # ${SET}\n- c y"),
        ("${MISSING:-dflt}", "dflt"),
        ("${MISSING:-}", ""),
        ("${SET:-dflt}", "a: 'b' # ${SET}\n- c"),
        ("${lower}", "low"),
        ("$${SET}", "${SET}"),
        ("$$literal $5 {x}", "$$literal $5 {x}"),
        ("${MISSING:-a:b}/c", "a:b/c"),
    ],
)
def test_a_reference_is_replaced_by_data(text: str, filled: str) -> None:
    assert fill_in(text, AROUND) == filled


@pytest.mark.parametrize("text", ["${MISSING}", "a ${UNCLOSED", "${}", "${A B}", "${1}"])
def test_a_reference_without_a_value_never_reaches_a_consumer(text: str) -> None:
    with pytest.raises(Unset):
        fill_in(text, AROUND)


@given(st.text())
def test_text_without_a_reference_stays_as_it_is(text: str) -> None:
    if "${" not in text:
        assert fill_in(text, AROUND) == text


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_whatever_a_variable_holds_is_data_and_is_put_in_once(value: str) -> None:
    around = Environment(variables={"A": Variable(value=value, source="")})

    assert fill_in("<${A}|${A:-x}|$${A}>", around) == f"<{value}|{value}|${{A}}>"

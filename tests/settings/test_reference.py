"""The page about the settings says what the settings are, and every example is one."""

import ast
import re
from pathlib import Path

import pytest

import bot.settings
from bot.settings import shipped
from bot.settings.environment import read_environment
from bot.settings.reference import reference
from tests.doubles.settings_files import SettingsFiles

CONFIG = shipped("config")
EXAMPLES = [CONFIG / "config.yaml", *sorted((CONFIG / "examples").glob("*.yaml"))]


def test_the_page_is_what_the_settings_write() -> None:
    assert (CONFIG / "README.md").read_text() == reference(), (
        "run: python -m bot.settings.reference > config/README.md"
    )


def test_every_variable_that_the_settings_read_stands_on_the_page() -> None:
    names = set()
    for path in Path(bot.settings.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text())
        names |= {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch("[A-Z][A-Z0-9]*(_[A-Z0-9]+)+", node.value)
        }
    written_by_us = {"PYDANTIC_DISABLE_PLUGINS"}
    missing = {name for name in names - written_by_us if f"`{name}`" not in reference()}

    assert len(names) > 10
    assert missing == set()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_loads_without_a_finding(example: Path, tmp_path: Path) -> None:
    (tmp_path / "anthropic.key").write_text("sk-ant-example\n")
    (tmp_path / "anthropic.key").chmod(0o600)

    settings = SettingsFiles(tmp_path).read(
        example.read_text(), ANTHROPIC_API_KEY="sk-ant-example", OPENAI_API_KEY="sk-example"
    )

    assert settings.findings == ()


def test_every_name_of_the_example_env_file_may_be_set(tmp_path: Path) -> None:
    lines = (CONFIG / "env.example").read_text().splitlines()
    names = [line.lstrip("#").partition("=")[0] for line in lines if "=" in line]
    (tmp_path / ".env").write_text("".join(f"{name}=x-value\n" for name in names))
    (tmp_path / ".env").chmod(0o600)

    environment = read_environment(tmp_path, {})

    assert environment.findings == ()
    assert set(environment.variables) == set(names) >= {"ANTHROPIC_API_KEY", "OPENAI_BASE_URL"}

"""What its owner chose wins over the configuration and the environment, and says so."""

from pathlib import Path

import pytest

from bot.contracts.secret import Secret
from bot.settings import ModelSettings
from bot.settings.choice import CHOSEN, NO_CHOICE, lines_of, with_choice
from bot.settings.keep import keep
from tests.doubles.settings_files import SettingsFiles

MODEL = ModelSettings(provider="anthropic", model="claude-sonnet-5-5", keys=(Secret("sk-ant-1"),))
LOCAL = ModelSettings(
    provider="ollama", model="hf.co/some/model:8b", base_url="http://127.0.0.1:11434"
)
YAML = "models: {x: {provider: openai, model: gpt-5.5, key: sk-canary-2}}\n"


@pytest.fixture
def files(tmp_path: Path) -> SettingsFiles:
    return SettingsFiles(tmp_path)


@pytest.mark.parametrize("model", [MODEL, LOCAL])
@pytest.mark.parametrize("yaml", [None, YAML, "agents: {main: {models: [anthropic]}}\n"])
def test_after_a_start_it_is_as_it_was_when_it_was_chosen(
    files: SettingsFiles, model: ModelSettings, yaml: str | None
) -> None:
    environ = {"ANTHROPIC_API_KEY": "sk-ant-of-the-environment"}
    before = files.read(yaml, **environ)

    keep(files.home, lines_of(model))

    after = files.read(**environ)
    assert after.models == with_choice(before, model).models
    assert after.agents == with_choice(before, model).agents
    assert after.agents["main"].models == (CHOSEN,)
    assert (after.models[CHOSEN].provider, after.models[CHOSEN].model) == (
        model.provider,
        model.model,
    )
    assert after.models[CHOSEN].keys == model.keys


def test_what_is_not_used_meanwhile_is_said_and_no_key(files: SettingsFiles) -> None:
    keep(files.home, lines_of(MODEL))

    source = files.read(YAML, OPENAI_API_KEY="sk-canary-3").models[CHOSEN].source

    assert source.startswith(f"chosen, kept in {files.home}/.env")
    assert (
        "not used meanwhile: `models:` of config.yaml, OPENAI_API_KEY in the environment" in source
    )
    assert "canary" not in source


def test_forgotten_it_leaves_everything_as_before(files: SettingsFiles) -> None:
    before = files.read(YAML)
    (files.home / ".env").write_text("# mine\n")

    keep(files.home, lines_of(MODEL))
    keep(files.home, NO_CHOICE)

    assert files.read() == before
    assert (files.home / ".env").read_text() == "# mine\n"


def test_a_later_choice_leaves_nothing_of_the_earlier(files: SettingsFiles) -> None:
    keep(files.home, lines_of(MODEL))
    keep(files.home, lines_of(LOCAL))

    assert files.read().models[CHOSEN].keys == ()
    assert "sk-ant-1" not in (files.home / ".env").read_text()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("CHOSEN_MODEL=gpt-5.5", "provider/model"),
        ("CHOSEN_MODEL=../x/y", "provider/model"),
        ("CHOSEN_MODEL=openai/", "provider/model"),
        ("CHOSEN_MODEL=openai/x\nCHOSEN_URL=nowhere", "CHOSEN_URL"),
    ],
)
def test_a_choice_that_is_none_is_a_mistake_and_not_another_model(
    files: SettingsFiles, line: str, found: str
) -> None:
    (files.home / ".env").write_text(line)

    (mistake,) = files.mistakes(OPENAI_API_KEY="sk-1")

    assert found in mistake
    assert ".env" in mistake

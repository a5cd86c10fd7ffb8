"""Which model thinks when nothing is configured, and which key goes to which server."""

from pathlib import Path

import pytest

from tests.doubles.settings_files import SettingsFiles

DEMO = (
    "demo (no language model; type a key into the page, run stonechat models add,"
    " or set ANTHROPIC_API_KEY or OPENAI_API_KEY)"
)


@pytest.fixture
def files(tmp_path: Path) -> SettingsFiles:
    return SettingsFiles(tmp_path)


@pytest.mark.parametrize(
    ("environ", "shown"),
    [
        pytest.param(
            {"ANTHROPIC_API_KEY": "sk-ant-1", "OPENAI_API_KEY": "sk-2"},
            "claude-sonnet-5-5 (key from ANTHROPIC_API_KEY in the environment)",
            id="Anthropic comes first",
        ),
        pytest.param(
            {"OPENAI_API_KEY": "sk-2"},
            "gpt-5.5 (key from OPENAI_API_KEY in the environment)",
            id="then OpenAI",
        ),
        pytest.param(
            {"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1", "OPENAI_MODEL": "qwen"},
            "qwen (no key, server http://127.0.0.1:11434/v1 from OPENAI_BASE_URL in"
            " the environment)",
            id="a server of one's own needs no key",
        ),
        pytest.param(
            {"ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": " "},
            DEMO,
            id="an empty key is none",
        ),
        pytest.param(
            {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"},
            DEMO,
            id="Anthropic's address alone chooses nothing",
        ),
    ],
)
def test_the_environment_chooses(files: SettingsFiles, environ: dict[str, str], shown: str) -> None:
    settings = files.read(**environ)

    [name] = settings.agents["main"].models
    assert str(settings.models[name]) == shown


def test_a_key_in_the_env_file_chooses_and_is_named_with_the_file(files: SettingsFiles) -> None:
    (files.home / ".env").write_text("OPENAI_API_KEY=sk-canary\n")
    (files.home / ".env").chmod(0o600)

    model = files.read("http: {port: 1}").models["openai"]

    assert model.source == f"key from OPENAI_API_KEY in {files.home}/.env"
    assert model.keys[0].reveal() == "sk-canary"


def test_a_server_that_may_call_its_model_otherwise_is_said(files: SettingsFiles) -> None:
    model = files.read(OPENAI_API_KEY="sk-1", OPENAI_BASE_URL="http://127.0.0.1:9/v1").models[
        "openai"
    ]

    assert model.base_url == "http://127.0.0.1:9/v1"
    assert "set OPENAI_MODEL" in model.source


def test_an_address_that_is_none_is_one_sentence(files: SettingsFiles) -> None:
    [mistake] = files.mistakes(OPENAI_BASE_URL="localhost:11434")

    assert "'localhost:11434' as OPENAI_BASE_URL in the environment" in mistake
    assert "expected a URL such as" in mistake


def test_a_configured_model_takes_the_key_of_the_environment(files: SettingsFiles) -> None:
    settings = files.read(
        "models: {x: {provider: anthropic, model: claude-x}}", ANTHROPIC_API_KEY="sk-ant-1"
    )

    assert settings.models["x"].keys[0].reveal() == "sk-ant-1"
    assert "key from ANTHROPIC_API_KEY in the environment" in settings.models["x"].source


def test_a_key_of_the_environment_never_goes_to_a_server_of_the_file(files: SettingsFiles) -> None:
    settings = files.read(
        "models: {x: {provider: openai, model: m, base_url: 'http://elsewhere.test/v1'}}",
        OPENAI_API_KEY="sk-1",
    )

    assert settings.models["x"].keys == ()


def test_a_key_of_the_file_never_goes_to_a_server_of_the_environment(files: SettingsFiles) -> None:
    settings = files.read(
        "models: {x: {provider: openai, model: m, key: sk-own}}",
        OPENAI_BASE_URL="http://elsewhere.test/v1",
    )

    assert settings.models["x"].base_url is None


def test_a_model_without_a_key_says_where_one_may_stand(files: SettingsFiles) -> None:
    [mistake] = files.mistakes("models:\n  x: {provider: openai, model: m}")

    assert mistake == (
        "config.yaml:2: models.x.key: found nothing,"
        " expected a key here, or OPENAI_API_KEY in the environment"
    )


def test_key_and_keys_are_tried_in_their_order(files: SettingsFiles) -> None:
    settings = files.read("models: {x: {provider: openai, model: m, key: a-1, keys: [b-2, c-3]}}")

    assert [key.reveal() for key in settings.models["x"].keys] == ["a-1", "b-2", "c-3"]


def test_an_agent_without_a_list_has_all_models_in_their_order(files: SettingsFiles) -> None:
    settings = files.read("""
        models:
          zoe: {provider: demo, model: z}
          ada: {provider: demo, model: a}
    """)

    assert settings.agents["main"].models == ("zoe", "ada")


def test_a_misspelt_model_is_guessed(files: SettingsFiles) -> None:
    [mistake] = files.mistakes("""
        models: {claude: {provider: demo, model: m}}
        agents: {main: {models: [cluade]}}
    """)

    assert "agents.main.models[0]: found 'cluade'" in mistake
    assert "did you mean 'claude'?" in mistake

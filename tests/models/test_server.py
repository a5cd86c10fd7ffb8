import pytest

from bot.contracts.errors import ConfigError
from bot.contracts.model import ModelParts
from bot.contracts.secret import Secret
from bot.models.server import Server, server_of
from tests.models.rig import StillClock


def at(base_url: str | None, model: str = "m") -> Server:
    parts = ModelParts(model=model, clock=StillClock(), base_url=base_url)
    return server_of("OpenAI", parts, default="https://api.openai.com/v1")


def test_without_an_address_it_is_the_providers_own() -> None:
    assert str(at(None)) == "OpenAI at https://api.openai.com/v1"


def test_what_is_secret_in_an_address_is_not_shown() -> None:
    assert str(at("https://me:secret@x.test:8080/v1/?key=secret")) == (
        "OpenAI at https://x.test:8080/v1"
    )


@pytest.mark.parametrize(
    ("base_url", "is_loopback"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://127.8.8.8/v1", True),
        ("http://[::1]:11434/v1", True),
        ("http://LOCALHOST/v1", True),
        ("http://models.localhost/v1", True),
        ("http://localhost.example.com/v1", False),
        ("http://192.168.1.5/v1", False),
        ("https://api.openai.com/v1", False),
    ],
)
def test_loopback(base_url: str, is_loopback: bool) -> None:
    assert at(base_url).is_loopback is is_loopback


@pytest.mark.parametrize(
    ("base_url", "is_own"),
    [
        (None, True),
        ("https://api.openai.com/v1", True),
        ("https://api.openai.com.example/v1", False),
        ("http://127.0.0.1:1/v1", False),
    ],
)
def test_the_providers_own_server_is_told_from_every_other(
    base_url: str | None, is_own: bool
) -> None:
    assert at(base_url).is_own is is_own


def test_a_provider_of_this_machine_has_no_server_beyond_it() -> None:
    parts = ModelParts(model="m", clock=StillClock())
    assert not server_of("Ollama", parts, default="http://127.0.0.1:11434").is_own


@pytest.mark.parametrize(
    "base_url", ["localhost:11434/v1", "ftp://x", "http://", "http://x:port/", "http://[::1"]
)
def test_an_address_that_is_none_is_refused(base_url: str) -> None:
    with pytest.raises(ConfigError, match=r"base_url: found .*, expected an address such as"):
        at(base_url)


def test_a_password_in_an_address_that_is_none_is_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        at("ftp://me:secret@x")

    assert "secret" not in str(caught.value)


def test_a_model_needs_a_name() -> None:
    with pytest.raises(ConfigError, match="model: found no name"):
        at(None, model=" ")


def test_a_key_that_no_header_may_hold_is_refused_and_not_shown() -> None:
    parts = ModelParts(model="m", clock=StillClock(), key=Secret("sk-half\nother-half"))

    with pytest.raises(ConfigError, match="key: found one with a line break") as caught:
        server_of("OpenAI", parts, default="https://api.openai.com/v1")

    assert "half" not in str(caught.value)

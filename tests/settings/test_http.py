"""Where the page may be reached from: a broken setting opens no door."""

from pathlib import Path

import pytest

from bot.contracts.errors import ConfigError
from bot.settings.http import HttpSettings
from tests.doubles.settings_files import SettingsFiles


@pytest.mark.parametrize(
    ("written", "origin"),
    [
        ("https://chat.example.org", "https://chat.example.org"),
        ("https://chat.example.org/", "https://chat.example.org"),
        ("HTTPS://Chat.Example.ORG:443", "https://chat.example.org"),
        ("https://chat.example.org:8443", "https://chat.example.org:8443"),
        ("https://büro.example", "https://xn--bro-hoa.example"),
        ("https://192.0.2.7", "https://192.0.2.7"),
        ("https://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://127.0.0.1:80", "http://127.0.0.1"),
        ("http://[::1]:7870", "http://[::1]:7870"),
        ("", None),
    ],
)
def test_a_public_address_is_kept_as_browsers_name_it(written: str, origin: str | None) -> None:
    assert HttpSettings.model_validate({"public_url": written}).public_url == origin


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param("http: {public_url: chat.example.org}", "https://chat.example.org", id="bare"),
        pytest.param("http: {public_url: 'http://chat.example.org'}", "encryption", id="plain"),
        pytest.param("http: {public_url: 'http://192.168.1.2:7870'}", "encryption", id="at home"),
        pytest.param("http: {public_url: 'https://a.example/chat'}", "without a path", id="path"),
        pytest.param("http: {public_url: 'https://a.example/?x=1'}", "without a path", id="query"),
        pytest.param("http: {public_url: 'https://a.example/#x'}", "without a path", id="anchor"),
        pytest.param("http: {public_url: 'https://u:p@a.example'}", "an address", id="a password"),
        pytest.param("http: {public_url: 'https://a.example:0'}", "an address", id="port 0"),
        pytest.param("http: {public_url: 'https://a.example:x'}", "an address", id="no port"),
        pytest.param("http: {public_url: 'https://a..example'}", "an address", id="no name"),
        pytest.param("http: {public_url: 'https://*.example'}", "an address", id="a star"),
        pytest.param("http: {public_url: 'https://a.example.'}", "an address", id="a last dot"),
        pytest.param("http: {public_url: 'ftp://a.example'}", "an address", id="ftp"),
        pytest.param("http: {public_url: 'https://'}", "an address", id="nothing"),
        pytest.param("http: {public_url: [a]}", "an address", id="a list"),
        pytest.param("http: {trusted_proxies: ['*']}", "IP address or network", id="everybody"),
        pytest.param("http: {trusted_proxies: [0.0.0.0/0]}", "trust everybody", id="all of IPv4"),
        pytest.param("http: {trusted_proxies: ['::/0']}", "trust everybody", id="all of IPv6"),
        pytest.param("http: {trusted_proxies: [10.0.0.1/8]}", "IP address or", id="bits too many"),
        pytest.param("http: {trusted_proxies: [proxy.lan]}", "IP address or", id="a name"),
        pytest.param("http: {trusted_proxies: {a: b}}", "a list", id="a mapping"),
        pytest.param("http: {host: 0.0.0.0}", "`public_url` beside it", id="every address"),
        pytest.param("http: {host: '::'}", "`public_url` beside it", id="every address of IPv6"),
        pytest.param("http: {host: 192.168.1.2}", "`public_url` beside it", id="one at home"),
        pytest.param("http: {host: example.org}", "an IP address", id="a name to listen at"),
        pytest.param(
            "http: {host: 0.0.0.0, public_url: 'http://a.example'}",
            "encryption",
            id="a public address that does not hold opens nothing",
        ),
        pytest.param(
            "http: {host: 0.0.0.0, public_url: ''}", "`public_url` beside it", id="an empty one"
        ),
    ],
)
def test_what_would_open_a_door_by_mistake_is_refused_with_the_remedy(
    tmp_path: Path, written: str, expected: str
) -> None:
    [mistake] = SettingsFiles(tmp_path).mistakes(written)

    assert mistake.startswith("config.yaml:1: http.")
    assert expected in mistake


def test_with_a_public_address_others_may_reach_it() -> None:
    http = HttpSettings.model_validate({"host": "0.0.0.0", "public_url": "https://a.example"})  # noqa: S104 - what is tested

    assert http.host == "0.0.0.0"  # noqa: S104 - what is tested
    assert HttpSettings().listening(port=0).port == 0


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (["127.0.0.1", "10.0.0.0/8"], ("127.0.0.1/32", "10.0.0.0/8")),
        ("::1", ("::1/128",)),
        ([], ()),
    ],
)
def test_proxies_are_networks(written: object, kept: tuple[str, ...]) -> None:
    assert HttpSettings.model_validate({"trusted_proxies": written}).trusted_proxies == kept


def test_nobody_is_trusted_unless_listed() -> None:
    assert HttpSettings().trusted_proxies == ()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])  # noqa: S104 - refused
def test_a_command_line_opens_no_door_either(host: str) -> None:
    with pytest.raises(ConfigError, match=r"http\.public_url` set"):
        HttpSettings().listening(host=host)
    with pytest.raises(ConfigError, match="an IP address"):
        HttpSettings().listening(host="everywhere")

    public = HttpSettings.model_validate({"public_url": "https://a.example"})
    assert public.listening(host=host).host == host

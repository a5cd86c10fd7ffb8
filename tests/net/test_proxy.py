import pytest
from yarl import URL

from bot.net.proxy import proxy_among


@pytest.mark.parametrize(
    ("url", "known", "proxy"),
    [
        ("https://x.test/v1", {}, None),
        ("https://x.test/v1", {"https": "http://p:1"}, "http://p:1"),
        ("https://x.test/v1", {"https": "p:1"}, "http://p:1"),
        ("https://x.test/v1", {"http": "http://p:1"}, None),
        ("http://x.test/v1", {"all": "http://p:1"}, "http://p:1"),
        ("https://x.test/v1", {"all": "http://p:1", "https": "http://q:2"}, "http://q:2"),
        ("https://y.test/v1", {"https": "http://p:1"}, None),
        ("http://10.1.2.3:80/v1", {"http": "http://p:1", "no": "a.test, 10.0.0.0/8"}, None),
        ("http://11.1.2.3:80/v1", {"http": "http://p:1", "no": "10.0.0.0/8"}, "http://p:1"),
        ("http://[fd00::1]/v1", {"http": "http://p:1", "no": "fd00::/8"}, None),
    ],
)
def test_which_proxy_it_is(url: str, known: dict[str, str], proxy: str | None) -> None:
    assert proxy_among(URL(url), known, lambda host: host == "y.test:443") == proxy

"""Whom a request came from: only what a trusted proxy said of it counts."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from bot.http.forwarded import Visitor, parsed_address, visitor
from bot.http.origin import networks

TRUSTED = networks(["127.0.0.1", "10.0.0.0/8", "2001:db8:ffff::/48"])
_LINES = {
    "for": "X-Forwarded-For",
    "proto": "X-Forwarded-Proto",
    "host": "X-Forwarded-Host",
    "forwarded": "Forwarded",
}


def seen(peer: str | None, *lines: tuple[str, str]) -> Visitor:
    return visitor(peer, CIMultiDict((_LINES[name], value) for name, value in lines), TRUSTED)


@pytest.mark.parametrize(
    ("peer", "lines", "address"),
    [
        pytest.param("127.0.0.1", [], "127.0.0.1", id="nothing said"),
        pytest.param("127.0.0.1", [("for", "192.0.2.1")], "192.0.2.1", id="one proxy"),
        pytest.param("::ffff:127.0.0.1", [("for", "192.0.2.1")], "192.0.2.1", id="IPv4 in IPv6"),
        pytest.param("192.0.2.9", [("for", "192.0.2.1")], "192.0.2.9", id="not trusted"),
        pytest.param("192.0.2.9", [("for", "127.0.0.1")], "192.0.2.9", id="L12"),
        pytest.param("127.0.0.2", [("for", "192.0.2.1")], "127.0.0.2", id="another loopback"),
        pytest.param("127.0.0.1", [("for", "6.6.6.6, 192.0.2.1")], "192.0.2.1", id="made up"),
        pytest.param("127.0.0.1", [("for", "127.0.0.1, 192.0.2.1")], "192.0.2.1", id="as if here"),
        pytest.param("127.0.0.1", [("for", "192.0.2.1, 10.1.2.3")], "192.0.2.1", id="two proxies"),
        pytest.param(
            "127.0.0.1", [("for", "192.0.2.1"), ("for", "10.1.2.3")], "192.0.2.1", id="two lines"
        ),
        pytest.param("127.0.0.1", [("for", "10.0.0.7, 10.0.0.8")], "10.0.0.7", id="all trusted"),
        pytest.param("127.0.0.1", [("for", "unknown")], "127.0.0.1", id="unknown"),
        pytest.param("127.0.0.1", [("for", "1.1.1.1, x, 10.0.0.8")], "10.0.0.8", id="a hole"),
        pytest.param("127.0.0.1", [("for", "192.0.2.1:4711")], "192.0.2.1", id="with a port"),
        pytest.param("127.0.0.1", [("for", "[2001:db8::1]:4711")], "2001:db8::1", id="IPv6 port"),
        pytest.param("127.0.0.1", [("for", "2001:db8::1")], "2001:db8::1", id="IPv6"),
        pytest.param("127.0.0.1", [("for", "fe80::1%eth0")], "127.0.0.1", id="a scope"),
        pytest.param("2001:db8:ffff::1", [("for", "192.0.2.1")], "192.0.2.1", id="IPv6 proxy"),
        pytest.param("127.0.0.1", [("for", " , ")], "127.0.0.1", id="empty entries"),
        pytest.param("127.0.0.1", [("forwarded", "for=192.0.2.1")], "192.0.2.1", id="Forwarded"),
        pytest.param(
            "127.0.0.1",
            [("forwarded", 'for=6.6.6.6, For="[2001:db8::7]:80";proto=https;by=x')],
            "2001:db8::7",
            id="Forwarded, quoted",
        ),
        pytest.param("127.0.0.1", [("forwarded", "for=_hidden")], "127.0.0.1", id="obfuscated"),
        pytest.param(
            "127.0.0.1",
            [("forwarded", 'for="192.0.2.1, for=6.6.6.6')],
            "127.0.0.1",
            id="a quote without end",
        ),
        pytest.param(
            "127.0.0.1",
            [("forwarded", "for=6.6.6.6"), ("for", "192.0.2.1")],
            "192.0.2.1",
            id="both kinds: the visitor sent one of them",
        ),
        pytest.param(None, [("for", "192.0.2.1")], None, id="no peer"),
    ],
)
def test_the_visitor_is_the_rightmost_whom_nobody_trusts(
    peer: str | None, lines: list[tuple[str, str]], address: str | None
) -> None:
    assert seen(peer, *lines).address == address


@pytest.mark.parametrize(
    ("lines", "scheme", "host"),
    [
        ([("proto", "https"), ("host", "chat.example.org")], "https", "chat.example.org"),
        ([("proto", "HTTPS")], "https", None),
        ([("proto", "ftp")], None, None),
        ([("proto", "")], None, None),
        ([("for", "192.0.2.1"), ("proto", "http, https")], "https", None),
        ([("for", "192.0.2.1, 10.0.0.8"), ("proto", "https, http")], "https", None),
        ([("for", "192.0.2.1, 10.0.0.8"), ("proto", "https")], "https", None),
        ([("for", "192.0.2.1"), ("host", "evil.test, chat.example.org")], None, "chat.example.org"),
        ([("forwarded", "for=192.0.2.1;proto=https;host=a.example")], "https", "a.example"),
        ([("forwarded", 'host="a.example:8443";proto=http')], "http", "a.example:8443"),
    ],
)
def test_scheme_and_host_are_what_the_outermost_trusted_proxy_said(
    lines: list[tuple[str, str]], scheme: str | None, host: str | None
) -> None:
    came = seen("127.0.0.1", *lines)

    assert (came.scheme, came.host) == (scheme, host)
    stranger = seen("192.0.2.9", *lines)
    assert (stranger.scheme, stranger.host) == (None, None)


_ADDRESSES = st.ip_addresses().map(str)
_ENTRIES = st.one_of(
    _ADDRESSES,
    st.sampled_from(["unknown", "_x", "", "127.0.0.1", "10.0.0.1", "1.2.3.4:5", "[::1]:5"]),
    st.text(max_size=12),
)
_ANY_LINES = st.lists(
    st.tuples(
        st.sampled_from(sorted(_LINES)),
        st.one_of(st.text(max_size=60), st.lists(_ENTRIES, max_size=4).map(", ".join)),
    ),
    max_size=5,
)


@given(_ADDRESSES, _ANY_LINES)
def test_who_is_not_trusted_is_believed_nothing(peer: str, lines: list[tuple[str, str]]) -> None:
    address = parsed_address(peer)
    assert address is not None
    if any(address.version == net.version and address in net for net in TRUSTED):
        return

    assert seen(peer, *lines) == Visitor(address=peer)


@given(_ANY_LINES)
def test_whatever_a_trusted_one_says_comes_to_an_address(lines: list[tuple[str, str]]) -> None:
    came = seen("127.0.0.1", *lines)

    assert came.address is not None
    ipaddress.ip_address(came.address)
    assert came.scheme in {None, "http", "https"}


@given(_ADDRESSES, _ANY_LINES)
def test_nothing_a_visitor_makes_up_hides_what_the_proxy_saw(
    real: str, made_up: list[tuple[str, str]]
) -> None:
    """The proxy appends to what it was sent, as nginx and Caddy do."""
    before = [value for name, value in made_up if name == "for"]
    others = [line for line in made_up if line[0] != "for"]
    came = seen("127.0.0.1", *others, ("for", ", ".join([*before, real])))

    address = parsed_address(real)
    if address is None:
        return
    trusted = any(address.version == net.version and address in net for net in TRUSTED)
    assert trusted or came.address == str(address)


@given(
    _ADDRESSES,
    st.sampled_from(["https", "http"]),
    st.from_regex(r"[a-z]{1,9}\.example", fullmatch=True),
)
def test_forwarded_says_the_same_as_the_three_others(real: str, scheme: str, host: str) -> None:
    quoted = f'"[{real}]"' if ":" in real else real
    one = seen("127.0.0.1", ("forwarded", f"for={quoted};proto={scheme};host={host}"))
    other = seen("127.0.0.1", ("for", real), ("proto", scheme), ("host", host))

    assert one == other

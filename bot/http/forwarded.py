"""What proxies say of a visitor, and how much of it is believed: only what a trusted one said.

``X-Forwarded-*`` and ``Forwarded`` (https://www.rfc-editor.org/rfc/rfc7239) are lists to which
each proxy adds on the right; whatever stands further left may be made up by the visitor. So the
list is read from the right, as long as those who wrote it are trusted.
"""

import ipaddress
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from bot.http.origin import Address, Network, is_within

_MOST_HOPS: Final = 32
"""Entries of one list that are looked at; the rightmost are."""

_PAIR: Final = re.compile(
    r"""\s*(?P<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<token>[^\s",;]*))\s*"""
)
_WITH_PORT: Final = re.compile(r"(?P<v4>[0-9.]+):\d{1,5}|\[(?P<v6>[0-9A-Fa-f:.]+)\](?::\d{1,5})?")


class Headers(Protocol):
    """Header lines by name, in any case; a name may have several."""

    def getall(self, key: str, default: list[str], /) -> list[str]:
        """Return every line of that name, or *default*."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Where a request came from. `scheme` and `host` are None where nobody trusted said so."""

    address: str | None
    scheme: str | None = None
    host: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What the lists say, in their order."""

    addresses: Sequence[str]
    schemes: Sequence[str]
    hosts: Sequence[str]


def visitor(peer: str | None, headers: Headers, trusted: Sequence[Network]) -> Visitor:
    """Return where a request came from (pure).

    *peer* is who connected. Unless it is trusted, nothing that it says is believed. Otherwise
    the visitor is the rightmost address that is not trusted; an entry that is no address ends
    the search, and then the last trusted one stands for whoever is behind it.
    """
    nearest = parsed_address(peer or "")
    if nearest is None or not is_within(nearest, trusted):
        return Visitor(address=peer)
    said = _said(headers)
    found, hops = nearest, 1
    for entry in reversed(said.addresses[-_MOST_HOPS:]):
        address = parsed_address(entry)
        if address is None:
            break
        found = address
        if not is_within(address, trusted):
            break
        hops += 1
    scheme = _said_at(said.schemes, hops)
    return Visitor(
        address=str(found),
        scheme=scheme.lower() if scheme and scheme.lower() in {"http", "https"} else None,
        host=_said_at(said.hosts, hops) or None,
    )


def parsed_address(text: str) -> Address | None:
    """Read an address, with or without a port, or return None (pure).

    One of IPv4 inside IPv6 is the one of IPv4: it is the same machine.
    """
    text = text.strip()
    if found := _WITH_PORT.fullmatch(text):
        text = found["v4"] or found["v6"]
    if "%" in text:
        return None
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _said_at(values: Sequence[str], hops: int) -> str | None:
    """Return what the outermost of *hops* trusted proxies said; each adds one, or replaces all."""
    return values[-min(hops, len(values))] if values else None


def _said(headers: Headers) -> _Said:
    """Read the lists.

    ``Forwarded`` counts only where there is no other: a proxy writes one kind and
    passes the other on as the visitor sent it.
    """
    addresses = _listed(headers, "X-Forwarded-For")
    schemes = _listed(headers, "X-Forwarded-Proto")
    hosts = _listed(headers, "X-Forwarded-Host")
    if addresses or schemes or hosts:
        return _Said(addresses=addresses, schemes=schemes, hosts=hosts)
    hops = [dict(_pairs(hop)) for hop in _hops(",".join(headers.getall("Forwarded", [])))]
    return _Said(
        addresses=[hop.get("for", "") for hop in hops],
        schemes=[hop["proto"] for hop in hops if "proto" in hop],
        hosts=[hop["host"] for hop in hops if "host" in hop],
    )


def _listed(headers: Headers, name: str) -> Sequence[str]:
    joined = ",".join(headers.getall(name, []))
    return [part.strip() for part in joined.split(",")] if joined.strip() else []


def _hops(text: str) -> Sequence[str]:
    """Split at commas that are in no quotes."""
    hops, quoted, begin, escaped = [], False, 0, False
    for at, letter in enumerate(text):
        if escaped:
            escaped = False
        elif letter == "\\" and quoted:
            escaped = True
        elif letter == '"':
            quoted = not quoted
        elif letter == "," and not quoted:
            hops.append(text[begin:at])
            begin = at + 1
    return [*hops, text[begin:]] if text.strip() else []


def _pairs(hop: str) -> Iterator[tuple[str, str]]:
    """Read ``for=…;proto=…`` of one hop; from the first thing that is none on, nothing counts."""
    at = 0
    while at < len(hop):
        found = _PAIR.match(hop, at)
        if found is None or (found.end() < len(hop) and hop[found.end()] != ";"):
            return
        value = found["token"] if found["quoted"] is None else found["quoted"]
        yield found["name"].lower(), re.sub(r"\\(.)", r"\1", value)
        at = found.end() + 1

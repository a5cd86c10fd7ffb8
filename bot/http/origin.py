"""The one name beyond this machine under which the page is served, and the networks it trusts."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Scheme and authority, as a browser names them in ``Origin``: no default port, no path."""

    scheme: str
    authority: str

    @classmethod
    def of(cls, url: str) -> "Origin":
        """Read an address that the settings have checked (pure)."""
        parts = urlsplit(url)
        return cls(scheme=parts.scheme, authority=_plain(parts.netloc, parts.scheme))

    @property
    def is_secure(self) -> bool:
        """Whether the way to it is encrypted."""
        return self.scheme == "https"

    def __str__(self) -> str:
        """As it stands in a link."""
        return f"{self.scheme}://{self.authority}"

    def is_named_by(self, host: str) -> bool:
        """Whether a ``Host`` names exactly this, with or without the default port (pure)."""
        return _plain(host, self.scheme) == self.authority


def networks(written: Iterable[str]) -> tuple[Network, ...]:
    """Read addresses and networks that the settings have checked (pure)."""
    return tuple(ipaddress.ip_network(one) for one in written)


def is_within(address: Address, trusted: Iterable[Network]) -> bool:
    """Whether *address* is in one of *trusted* (pure)."""
    return any(address.version == net.version and address in net for net in trusted)


def _plain(authority: str, scheme: str) -> str:
    """Return *authority* in lower case, without the default port of its scheme."""
    return authority.lower().removesuffix(f":{_DEFAULT_PORTS[scheme]}")

"""Which addresses belong to the public Internet.

By the registries of special-purpose addresses (IANA, RFC 6890), as a table of our
own: what Python's ``is_global`` says differs from version to version.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

_CLOSED_V4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this host
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by carriers (CGNAT); some clouds' metadata
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # a cloud's own services, from inside its machines
            "169.254.0.0/16",  # link-local; the metadata address of most clouds
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, broadcast
        ),
    )
)

_OPEN_V6: Final = IPv6Network("2000::/3")
"""All that is given out. Loopback, private, link-local, mapped IPv4, NAT64 lie beside it."""

_CLOSED_V6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments, Teredo
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: an IPv4 address inside
            "3fff::/20",  # documentation
        ),
    )
)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether *address* is one that anybody on the Internet could reach (pure)."""
    match address:
        case IPv4Address():
            return not any(address in closed for closed in _CLOSED_V4)
        case IPv6Address():
            return address in _OPEN_V6 and not any(address in closed for closed in _CLOSED_V6)

"""Which proxy stands in between, by the environment's word: read once for each client."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from ipaddress import ip_address, ip_network
from urllib.request import getproxies, proxy_bypass

from yarl import URL


def proxy_of(url: URL) -> str | None:
    """Return the proxy that the environment, or macOS, names for *url*; None for none."""
    return proxy_among(url, getproxies(), proxy_bypass)


def proxy_among(
    url: URL, known: Mapping[str, str], passes_by: Callable[[str], object]
) -> str | None:
    """Return the one of the *known* proxies that *url* is reached through; None for none (pure).

    *known* is by scheme, with ``all`` for any and ``no`` for the exceptions, as `getproxies`
    returns it; *passes_by* says whether a ``host:port`` is one of the exceptions.
    """
    host = url.host or ""
    proxy = known.get(url.scheme) or known.get("all")
    if not proxy or passes_by(f"{host}:{url.port}") or _in_a_network(host, known.get("no", "")):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _in_a_network(host: str, no_proxy: str) -> bool:
    """Whether ``no_proxy`` names a network (192.168.0.0/16) that *host* is in."""
    try:
        address = ip_address(host)
    except ValueError:
        return False
    for named in no_proxy.split(","):
        with suppress(ValueError):
            if address in ip_network(named.strip(), strict=False):
                return True
    return False

"""Which addresses are this machine. Told by what is written; no name is looked up."""

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Whether *host* is a loopback address or ``localhost`` (pure)."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_this_machine(host: str) -> bool:
    """Whether a request to *host* stays here: RFC 6761 counts names below localhost, too (pure)."""
    return is_loopback(host) or host.endswith(".localhost")


def is_overheard(url: str) -> bool:
    """Whether what is sent to *url* leaves this machine in clear, a key included (pure)."""
    parts = urlsplit(url)
    return parts.scheme == "http" and not is_this_machine(parts.hostname or "")

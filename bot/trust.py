"""The certificates that servers on the Internet are checked against: read when they are needed."""

import re
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

_ONE_AT_A_TIME: Final = Lock()
_waiting: Final[list[ssl.SSLContext]] = []
"""Those that `reading_later` kept from reading."""

_HASHED: Final = re.compile(r"[0-9a-f]{8}\.[0-9]+")
"""How OpenSSL names a certificate in a folder of them (openssl-rehash(1))."""

_ELSEWHERE: Final = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Alpine, Arch
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  # Fedora, Red Hat
    "/etc/pki/tls/certs/ca-bundle.crt",  # older ones of them
    "/etc/ssl/ca-bundle.pem",  # SUSE
)
"""Where systems keep all certificates in one file; a Python that was built on another system
may have been told of none of them."""


def trust() -> ssl.SSLContext:
    """Return what verifies servers for every client in this process.

    The first call reads the store, 50 ms or more: not on the event loop.
    ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` name another store, as OpenSSL has it.
    """
    with _ONE_AT_A_TIME:
        return _read()


@contextmanager
def reading_later() -> Iterator[None]:
    """Let contexts that are made meanwhile trust nobody until `trust` is called.

    aiohttp makes two where it is imported and has the whole store read into each, a tenth of
    the time to start, though a bot may never speak TLS to anybody. To be used around that
    import alone, before there are threads.
    """

    def later(context: ssl.SSLContext) -> None:
        _waiting.append(context)

    kind: Any = ssl.SSLContext
    kind.set_default_verify_paths = later
    try:
        yield
    finally:
        del kind.set_default_verify_paths  # its parent's is seen again


@cache
def _read() -> ssl.SSLContext:
    waiting = [context for context in _waiting if context.verify_mode is ssl.CERT_REQUIRED]
    for context in waiting:
        context.set_default_verify_paths()
    if sys.platform == "darwin":
        # The system's own store can only be asked through its framework.
        import truststore  # noqa: PLC0415 - nobody else needs it

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = waiting[0] if waiting else ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if paths.cafile is None and not _holds_certificates(paths.capath):
        found = next((file for file in _ELSEWHERE if Path(file).is_file()), None)
        if found is not None:
            context.load_verify_locations(found)
    return context


def _holds_certificates(folder: str | None) -> bool:
    return folder is not None and any(_HASHED.fullmatch(f.name) for f in Path(folder).iterdir())

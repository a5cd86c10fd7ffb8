"""The certificates that servers on the Internet are checked against."""

import re
import ssl
import sys
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final

_ONE_AT_A_TIME: Final = Lock()

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


@cache
def _read() -> ssl.SSLContext:
    if sys.platform == "darwin":
        # The system's own store can only be asked through its framework.
        import truststore  # noqa: PLC0415 - nobody else needs it

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if paths.cafile is None and not _holds_certificates(paths.capath):
        found = next((file for file in _ELSEWHERE if Path(file).is_file()), None)
        if found is not None:
            context.load_verify_locations(found)
    return context


def _holds_certificates(folder: str | None) -> bool:
    return folder is not None and any(_HASHED.fullmatch(f.name) for f in Path(folder).iterdir())

"""``http:`` where the bot's own server listens, and under which name others reach it."""

import ipaddress
import re
from typing import Annotated, ClassVar, Final
from urllib.parse import SplitResult, urlsplit

from pydantic import BeforeValidator, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from bot.contracts.address import is_loopback
from bot.contracts.errors import ConfigError
from bot.settings.section import Section, refusal, shown, whole
from bot.settings.shape import Shape, matching, numerals

_ANY_ADDRESS: Final = "an IP address such as 127.0.0.1, or localhost"
_PUBLIC_URL: Final = "an address such as https://chat.example.org, without a path"
_PROXY: Final = "the IP address or network of a proxy, such as 127.0.0.1 or 10.0.0.0/8"
_NEEDS_PUBLIC_URL: Final = (
    "a loopback address such as 127.0.0.1, or `public_url` beside it: "
    "the name under which others may reach it"
)
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_IPV4: Final = rf"(?:{numerals(0, 255)})(?:\.(?:{numerals(0, 255)})){{3}}"
_IPV6: Final = r"[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*"
"""Its characters; that they are an address is left to the loader."""
_LOCAL: Final = rf"localhost|127(?:\.(?:{numerals(0, 255)})){{3}}"
_LOOPBACK: Final = f"{_LOCAL}|::1"
_PORT: Final = f"(?::(?:{numerals(1, 65535)}))?/?"
_NAMED: Final = (
    rf"[Hh][Tt][Tt][Pp][Ss]://(?:(?!-)[\w-]+(?:\.(?!-)[\w-]+)*|\[{_IPV6}\]){_PORT}"
    rf"|[Hh][Tt][Tt][Pp]://(?:{_LOCAL}|\[::1\]){_PORT}"
)
_NETWORK: Final = matching(
    f"{_IPV4}(?:/(?:{numerals(1, 32)}))?|{_IPV6}(?:/(?:{numerals(1, 128)}))?"
)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def _host(value: object) -> object:
    if not isinstance(value, str):
        raise refusal(value, _ANY_ADDRESS)
    if value != "localhost":
        try:
            ipaddress.ip_address(value)
        except ValueError:
            raise refusal(value, _ANY_ADDRESS) from None
    return value


def _public_url(value: object) -> object:
    """Return it as browsers name an origin: the name in lower case, no default port, no path."""
    if value in (None, ""):
        return None
    if not isinstance(value, str):
        raise refusal(value, _PUBLIC_URL)
    try:
        parts = urlsplit(value)
        name, port = _name(parts), parts.port
    except ValueError:
        raise refusal(value, _PUBLIC_URL) from None
    if parts.scheme not in _DEFAULT_PORTS or "@" in parts.netloc or not name or port == 0:
        raise refusal(value, _PUBLIC_URL)
    if parts.path not in {"", "/"} or "?" in value or "#" in value:
        expected = f"{_PUBLIC_URL}: whatever else is served under that name shares its logins"
        raise refusal(value, expected)
    if parts.scheme == "http" and not is_loopback(name.strip("[]")):
        expected = f"https://{name}: without encryption, everybody on the way reads the logins"
        raise refusal(value, expected)
    if port is None or port == _DEFAULT_PORTS[parts.scheme]:
        return f"{parts.scheme}://{name}"
    return f"{parts.scheme}://{name}:{port}"


def _name(parts: SplitResult) -> str:
    """Return the host as browsers write it into ``Host``.

    Raises:
        ValueError: it is no name and no address.
    """
    name = parts.hostname or ""
    if ":" in name:
        return f"[{ipaddress.IPv6Address(name)}]"
    name = name.encode("idna").decode().lower()
    if not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise ValueError(name)
    return name


def _proxies(value: object) -> object:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple):
        raise refusal(value, f"a list; each is {_PROXY}")
    return tuple(_proxy(one) for one in value)


def _proxy(value: object) -> str:
    if not isinstance(value, str):
        raise refusal(value, _PROXY)
    try:
        network = ipaddress.ip_network(value)
    except ValueError:
        raise refusal(value, _PROXY) from None
    if network.prefixlen == 0:
        raise refusal(value, f"{_PROXY}; to trust everybody is to trust nobody's address")
    return str(network)


class HttpSettings(Section):
    """The address of the page."""

    rules: ClassVar[Shape] = {
        "if": {
            "properties": {
                "host": {"not": {"anyOf": [*matching(_LOOPBACK)["anyOf"], {"type": "null"}]}}
            },
            "required": ["host"],
        },
        "then": {
            "properties": {"public_url": {"not": {"enum": [None, ""]}}},
            "required": ["public_url"],
        },
    }

    host: Annotated[
        str, BeforeValidator(_host), WithJsonSchema(matching(f"localhost|{_IPV4}|{_IPV6}"))
    ] = "127.0.0.1"
    """The IP address it listens at. Only with `public_url` one that other machines reach."""
    port: Annotated[int, BeforeValidator(whole(0, 65535))] = 7870
    """The TCP port; 0 takes any free one."""
    public_url: Annotated[
        str | None, BeforeValidator(_public_url), WithJsonSchema(matching(_NAMED, ""))
    ] = None
    """Where browsers elsewhere find it, such as `https://chat.example.org`: a name of its own, with
    a proxy behind it that has the certificate. Links begin with it, and no other name is served."""
    trusted_proxies: Annotated[
        tuple[str, ...],
        BeforeValidator(_proxies),
        WithJsonSchema({"anyOf": [{"type": "array", "items": _NETWORK}, *_NETWORK["anyOf"]]}),
    ] = ()
    """IP addresses and networks whose `X-Forwarded-For`, `-Proto`, `-Host` and `Forwarded` are
    believed. Nobody's are unless listed, not even this machine's."""

    @model_validator(mode="after")
    def _reached_by_name_only(self) -> "HttpSettings":
        if not is_loopback(self.host) and self.public_url is None:
            raise PydanticCustomError(
                "exposed",
                "{key}",
                {"key": "host", "found": shown(self.host), "expected": _NEEDS_PUBLIC_URL},
            )
        return self

    def listening(self, *, host: str | None = None, port: int | None = None) -> "HttpSettings":
        """Return these settings with another host or port, as a command line asks for them.

        Raises:
            ConfigError: it is no address, or one that others reach while no `public_url` is set.
        """
        wanted = {"host": host, "port": port}
        changed = self.model_copy(update={k: v for k, v in wanted.items() if v is not None})
        try:
            _host(changed.host)
        except PydanticCustomError:
            raise ConfigError("--host", repr(host), _ANY_ADDRESS) from None
        if not is_loopback(changed.host) and changed.public_url is None:
            expected = _NEEDS_PUBLIC_URL.replace("`public_url` beside it", "`http.public_url` set")
            raise ConfigError("--host", repr(changed.host), expected)
        return changed

"""What a failed call means: the part of every provider's `translate` that is the same (pure)."""

import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

import aiohttp

from bot.contracts.errors import (
    ContextOverflow,
    KeyExhausted,
    KeyRefused,
    ModelDisconnected,
    ModelError,
    ModelUnavailable,
    ModelUnknown,
    RequestRefused,
)
from bot.contracts.secret import mask
from bot.models.server import Server

_LONGEST: Final = 300
"""Characters of a provider's own sentence that are passed on."""

_SPENT: Final = frozenset(
    {
        "billing_error",
        "billing_hard_limit_reached",
        "contract_spend_limit_reached",
        "credit_balance_exhausted",
        "enforced_spend_limit_reached",
        "insufficient_quota",
        "linked_organization_spend_limit_reached",
    }
)
"""Codes for "no money left": they come with 400, 402, 403 or 429, so the status cannot tell."""

_SPENT_WORDS: Final = re.compile(
    r"specified api usage limits|credit balance is too low|insufficient (credit|balance|funds)"
    r"|余额不足|欠费",
    re.IGNORECASE,
)

_OVERFLOW: Final = frozenset(
    {
        "context_length_exceeded",
        "exceed_context_size_error",
        "model_context_window_exceeded",
        "request_body_too_large_after_decoding",
        "request_too_large",
    }
)
_OVERFLOW_WORDS: Final = re.compile(
    r"prompt is too long|(maximum|max|model'?s?) context (length|window|size)|context window"
    r"|available context size|context length exceeded|input is too long|上下文(过长|超出|长度超)",
    re.IGNORECASE,
)
_NO_MODEL: Final = frozenset({"model_not_found", "model_not_available"})

_STATUS_OF: Final[Mapping[str, int]] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""What the status would have been, had the error not come in the middle of a stream."""

_SECONDS: Final = re.compile(r"[0-9]{1,8}(\.[0-9]+)?")
BROKEN: Final = (aiohttp.ClientError, OSError)
"""What a client raises whose request was not answered, or whose answer was not whole."""

_UNREACHED: Final = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
)
"""Those of them that come before anything was sent."""

_OUR_NETWORK: Final = (
    "most likely it is this machine's network: see that it is online, and whether it needs a proxy"
)
"""What to look at where a provider's own server cannot be reached: it hardly ever is down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What a server said when it did not answer."""

    status: int
    codes: frozenset[str] = frozenset()
    """The error's type and codes; providers put the cause in one or the other."""
    message: str = ""
    retry_after: str | None = None
    """The header as sent: seconds, or an HTTP date (RFC 9110, 10.2.3)."""
    is_page: bool = False
    """It is a web page, so something else than the API answered."""

    @classmethod
    def of(cls, status: int, headers: Mapping[str, str], body: object) -> "Failure":
        """Read an error's body, in any of the shapes that compatible servers use."""
        error = body.get("error", body) if isinstance(body, dict) else body
        kind = headers.get("content-type", "").lower()
        text = error if isinstance(error, str) else ""
        is_page = "html" in kind or text.lstrip()[:15].lower().startswith(("<!doctype", "<html"))
        return cls(
            status=status,
            codes=frozenset(_codes(error)),
            message="" if is_page else text or _message(error),
            retry_after=headers.get("retry-after"),
            is_page=is_page,
        )


def diagnose(failure: Failure, server: Server, now: datetime) -> ModelError:
    """Say what *failure* means for failover. Status and codes decide, words only where both lie.

    The order matters: a web page is never the API's word, and a spend limit or
    an overflow may wear any status.
    """
    if failure.is_page and failure.status not in {413, 429}:
        return _page(failure.status, server)
    status = _status(failure)
    said = _said(failure.message)
    if status == 402 or failure.codes & _SPENT or _spent_in_words(status, failure.message):
        return KeyExhausted(f"{server} says that no money is left ({status}): {said}", spent=True)
    if status == 413 or failure.codes & _OVERFLOW or _overflow_in_words(status, failure.message):
        return ContextOverflow(f"{server} says that the request is too long ({status}): {said}")
    if status == 404 or failure.codes & _NO_MODEL:
        return ModelUnknown(
            f"{server} knows no model {server.model!r} ({status}): "
            "check the model's name and the base_url"
        )
    return _by_status(status, failure, server, now)


def _by_status(status: int, failure: Failure, server: Server, now: datetime) -> ModelError:
    said = _said(failure.message)
    if status in {401, 403}:
        return _refused_key(status, server)
    if status == 429:
        wait = _seconds(failure.retry_after, now)
        until = None if wait is None else now + timedelta(seconds=wait)
        return KeyExhausted(f"{server} asks this key to wait (429): {said}", until=until)
    if status in {503, 529}:
        return ModelUnavailable(f"{server} is overloaded or down ({status}): {said}")
    if status in {408, 409} or status >= 500:
        wait = _seconds(failure.retry_after, now)
        # A gateway that gave up waiting does not know what was done behind it.
        return ModelDisconnected(
            f"{server} stumbled ({status}): {said}", retry_after=wait, refused=status != 504
        )
    if status < 400:
        return ModelUnavailable(f"{server} answered with a redirect ({status}): check base_url")
    return RequestRefused(f"{server} refused the request ({status}): {said}")


def broken(error: BaseException, server: Server) -> ModelError:
    """Say what a broken connection means: whether the server was ever reached decides."""
    chain = tuple(_causes(error))
    if not any(isinstance(cause, _UNREACHED) for cause in chain):
        return ModelDisconnected(f"the connection to {server} broke before the answer was whole")
    check = _OUR_NETWORK if server.is_own else "check that it runs there"
    return ModelUnavailable(f"cannot reach {server}: {_why(chain)}; {check}")


def unusable_proxy(scheme: str, server: Server) -> ModelError:
    """Say that the proxy of the environment is one of a kind that we cannot speak to."""
    return ModelUnavailable(
        f"cannot reach {server}: the proxy in the environment is a {scheme} proxy, and only "
        "http and https ones can be used; name another, or this host in no_proxy"
    )


def garbled(server: Server) -> ModelError:
    """Say that a piece of the stream could not be read."""
    return ModelDisconnected(f"{server} sent a piece of its answer that is no valid JSON")


def _page(status: int, server: Server) -> ModelError:
    sentence = (
        f"{server} answered with a web page instead of a model's words ({status}): "
        "check base_url and any proxy in between"
    )
    return ModelDisconnected(sentence) if status >= 500 else ModelUnavailable(sentence)


def _refused_key(status: int, server: Server) -> ModelError:
    if not server.keyed:
        return KeyRefused(f"{server} wants a key ({status}) and none is set: set one")
    return KeyRefused(
        f"{server} refused the key ({status}): check that it is whole, not revoked, "
        f"and may use {server.model!r}"
    )


def _status(failure: Failure) -> int:
    """An error in the middle of a stream wears 200: then its codes say what it is."""
    if failure.status >= 300:
        return failure.status
    numbers = (int(code) for code in failure.codes if re.fullmatch("[45][0-9][0-9]", code))
    names = (_STATUS_OF[code] for code in failure.codes if code in _STATUS_OF)
    return next(numbers, next(names, 500))


def _spent_in_words(status: int, message: str) -> bool:
    return status in {400, 403, 429} and _SPENT_WORDS.search(message[:512]) is not None


def _overflow_in_words(status: int, message: str) -> bool:
    return status in {400, 422, 500} and _OVERFLOW_WORDS.search(message) is not None


def _said(message: str) -> str:
    words = mask(" ".join(message.split()))
    if not words:
        return "it did not say why"
    return words if len(words) <= _LONGEST else words[:_LONGEST] + "…"


def _seconds(retry_after: str | None, now: datetime) -> float | None:
    if retry_after is None:
        return None
    if _SECONDS.fullmatch(retry_after):
        return float(retry_after)
    try:
        when = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _codes(error: object) -> Iterator[str]:
    if not isinstance(error, dict):
        return
    details = error.get("details")
    for code in (
        error.get("type"),
        error.get("code"),
        details.get("error_code") if isinstance(details, dict) else None,
    ):
        if isinstance(code, str | int) and code:
            yield str(code)


def _message(error: object) -> str:
    if not isinstance(error, dict):
        return ""
    found = (error.get(name) for name in ("message", "detail", "error_message"))
    return next((text for text in found if isinstance(text, str)), "")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _why(chain: tuple[BaseException, ...]) -> str:
    """Name the first cause that a person can act on."""
    for cause in chain:
        match cause:
            case ssl.SSLCertVerificationError():
                return "its certificate is not trusted"
            case ssl.SSLError():
                return "it does not speak TLS there"
            case socket.gaierror():
                return "there is no host of that name"
            case aiohttp.ConnectionTimeoutError():
                return "it did not take the connection in time"
            case aiohttp.ClientHttpProxyError():
                return "the proxy in between refused"
            case ConnectionRefusedError():
                return "nothing listens there"
            case _:
                continue
    return "the connection failed"

import socket
import ssl
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

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
from bot.models.failure import Failure, broken, diagnose
from bot.models.server import Server

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SERVER = Server(provider="OpenAI", model="m", base_url="https://a:b@x.test/v1?k=1", keyed=True)

_KEY = ConnectionKey(
    host="x.test", port=443, is_ssl=True, ssl=True, proxy=None, proxy_auth=None,
    proxy_headers_hash=None,
)  # fmt: skip
_ASKED = aiohttp.RequestInfo(
    URL("https://x.test/v1"), "POST", CIMultiDictProxy(CIMultiDict()), URL("https://x.test/v1")
)

_CAPPED = "You have reached your specified API usage limits. You will regain access on …"
_BROKE = "Your credit balance is too low to access the Anthropic API."


def fails(status: int, body: object = None, **headers: str) -> ModelError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return diagnose(Failure.of(status, named, body), SERVER, NOW)


def openai(code: str | int | None, message: str = "No.", kind: str = "x") -> dict[str, object]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def anthropic(kind: str, message: str = "No.", code: str | None = None) -> dict[str, object]:
    error: dict[str, object] = {"type": kind, "message": message}
    if code:
        error["details"] = {"error_code": code}
    return {"type": "error", "error": error, "request_id": "req_1"}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, openai("insufficient_quota")),
        (429, openai(None, kind="insufficient_quota")),
        (429, openai("credit_balance_exhausted")),
        (402, None),
        (402, anthropic("billing_error")),
        (429, anthropic("rate_limit_error", code="enforced_spend_limit_reached")),
        (429, anthropic("rate_limit_error", code="contract_spend_limit_reached")),
        (400, anthropic("invalid_request_error", _CAPPED)),
        (400, anthropic("invalid_request_error", _BROKE)),
        (200, anthropic("billing_error")),
        (403, openai(None, "Insufficient balance")),
        (429, openai("1113", "余额不足或无可用资源包,请充值。")),
    ],
)  # fmt: skip
def test_no_money_left_wears_many_statuses(status: int, body: object) -> None:
    error = fails(status, body, retry_after="1")

    assert isinstance(error, KeyExhausted)
    assert error.spent
    assert error.until is None


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, openai("context_length_exceeded")),
        (400, openai(None, "This model's maximum context length is 8192 tokens. However, …")),
        (400, openai(None, "Your input exceeds the context window of this model.")),
        (400, openai(400, "Too large.", "exceed_context_size_error")),
        (500, openai(500, "the request exceeds the available context size")),
        (400, anthropic("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")),
        (413, anthropic("request_too_large")),
        (413, "<html>too large</html>"),
        (200, anthropic("request_too_large")),
        (400, openai(None, "上下文过长")),
    ],
)  # fmt: skip
def test_too_long_is_told_by_code_else_by_words(status: int, body: object) -> None:
    assert isinstance(fails(status, body), ContextOverflow)


def test_the_words_of_a_rate_limit_are_no_overflow() -> None:
    said = "Request too large for gpt-x on tokens per min (TPM): the context window is not it"

    assert isinstance(fails(429, openai("rate_limit_exceeded", said)), KeyExhausted)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (404, openai("model_not_found"), ModelUnknown),
        (400, openai("model_not_found"), ModelUnknown),
        (404, {"error": "model 'm' not found, try pulling it first"}, ModelUnknown),
        (404, {"detail": "Not Found"}, ModelUnknown),
        (401, openai("invalid_api_key"), KeyRefused),
        (403, anthropic("permission_error"), KeyRefused),
        (400, anthropic("invalid_request_error"), RequestRefused),
        (500, anthropic("api_error"), ModelDisconnected),
        (529, anthropic("overloaded_error"), ModelUnavailable),
        (307, None, ModelUnavailable),
    ],
)
def test_a_status_says_who_must_act(status: int, body: object, expected: type[ModelError]) -> None:
    assert type(fails(status, body)) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (anthropic("overloaded_error"), ModelUnavailable),
        (anthropic("api_error"), ModelDisconnected),
        (anthropic("rate_limit_error"), KeyExhausted),
        (anthropic("authentication_error"), KeyRefused),
        (anthropic("not_found_error"), ModelUnknown),
        (anthropic("invalid_request_error"), RequestRefused),
        (openai("server_error"), ModelDisconnected),
        (openai("rate_limit_exceeded"), KeyExhausted),
        (openai(502, "Provider returned error"), ModelDisconnected),
        (openai(429), KeyExhausted),
        ("something", ModelDisconnected),
    ],
)
def test_an_error_in_the_middle_of_a_stream_is_told_by_its_codes(
    body: object, expected: type[ModelError]
) -> None:
    assert type(fails(200, body)) is expected


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("20", 20.0),
        ("0.5", 0.5),
        ("-3", None),
        ("Mon, 30 Nov 2026 12:01:00 GMT", 60.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("9" * 400, None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str, seconds: float | None) -> None:
    error = fails(429, None, retry_after=header)

    assert isinstance(error, KeyExhausted)
    assert error.until == (None if seconds is None else NOW + timedelta(seconds=seconds))


def test_a_sentence_names_the_server_without_what_is_secret_in_its_address() -> None:
    assert str(fails(500)) == ("OpenAI at https://x.test/v1 stumbled (500): it did not say why")


def unreached(cause: OSError) -> aiohttp.ClientConnectorError:
    error = aiohttp.ClientConnectorError(_KEY, cause)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (unreached(ConnectionRefusedError(111, "refused")), "nothing listens there"),
        (unreached(socket.gaierror(-2, "Name unknown")), "there is no host of that name"),
        (unreached(ssl.SSLCertVerificationError("self")), "its certificate is not trusted"),
        (unreached(ssl.SSLError(1, "wrong version")), "it does not speak TLS there"),
        (unreached(OSError(113, "No route to host")), "the connection failed"),
        (aiohttp.ConnectionTimeoutError(), "it did not take the connection in time"),
        (aiohttp.ClientHttpProxyError(_ASKED, ()), "the proxy in between refused"),
        (aiohttp.ClientProxyConnectionError(_KEY, OSError(5, "?")), "the connection failed"),
    ],
)
def test_a_server_that_was_never_reached_is_unavailable(error: Exception, said: str) -> None:
    found = broken(error, SERVER)

    assert isinstance(found, ModelUnavailable)
    assert f"cannot reach OpenAI at https://x.test/v1: {said}" in str(found)
    assert str(found).endswith("; check that it runs there")

    found = broken(error, replace(SERVER, is_own=True))

    assert isinstance(found, ModelUnavailable)
    assert f"cannot reach OpenAI at https://x.test/v1: {said}" in str(found)
    assert "this machine's network" in str(found)


@pytest.mark.parametrize(
    "error",
    [
        aiohttp.ClientOSError(104, "reset"),
        aiohttp.ClientPayloadError("not whole"),
        aiohttp.ServerDisconnectedError(),
        aiohttp.ClientResponseError(_ASKED, ()),
        ssl.SSLError("bad record"),
        ConnectionResetError(),
    ],
)
def test_a_connection_that_broke_later_is_tried_again(error: Exception) -> None:
    assert isinstance(broken(error, SERVER), ModelDisconnected)

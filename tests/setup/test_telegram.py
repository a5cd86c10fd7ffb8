"""A bot's token is told by its shape, and whose it is by the Bot API."""

import pytest
from aiohttp import web

from bot.contracts.errors import SetupRefused
from bot.contracts.secret import Secret
from bot.setup.telegram import username_of
from tests.doubles.fake_telegram import FakeTelegram

GOOD = Secret(FakeTelegram.token)
OTHER = Secret("987654321:BBOtherTokenThatIsNobodys-0123456789_x")


async def test_the_owner_of_a_good_token_is_named() -> None:
    async with FakeTelegram() as server:
        assert await username_of(GOOD, server.address) == "example_bot"
        assert server.asked == [f"GET /bot{FakeTelegram.token}/getMe"]


@pytest.mark.parametrize(
    "token", ["", "hello", "sk-ant-api03-x", "123456789", "123456789:short", "../../x:" + "a" * 35]
)
async def test_what_is_no_token_is_sent_nowhere(token: str) -> None:
    async with FakeTelegram() as server:
        with pytest.raises(SetupRefused, match="@BotFather"):
            await username_of(Secret(token), server.address)

        assert server.asked == []


async def test_a_token_of_nobody_is_refused_without_it() -> None:
    async with FakeTelegram() as server:
        with pytest.raises(SetupRefused) as caught:
            await username_of(OTHER, server.address)

    assert "does not know this token (401)" in str(caught.value)
    assert "BBOther" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (web.Response(status=404, text="gone"), "does not know this token (404)"),
        (web.Response(status=429, text="{}"), "asks to wait"),
        (web.Response(status=502, text="<html>"), "answered with 502"),
        (web.Response(status=302, headers={"location": "http://127.0.0.1:1/"}), "with 302"),
        (
            web.Response(text="<html>a login page</html>", content_type="text/html"),
            "not as the Bot",
        ),
        (web.json_response({"ok": True}), "not as the Bot API does"),
        (web.json_response({"ok": True, "result": {"username": "x", "is_bot": False}}), "not as"),
        (
            web.json_response({"ok": True, "result": {"is_bot": True, "username": "<b>x</b>"}}),
            "cannot be one",
        ),
    ],
)
async def test_what_is_no_bot_api_is_not_believed(answer: web.Response, said: str) -> None:
    async with FakeTelegram(answer) as server:
        with pytest.raises(SetupRefused) as caught:
            await username_of(GOOD, server.address)

    assert said in str(caught.value)
    assert FakeTelegram.token not in str(caught.value)


async def test_where_nobody_answers_the_network_is_named_and_the_token_is_not() -> None:
    with pytest.raises(SetupRefused) as caught:
        await username_of(GOOD, "http://127.0.0.1:1")

    assert "Cannot reach 127.0.0.1:1: nothing listens there" in str(caught.value)
    assert FakeTelegram.token not in repr(caught.value)

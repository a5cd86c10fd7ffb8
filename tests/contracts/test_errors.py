import pytest

from bot.contracts.errors import (
    BotError,
    ConfigError,
    ContextOverflow,
    KeyExhausted,
    KeyRefused,
    ModelDisconnected,
    ModelError,
    ModelUnavailable,
    ModelUnknown,
    RateLimited,
    Remedy,
    RequestRefused,
)


def test_a_setting_that_is_wrong_is_told_with_its_place_and_its_remedy() -> None:
    error = ConfigError("http.port", "'eighty'", "a number", where="config.yaml:3")

    assert str(error) == "config.yaml:3: http.port: found 'eighty', expected a number"
    assert isinstance(error, BotError)


def test_a_platform_that_asks_for_a_pause_says_how_long() -> None:
    error = RateLimited(1.5)

    assert error.retry_after == 1.5
    assert "1.5 seconds" in str(error)


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (ModelDisconnected("cut"), Remedy.RETRY),
        (KeyRefused("wrong"), Remedy.ROTATE_KEY),
        (KeyExhausted("empty", spent=True), Remedy.ROTATE_KEY),
        (ModelUnavailable("down"), Remedy.NEXT_MODEL),
        (ModelUnknown("who?"), Remedy.NEXT_MODEL),
        (ContextOverflow("too long"), Remedy.COMPACT),
        (RequestRefused("illegal"), Remedy.GIVE_UP),
        (ModelError("anything else"), Remedy.GIVE_UP),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_failure_of_a_model_says_what_to_do_next(error: ModelError, remedy: Remedy) -> None:
    assert error.remedy is remedy

"""What can be set under ``channels.webchat``: so far nothing, and nothing is needed."""

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.contracts.errors import ConfigError


class WebchatSettings(BaseModel):
    """The section of the page's channel."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def read_settings(section: dict[str, object]) -> WebchatSettings:
    """Read the section.

    Raises:
        ConfigError: it holds a key that does not exist.
    """
    try:
        return WebchatSettings.model_validate(section)
    except ValidationError as error:
        name = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise ConfigError(f"channels.webchat.{name}", "an unknown key", "no such key") from None

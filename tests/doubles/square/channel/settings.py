"""What can be set under ``channels.square``: the address, the token, the number of sockets."""

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.contracts.errors import ConfigError


class SquareSettings(BaseModel):
    """The section of the channel, without what the bot reads of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str = Field(pattern="^http://")
    token: str
    connections: int = Field(default=2, ge=1, le=8)


def read_settings(section: dict[str, object]) -> SquareSettings:
    """Read the section.

    Raises:
        ConfigError: something in it is missing, wrong or unknown.
    """
    try:
        return SquareSettings.model_validate(section)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        name = ".".join(("channels.square", *(str(part) for part in first["loc"])))
        raise ConfigError(name, first["type"], first["msg"]) from None

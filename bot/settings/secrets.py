"""Secrets in the settings: written down, from ``${NAME}``, or from a file of their own."""

import os
import stat
from typing import Annotated, Final, cast

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError

from bot.contracts.secret import Secret
from bot.settings.section import shown
from bot.settings.shape import SECRET
from bot.settings.surroundings import Surroundings

_LARGEST: Final = 64 * 1024
_EXPECTED: Final = "a secret as text, as ${NAME}, or as {file: path}"


def read_secret_file(written: str, surroundings: Surroundings) -> Secret:
    """Read a secret from a file, without its last line break.

    Raises:
        ValueError: it cannot be read, is empty, or is no plain text file.
    """
    if not written.strip():
        raise ValueError("the path of a file")
    path = surroundings.absolute(written)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as opened:  # noqa: PTH123 - a descriptor, checked before use
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise ValueError(f"{path} to be a plain file")
            text = opened.read(_LARGEST + 1).decode().strip("\r\n")
    except OSError as error:
        raise ValueError(f"{path} to be readable ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} to hold UTF-8 text") from None
    if not text.strip() or len(text) > _LARGEST or "\n" in text:
        raise ValueError(f"{path} to hold one line, the secret")
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o077:
        surroundings.findings.append(
            f"{path}: others may read this secret (mode {mode:04o}); run chmod 600 {path}"
        )
    return Secret(text)


def _secret(value: object, info: ValidationInfo) -> object:
    match value:
        case Secret():
            return value
        case str() if value.strip():
            return Secret(value.strip())
        case {"file": str(written), **others} if not others:
            try:
                return read_secret_file(written, cast("Surroundings", info.context))
            except ValueError as error:
                found = f"the file {written!r}"
                raise PydanticCustomError(
                    "refused", "{found}", {"found": found, "expected": str(error)}
                ) from None
        case _:
            found = "a value that is not shown" if isinstance(value, str) else shown(value)
            raise PydanticCustomError("refused", "{found}", {"found": found, "expected": _EXPECTED})


SecretText = Annotated[Secret, BeforeValidator(_secret), WithJsonSchema(SECRET)]
"""A value that no error, log line or listing shows."""

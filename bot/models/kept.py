"""The bytes of what is sent again with every request."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from bot.contracts.messages import Message

_T = TypeVar("_T")

_MOST_BYTES: Final = 4 * 1024 * 1024


class KeptBytes:
    """Encodes a message once, for as long as the very same object comes again.

    A conversation's past is sent whole with each request and does not change, so
    that a request costs what is new in it.
    """

    def __init__(self, encode: Callable[[Message], bytes], most_bytes: int = _MOST_BYTES) -> None:
        self._encode = encode
        self._most_bytes = most_bytes
        self._kept: dict[int, tuple[Message, bytes]] = {}
        self._size = 0

    def __call__(self, message: Message) -> bytes:
        """Return the bytes of *message*."""
        # Found by identity: what is kept keeps the object, so that no other gets its number.
        if (found := self._kept.get(id(message))) is not None:
            return found[1]
        encoded = self._encode(message)
        if self._size + len(encoded) > self._most_bytes:
            self._kept.clear()
            self._size = 0
        self._kept[id(message)] = (message, encoded)
        self._size += len(encoded)
        return encoded


class KeptOne(Generic[_T]):
    """Encodes a value once, for as long as an equal one comes again."""

    def __init__(self, encode: Callable[[_T], bytes]) -> None:
        self._encode = encode
        self._kept: tuple[_T, bytes] | None = None

    def __call__(self, value: _T) -> bytes:
        """Return the bytes of *value*."""
        if self._kept is None or self._kept[0] != value:
            self._kept = (value, self._encode(value))
        return self._kept[1]

"""Between our dataclasses and JSON on disk: the door through which records come back."""

import json
from collections.abc import Callable
from functools import cached_property
from typing import Final, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from bot.contracts.approval import Question
from bot.contracts.delivery import Receipt
from bot.contracts.errors import RecordUnreadable
from bot.contracts.reply import ReplyPayload, Target
from bot.contracts.text import clean
from bot.contracts.transcript import Entry
from bot.contracts.turn import Arrival, Outcome, SessionChoices, Usage

T = TypeVar("T")


class Codec(Generic[T]):
    """Writes values of one type as JSON and reads them back.

    A field that this version does not know is ignored, so that a newer minor
    version's records can be read. Its adapter is costly, and made for the first value.
    """

    def __init__(self, adapter: Callable[[], TypeAdapter[T]]) -> None:
        self._make = adapter

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return self._make()

    def encode(self, value: T) -> str:
        """Write *value*. A lone surrogate, which UTF-8 cannot hold, becomes U+FFFD."""
        try:
            return self._adapter.dump_json(value).decode()
        except PydanticSerializationError:
            plain = self._adapter.dump_python(value, mode="json")
            return clean(json.dumps(plain, ensure_ascii=False))

    def decode(self, text: str) -> T:
        """Read what `encode` wrote.

        Raises:
            RecordUnreadable: it does not fit the type.
        """
        try:
            return self._adapter.validate_json(text)
        except ValidationError as error:
            raise RecordUnreadable(
                f"a stored {error.title} cannot be read: {error.errors()[0]['msg']};"
                " it was changed by hand or written by another version"
            ) from error


ARRIVAL: Final = Codec(lambda: TypeAdapter(Arrival))
CHOICES: Final = Codec(lambda: TypeAdapter(SessionChoices))
ENTRY: Final[Codec[Entry]] = Codec(lambda: TypeAdapter(Entry))
OUTCOME: Final = Codec(lambda: TypeAdapter(Outcome))
PAYLOAD: Final = Codec(lambda: TypeAdapter(ReplyPayload))
QUESTION: Final = Codec(lambda: TypeAdapter(Question))
RECEIPT: Final = Codec(lambda: TypeAdapter(Receipt))
TARGET: Final = Codec(lambda: TypeAdapter(Target))
USAGE: Final = Codec(lambda: TypeAdapter(Usage))

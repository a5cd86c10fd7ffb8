"""What the arguments of every tool have in common: a schema for the model, a check at the door."""

import inspect
import json
from collections.abc import Mapping
from functools import cache
from typing import ClassVar, Final, Self

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, from_json

from bot.contracts.errors import ToolError
from bot.contracts.text import clean

_SHOWN: Final = 200
"""How many characters of a wrong value are told back to the model."""


class Arguments:
    """The arguments of a tool, a frozen dataclass of its own.

    Its docstring is the tool's description, the docstring under each field is
    that field's. Where a model wrote a number or a truth value as text, the text
    is read; a null where there is a default means the default; an argument
    nobody knows is refused.
    """

    __slots__ = ()

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", use_attribute_docstrings=True
    )

    @classmethod
    def purpose(cls) -> str:
        """Return what the tool does: the docstring (pure)."""
        return inspect.getdoc(cls) or ""

    @classmethod
    def schema(cls) -> Mapping[str, object]:
        """Return the JSON schema, the same bytes each time (pure)."""
        schema: dict[str, object] = json.loads(cls._schema_text())
        return schema

    @classmethod
    def parse(cls, arguments: str) -> Self:
        """Read the model's JSON text; an empty one has no arguments (pure).

        Raises:
            ToolError: it is not JSON or does not fit, said per path.
        """
        try:
            given = from_json(clean(arguments).strip() or "{}", allow_inf_nan=False)
        except ValueError as error:
            raise ToolError(f"the arguments are not valid JSON: {error}") from None
        if not isinstance(given, dict):
            raise ToolError(f"the arguments must be a JSON object, not {_shown(given)}")
        schema = json.loads(cls._schema_text())
        required = schema.get("required", ())
        kept = {
            name: value for name, value in given.items() if value is not None or name in required
        }
        try:
            return cls._adapter().validate_python(kept)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False)
            known = ", ".join(schema["properties"])
            lines = "\n".join(f"- {_fault(fault, known)}" for fault in faults)
            raise ToolError(f"the arguments do not fit:\n{lines}") from None

    @classmethod
    @cache
    def _adapter(cls) -> TypeAdapter[Self]:
        return TypeAdapter(cls)

    @classmethod
    @cache
    def _schema_text(cls) -> str:
        schema = cls._adapter().json_schema()
        schema.pop("title", None)
        schema.pop("description", None)  # the tool says it already
        for field in schema.get("properties", {}).values():
            field.pop("title", None)
        return json.dumps(schema, ensure_ascii=False)


def _fault(fault: ErrorDetails, known: str) -> str:
    path = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "missing":
        return f"{path}: it is required"
    if fault["type"] == "unexpected_keyword_argument":
        return f"{path}: no such argument; there are: {known}"
    return f"{path}: {fault['msg']} (received {_shown(fault['input'])})"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

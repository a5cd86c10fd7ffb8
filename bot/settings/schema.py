"""Writes config/schema.json from the settings themselves: ``python -m bot.settings.schema``."""

import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any, Final, get_args, get_origin

from pydantic import BeforeValidator, WithJsonSchema
from pydantic.fields import FieldInfo

from bot.settings.root import Configuration
from bot.settings.section import Choice, Section, Whole, section_below
from bot.settings.shape import DEFINITIONS, Shape

_HEAD: Final = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "The settings of Stonechat",
}


def schema() -> str:
    """Return the schema (pure)."""
    whole = {**_HEAD, **_of_section(Configuration), "definitions": DEFINITIONS}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _of_section(section: type[Section]) -> dict[str, Any]:
    meanings = section.meanings()
    shape: dict[str, Any] = {
        "type": "object",
        "description": " ".join((section.__doc__ or "").split()),
        "properties": {
            name: {**_of_field(field), "description": " ".join(meanings[name].split())}
            for name, field in section.model_fields.items()
        },
        "additionalProperties": section.model_config.get("extra") == "allow",
        **section.rules,
    }
    needed = [name for name, field in section.model_fields.items() if field.is_required()]
    return {**shape, "required": needed} if needed else shape


def _of_field(field: FieldInfo) -> Shape:
    """Describe a value. Nothing after the key is as good as no key, where none is needed."""
    section, many = section_below(field)
    if section is not None and not many:
        whole = _of_section(section)
        return whole if field.is_required() else _or_nothing(whole)
    shape = _of_kind(field.annotation, *field.metadata)
    if field.is_required():
        return {"anyOf": [shape]} if "$ref" in shape else shape  # beside a $ref nothing counts
    shape = _or_nothing(shape)
    plain = isinstance(field.default, bool | int | str)
    return {**shape, "default": field.default} if plain else shape


def _of_kind(kind: Any, *checks: object) -> Shape:  # noqa: ANN401 - a type, as annotations have it
    """Describe a type by the shape its check carries, or by what it is made of."""
    for check in checks:
        if isinstance(check, WithJsonSchema) and check.json_schema is not None:
            return check.json_schema
        if isinstance(check, BeforeValidator) and isinstance(check.func, Whole | Choice):
            return check.func.shape
    if isinstance(kind, type) and issubclass(kind, Section):
        shape = _of_section(kind)
        return shape if "required" in shape else _or_nothing(shape)
    inner = get_args(kind)
    match get_origin(kind):
        case origin if origin is Annotated:
            return _of_kind(inner[0], *inner[1:])
        case origin if origin is tuple:
            return {"type": "array", "items": _of_kind(inner[0])}
        case origin if inner and type(None) in inner:
            return _of_kind(inner[0])
        case origin if origin is not None and issubclass(origin, Mapping):
            names = {} if inner[0] is str else {"propertyNames": _of_kind(inner[0])}
            return {"type": "object", **names, "additionalProperties": _of_kind(inner[1])}
    raise TypeError(f"no shape is known of {kind}: annotate it with WithJsonSchema")


def _or_nothing(shape: Shape) -> Shape:
    match shape:
        case {"type": str(kind)}:
            return {**shape, "type": [kind, "null"]}
        case {"type": kinds}:
            return {**shape, "type": [*kinds, "null"]}
        case {"anyOf": kinds}:
            return {"anyOf": [*kinds, {"type": "null"}]}
        case _:
            return {"anyOf": [shape, {"type": "null"}]}


if __name__ == "__main__":
    sys.stdout.write(schema())

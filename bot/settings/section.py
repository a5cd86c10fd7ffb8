"""What every part of the settings is: frozen, exact, and able to say what is wrong with it."""

import ast
import difflib
import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, ClassVar, Final, cast, get_args, get_origin

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from bot.settings.shape import FLAG, PATH, TEXT, Shape, matching, whole_between
from bot.settings.surroundings import Surroundings


class Section(BaseModel):
    """A mapping with known keys. A key with nothing after it counts as not written."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        arbitrary_types_allowed=True,
        validate_default=False,
    )

    rules: ClassVar[Shape] = {}
    """What an editor is told of several keys at once, in JSON Schema."""

    @model_validator(mode="before")
    @classmethod
    def _without_the_unwritten(cls, value: object) -> object:
        value = {} if value is None else value
        if not isinstance(value, dict):
            raise refusal(value, "a mapping: lines of the form `key: value`")
        # A key nobody knows is kept even with nothing after it: its name is the mistake.
        return {
            key: item
            for key, item in value.items()
            if item is not None or key not in cls.model_fields
        }

    @classmethod
    def meanings(cls) -> Mapping[str, str]:
        """Return what each key means: the text below it in the source (pure).

        It is read when somebody asks; pydantic's own way to it doubles the time to start.
        """
        found: dict[str, str] = {}
        for each in reversed(cls.__mro__):
            if issubclass(each, Section) and each is not Section:
                found |= _meanings_of(each)
        return found


def _meanings_of(section: type[Section]) -> Mapping[str, str]:
    """Return what *section* says of its own keys, without those it inherits."""
    (written,) = ast.parse(inspect.getsource(section)).body
    body = written.body if isinstance(written, ast.ClassDef) else ()
    return {
        key.id: inspect.cleandoc(text)
        for field, below in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(key := field.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(text := ast.literal_eval(below.value), str)
    }


def section_below(field: FieldInfo) -> tuple[type[Section] | None, str]:
    """Find the section below a field, and how each of several is named (pure).

    That is ``.<name>`` in a mapping, ``[]`` in a list, and nothing where there is only one.
    """
    kind, many = field.annotation, ""
    if get_origin(kind) is UnionType:  # a section or nothing
        kind = next((one for one in get_args(kind) if one is not NoneType), kind)
    if get_origin(kind) is Mapping:
        kind, many = get_args(kind)[1], ".<name>"
    elif get_origin(kind) is tuple:
        kind, many = get_args(kind)[0], "[]"
    section = kind if isinstance(kind, type) and issubclass(kind, Section) else None
    return section, many if section is not None or many == ".<name>" else ""


def one_of(names: Iterable[str], found: str) -> str:
    """List what would be accepted, and guess what was meant (pure)."""
    known = sorted(names)
    close = difflib.get_close_matches(found, known, n=1, cutoff=0.6)
    listed = "one of " + ", ".join(known) if known else "no key here"
    return f"{listed} (did you mean {close[0]!r}?)" if close else listed


def refusal(found: object, expected: str) -> PydanticCustomError:
    """Make the error of a value that does not fit; the loader says where it stands."""
    return PydanticCustomError("refused", "{found}", {"found": shown(found), "expected": expected})


def shown(value: object) -> str:
    """Write a found value for an error message (pure)."""
    match value:
        case None:
            return "nothing"
        case str() if len(value) > 60:
            return f"{value[:50]!r}… ({len(value)} characters)"
        case int():
            return str(value)
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case _:
            return repr(value)


_NUMBER: Final = re.compile(r"0|-?[1-9][0-9]{0,17}")


def _flag(value: object) -> object:
    match value:
        case bool():
            return value
        case "true" | "false":
            return value == "true"
        case _:
            raise refusal(value, "true or false")


@dataclass(frozen=True, slots=True)
class Whole:
    """The check of a whole number in a range, ends included.

    It is written in the plain way: no octal, no underscore, no exponent.
    """

    low: int
    high: int

    def __call__(self, value: object) -> int:
        """Return the number, or raise the refusal."""
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = int(value)
        if isinstance(value, int) and self.low <= value <= self.high:
            return value
        raise refusal(value, f"a whole number between {self.low} and {self.high}")

    @property
    def shape(self) -> Shape:
        """What an editor is told."""
        return whole_between(self.low, self.high)


def whole(low: int, high: int) -> Whole:
    """Make the check of a whole number in a range, ends included (pure)."""
    return Whole(low, high)


@dataclass(frozen=True, slots=True)
class Choice:
    """The check of one name among few."""

    names: tuple[str, ...]

    def __call__(self, value: object) -> str:
        """Return the name, or raise the refusal."""
        if isinstance(value, str) and value in self.names:
            return value
        raise refusal(value, one_of(self.names, str(value)))

    @property
    def shape(self) -> Shape:
        """What an editor is told."""
        return matching("|".join(self.names), *self.names)


def choice(*names: str) -> Choice:
    """Make the check of one name among few (pure)."""
    return Choice(tuple(str(name) for name in names))


def _text(value: object) -> object:
    if isinstance(value, str) and value.strip():
        return value
    raise refusal(value, "some text")


def _path(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise refusal(value, "the path of a file or folder")
    surroundings = cast("Surroundings", info.context)
    try:
        return surroundings.absolute(value)
    except ValueError as error:
        raise refusal(value, str(error)) from None


Flag = Annotated[bool, BeforeValidator(_flag), WithJsonSchema(FLAG)]
"""``true`` or ``false`` and nothing like it."""

Text = Annotated[str, BeforeValidator(_text), WithJsonSchema(TEXT)]
"""Text, exactly as written."""

Folder = Annotated[Path, BeforeValidator(_path), WithJsonSchema(PATH)]
"""A path; ``~`` is the operator's home, a relative one starts at the state directory."""

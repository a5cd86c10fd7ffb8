"""What an editor is told of a value: JSON Schema for each kind of value that settings have.

An editor reads YAML's own types before it looks here, so a number is a number to it and
text to the loader. Both judge alike what is written in the plain way; `0x10` and `True`
pass an editor and are refused at the start.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

Shape: TypeAlias = dict[str, Any]

_PLAIN: Final = r"(?:\$\$\{|(?!\$\$?\{)[^\u0000])"
_VARIABLE: Final = r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\}"
_ANY: Final = f"(?:{_PLAIN}|{_VARIABLE})*"
_SCALAR: Final = ["string", "number", "boolean"]
"""What an editor may take the text of a scalar for."""

_ANY_BUT_BLANK: Final = r"(?=[\s\S]*\S)"

DEFINITIONS: Final[Mapping[str, Shape]] = {
    "variable": {
        "type": "string",
        "pattern": f"^{_PLAIN}*{_VARIABLE}{_ANY}$",
        "description": "Text with `${NAME}` or `${NAME:-default}` in it, filled in at the start.",
    },
    "text": {"type": _SCALAR, "pattern": f"^{_ANY_BUT_BLANK}{_ANY}$"},
    "path": {"type": _SCALAR, "pattern": f"^{_ANY_BUT_BLANK}(?!~[^/]){_ANY}$"},
    "secret": {
        "anyOf": [
            {"$ref": "#/definitions/text"},
            {
                "type": "object",
                "properties": {"file": {"$ref": "#/definitions/path"}},
                "required": ["file"],
                "additionalProperties": False,
            },
        ]
    },
}
VARIABLE: Final[Shape] = {"$ref": "#/definitions/variable"}
TEXT: Final[Shape] = {"$ref": "#/definitions/text"}
PATH: Final[Shape] = {"$ref": "#/definitions/path"}
SECRET: Final[Shape] = {"$ref": "#/definitions/secret"}
FLAG: Final[Shape] = {"anyOf": [{"enum": [True, False, "true", "false"]}, VARIABLE]}


def matching(pattern: str, *suggested: str) -> Shape:
    """Describe text that is all of *pattern*; an editor offers what is *suggested* (pure)."""
    offered = [{"enum": list(suggested)}] if suggested else []
    exact = {"type": "string", "pattern": f"^(?!{_PLAIN}*\\$\\{{)(?:{pattern})$"}
    return {"anyOf": [*offered, exact, VARIABLE]}


def whole_between(low: int, high: int) -> Shape:
    """Describe a whole number from *low* (not negative) to *high*, quoted or not (pure)."""
    numeral = {"type": "string", "pattern": f"^(?:{numerals(low, high)})$"}
    number = {"type": "integer", "minimum": low, "maximum": high}
    return {"anyOf": [number, numeral, VARIABLE]}


def numerals(low: int, high: int) -> str:
    """Write a pattern of the numerals from *low* to *high*, none with a zero before it (pure)."""
    lengths = range(len(str(low)), len(str(high)) + 1)
    return "|".join(
        _of_one_length(str(max(low, 10 ** (n - 1) if n > 1 else 0)), str(min(high, 10**n - 1)))
        for n in lengths
    )


def _of_one_length(low: str, high: str) -> str:
    if low == high:
        return low
    if low[0] == high[0]:
        return low[0] + _of_one_length(low[1:], high[1:])
    return f"(?:{'|'.join(_by_first_digit(low, high))})"


def _by_first_digit(low: str, high: str) -> Iterator[str]:
    rest, first, last = len(low) - 1, int(low[0]), int(high[0])
    if low[1:] != "0" * rest:
        yield low[0] + _of_one_length(low[1:], "9" * rest)
        first += 1
    if high[1:] != "9" * rest:
        yield high[0] + _of_one_length("0" * rest, high[1:])
        last -= 1
    if first <= last:
        yield f"[{first}-{last}]" + (f"[0-9]{{{rest}}}" if rest else "")

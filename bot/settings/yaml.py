"""A strict YAML loader: every scalar stays the text that was written, and nothing is guessed.

YAML turns ``no`` into false, ``010`` into eight and ``12:30:00`` into 45,000. Here a
scalar is text, and the setting it belongs to decides what the text means; so an id is
the same with quotes and without, however long it is. Left out on purpose: anchors,
tags, merge keys and several documents in a file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import yaml

from bot.contracts.errors import ConfigError

KeyPath = tuple[str | int, ...]
"""Where a value stands, from the root: keys, and numbers for the items of a list."""

Value = str | list["Value"] | dict[str, "Value"] | None
"""What a file says. None is a key with nothing after it, or a plain ``null`` or ``~``."""

DEEPEST: Final = 20
"""How far settings may be nested; the deepest of ours is at 4."""

_NOTHING: Final = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A file as values, with the line of each."""

    root: dict[str, Value]
    lines: Mapping[KeyPath, int]
    """Counted from 1; the line of the key, or of the item in a list."""


def parse(text: str, where: str) -> Parsed:
    """Read a file of settings (pure); *where* names it in errors.

    Raises:
        ConfigError: it is empty, cut short, or no YAML of the kind described above.
    """
    node = _compose(text, where)
    if node is None:
        raise ConfigError("the file", "no settings in it", _REPAIR_EMPTY, where=where)
    if not isinstance(node, yaml.MappingNode):
        raise _at(node, where, "the file", "no mapping", "lines of the form `key: value`")
    reading = _Reading(where)
    root = reading.mapping(node, ())
    return Parsed(root=root, lines=reading.lines)


_REPAIR_EMPTY: Final = "at least one; remove the file to get the defaults back"


class _Reading:
    """One pass from nodes to values, keeping the lines."""

    def __init__(self, where: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._where = where

    def mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Value]:
        """Read a mapping; a key that comes twice is refused."""
        values: dict[str, Value] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node, path)
            if key in values:
                first = self.lines[(*path, key)]
                raise _at(
                    key_node,
                    self._where,
                    dotted((*path, key)),
                    f"the key a second time (first on line {first})",
                    "each key once; remove one of the two",
                )
            self.lines[(*path, key)] = _line(key_node)
            values[key] = self._value(value_node, (*path, key))
        return values

    def _key(self, node: yaml.Node, path: KeyPath) -> str:
        setting = dotted(path) or "the file"
        if not isinstance(node, yaml.ScalarNode):
            raise _at(node, self._where, setting, "a key that is no word", "plain text as key")
        key: str = node.value
        self._refuse_nul(node, setting)
        if node.style is None and key == "<<":
            expected = "the keys written out; merging is not supported"
            raise _at(node, self._where, setting, "a merge key `<<`", expected)
        if node.style is None and key in _NOTHING:
            raise _at(node, self._where, setting, "an empty key", "plain text as key")
        return key

    def _value(self, node: yaml.Node, path: KeyPath) -> Value:
        match node:
            case yaml.MappingNode():
                return self.mapping(node, path)
            case yaml.SequenceNode():
                items: list[Value] = []
                for number, item in enumerate(node.value):
                    self.lines[(*path, number)] = _line(item)
                    items.append(self._value(item, (*path, number)))
                return items
            case _:
                self._refuse_nul(node, dotted(path))
                plain = getattr(node, "style", None) is None
                return None if plain and node.value in _NOTHING else str(node.value)

    def _refuse_nul(self, node: yaml.Node, setting: str) -> None:
        """Refuse U+0000, which quotes can bring in: no path, address or header may hold it."""
        if "\0" in str(node.value):
            raise _at(node, self._where, setting, "the character U+0000", "text without it")


class _Loader(yaml.SafeLoader):
    """Composes nodes and refuses what could surprise before anything is built from it."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose one node, if it is a plain one and not too deep."""
        event = self.peek_event()  # type: ignore[no-untyped-call]  # the stubs leave it open
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _Refused(event, "an anchor or alias (`&` or `*`)", _EXPECT_PLAIN)
        if getattr(event, "tag", None) is not None:
            raise _Refused(event, "a tag (`!`)", _EXPECT_PLAIN)
        if self.depth >= DEEPEST:
            raise _Refused(event, "too many levels", f"at most {DEEPEST} levels")
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


_EXPECT_PLAIN: Final = "the value written out, or in quotes if this is text"


class _Refused(Exception):
    def __init__(self, event: yaml.Event, found: str, expected: str) -> None:
        super().__init__(found)
        self.line = event.start_mark.line + 1 if event.start_mark is not None else 1
        self.found = found
        self.expected = expected


def _compose(text: str, where: str) -> yaml.Node | None:
    try:
        loader = _Loader(text)
        try:
            return loader.get_single_node()
        finally:
            loader.dispose()
    except _Refused as error:
        place = f"{where}:{error.line}"
        raise ConfigError("the file", error.found, error.expected, where=place) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        found = f"the character U+{ord(text[error.position]):04X}"
        raise ConfigError("the file", found, "printable text", where=f"{where}:{line}") from None
    except yaml.MarkedYAMLError as error:
        raise _syntax(text, where, error) from None


def _syntax(text: str, where: str, error: yaml.MarkedYAMLError) -> ConfigError:
    """Say in one sentence what is wrong, without showing the line: it may hold a secret."""
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark is not None else 1
    place = f"{where}:{line}"
    lines = text.splitlines()
    written = lines[line - 1] if line <= len(lines) else ""
    problem = error.problem or ""
    if "\t" in written[: len(written) - len(written.lstrip())] or "'\\t'" in problem:
        found, expected = "a tab", "spaces; YAML does not indent with tabs"
    elif "cannot start any token" in problem:
        found, expected = f"a value that begins with {problem.split()[2]}", "it in quotes"
    elif problem.startswith("mapping values are not allowed"):
        found = "a `:` where none may stand"
        expected = "the indentation of the lines around it, or the value in quotes"
    elif "but got '{'" in problem and "${" in written:
        found, expected = "a bare `${` between braces or brackets", 'it in quotes: "${NAME}"'
    elif "single document" in (error.context or ""):
        found, expected = "a second document (`---`)", "one document"
    elif mark is not None and mark.index >= len(text.rstrip("\x00 \n")):
        started = (error.context_mark.line + 1) if error.context_mark is not None else line
        found = f"the end of the file inside what begins on line {started}"
        expected = "the rest of it; it looks cut short: complete it, or remove the file"
        expected += " to get the defaults back"
    else:
        found, expected = problem or "a mistake", "valid YAML, such as `key: value`"
    return ConfigError("the file", found, expected, where=place)


def dotted(path: KeyPath) -> str:
    """Write a path as a person would: ``agents.main.models[0]`` (pure)."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _at(node: yaml.Node, where: str, setting: str, found: str, expected: str) -> ConfigError:
    return ConfigError(setting, found, expected, where=f"{where}:{_line(node)}")

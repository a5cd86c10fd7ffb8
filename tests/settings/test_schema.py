"""The schema for editors says what the settings are, and judges a file as the loader does."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from bot.settings import shipped
from bot.settings.environment import Environment, Unset, Variable, fill_in
from bot.settings.schema import schema
from bot.settings.shape import DEFINITIONS, numerals
from tests.doubles.settings_files import SettingsFiles

CONFIG = shipped("config")
FILES = [CONFIG / "config.yaml", *sorted((CONFIG / "examples").glob("*.yaml"))]
SCHEMA: Final = json.loads(schema())
EDITOR: Final = Draft7Validator(SCHEMA)

FULL: Final[dict[str, Any]] = {
    "agents": {"main": {"workspace": "work", "models": ["one", "two"]}},
    "models": {
        "one": {
            "provider": "openai",
            "model": "gpt-x",
            "base_url": "http://127.0.0.1:11434/v1/",
            "key": "sk-1",
            "keys": ["sk-2", {"file": "key"}],
            "max_output": 4000,
            "context": 8192,
        },
        "two": {"provider": "demo", "model": "demo"},
    },
    "channels": {"webchat": {}, "telegram": {"owner": "-100123", "token": {"file": "key"}}},
    "http": {
        "host": "::1",
        "port": 0,
        "public_url": "https://chat.example.org",
        "trusted_proxies": ["127.0.0.1"],
    },
    "store": "sqlite:///~/db/x.db",
    "tools": {"shell": False},
    "limits": {"model_calls": 7, "tool_calls": 8, "turns_at_once": 1},
    "bindings": [
        {
            "match": {
                "channel": "webchat",
                "account": "default",
                "conversation": {"kind": "group", "id": -1001234567890123456, "thread": "7"},
                "parent": "-5",
                "space": "T1",
                "roles": ["8", 9],
                "sender": "42",
            },
            "agent": "main",
            "sessions": {"direct": "per-peer"},
        }
    ],
    "sessions": {
        "direct": "auto",
        "links": {"ana": ["webchat:1", "webchat:2"]},
        "idle_days": {"direct": 1, "rooms": 3},
        "history_turns": {"direct": 2, "rooms": 4},
        "retention_days": 5,
    },
    "targets": {
        "standup": {"channel": "webchat", "account": "a", "conversation": -100, "thread": "3"}
    },
    "expect": [
        {"when": {"channel": "webchat", "rank": "guest"}, "agent": "main", "session": "agent:x"}
    ],
}
VALUES: Final[list[Any]] = [
    *(None, True, False, 0, 1, -1, 7870, 65535, 65536, 10_000, 10_001, 10**9, 2.5),
    *("", " ", "x", "true", "false", "True", "yes", "0", "7", "010", "65535", "65536", "-1", "1e3"),
    *("~", "~/w", "~ben/w", "a b", "a\0b", "../x", "Demo", "anthropic", "${", "${}", "$${x}"),
    *("http://127.0.0.1:1/v1", "HTTPS://h", "http://h:0", "http://h:65536", "http://h:", "ftp://h"),
    *("http://u:p@h", "http://h/?q", "http://h/#f", "http://[::1]:1", "http://[x]", "http://h/${"),
    *("sqlite", "sqlite:///", "sqlite:///x", "sqlite:///~ben/x", "sqlite:///.", "sqlite:///a/."),
    *("sqlite:///a/.b", "sqlite:////a", "sqlite://a", "redis://h", "sqlite:///a${", "sqlite:///~"),
    *("localhost", "127.0.0.1", "127.255.0.1", "127.256.0.1", "::1", "0.0.0.1", "example.org"),
    *(
        "https://chat.example.org",
        "https://chat.example.org:8443/",
        "https://-x.org",
        "https://x/y",
    ),
    *("http://localhost:1", "http://x.org", "10.0.0.0/8", "10.0.0.0/33", "127.0.0.1/32"),
    *(["10.0.0.0/8", "::1"], ["10.0.0.0/8", None], ["localhost"]),
    *([], ["one"], ["one", " "], [None], [[]], [{"file": "key"}]),
    *({}, {"file": "key"}, {"fil": "key"}, {"file": "key", "x": "y"}, {"file": " "}, {"x": None}),
    *({"x": {}}, {"a-b": {}}, {"x": {"provider": "demo", "model": 3.5}}, {"x": {"model": "m"}}),
]
"""What may be written anywhere. No 1.0: JSON Schema takes it for a whole number, the loader not."""


@pytest.fixture
def files(tmp_path: Path) -> SettingsFiles:
    (tmp_path / "key").write_text("sk-file")
    (tmp_path / "key").chmod(0o600)
    return SettingsFiles(tmp_path)


_NAMES: Final = (
    r"(?:(?:bindings|expect)\[0\]\.(?:agent|match\.channel|when\.channel)"
    r"|targets\.[^.]+\.channel)"
)
"""Where the name of an agent or a channel stands: which there are, no schema knows."""
_ANY_TEXT: Final = r"(?:'[^']*[^'\s][^']*'|a value that is not shown)"


def _accepts(files: SettingsFiles, tree: object) -> bool:
    """Whether the loader takes the file, but for what no schema knows: other keys, other files."""
    text = json.dumps(tree, ensure_ascii=False)
    mistakes = files.mistakes(text, OPENAI_API_KEY="sk-1", ANTHROPIC_API_KEY="sk-1")
    return all(
        re.search(r": agents\.main\.models\[\d\]: found '[^']*', expected one of", mistake)
        or re.search(rf": {_NAMES}: found {_ANY_TEXT}, expected one of", mistake)
        or "expected a channel before the colon" in mistake
        or "expected each id with one person" in mistake
        or re.search(r"found the file '.*', expected .* to be (?:readable|a plain file)", mistake)
        or (mistake.split(": ")[1].startswith("channels.") and "found the file" in mistake)
        for mistake in mistakes
    )


def _nodes(tree: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    for step, below in (
        tree.items()
        if isinstance(tree, dict)
        else enumerate(tree)
        if isinstance(tree, list)
        else ()
    ):
        yield from _nodes(below, (*path, step))


def _with(path: tuple[str | int, ...], value: object) -> object:
    """Put *value* into the section it belongs to, alone, since reading all of it takes time."""
    if not path:
        return value
    at: Any = copy.deepcopy({path[0]: FULL[str(path[0])]})
    tree = at
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return tree


def _is_a_key_of_ours(path: tuple[str | int, ...]) -> bool:
    """Whether the key's name is settled, and its last step is a key."""
    named = {("models",), ("agents",), ("targets",), ("sessions", "links")}
    free = path[0] == "channels" or path[:-1] in named
    return not free and all(isinstance(step, str) for step in path[-1:])


def test_the_file_is_what_the_settings_write() -> None:
    assert (CONFIG / "schema.json").read_text() == schema(), (
        "run: python -m bot.settings.schema > config/schema.json"
    )


def test_it_is_a_schema_and_its_whole_is_accepted(files: SettingsFiles) -> None:
    Draft7Validator.check_schema(SCHEMA)

    assert EDITOR.is_valid(FULL)
    assert _accepts(files, FULL)


def test_an_editor_can_explain_every_key() -> None:
    def unexplained(shape: object) -> Iterator[str]:
        if isinstance(shape, dict):
            for name, below in shape.get("properties", {}).items():
                if name != "file" and not below.get("description"):
                    yield name
            for word, below in shape.items():
                yield from unexplained(below) if word not in {"if", "then"} else ()

    assert not [*unexplained(SCHEMA)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_file_we_ship_is_accepted_and_leads_an_editor_to_the_schema(file: Path) -> None:
    text = file.read_text()
    first = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", text.splitlines()[0])

    assert first is not None
    assert (file.parent / first[1]).resolve() == (CONFIG / "schema.json").resolve()
    assert [*EDITOR.iter_errors(yaml.safe_load(text))] == []


@pytest.mark.parametrize("path", [*_nodes(FULL)], ids=lambda path: ".".join(map(str, path)))
def test_whatever_is_written_at_a_node_is_judged_as_the_loader_judges_it(
    files: SettingsFiles, path: tuple[str | int, ...]
) -> None:
    values = VALUES
    if path[:1] == ("channels",):  # inside, all is the channel's own
        values = [value for value in VALUES if not re.search("\0|[$]{(?!x)", str(value))]
    if path[-1:] == ("provider",):  # a plain `true` is text to the loader, and a folder's name
        values = [value for value in VALUES if not isinstance(value, bool)]
    trees = {json.dumps(value): _with(path, value) for value in values}

    assert [
        value for value, tree in trees.items() if EDITOR.is_valid(tree) != _accepts(files, tree)
    ] == []


@pytest.mark.parametrize(
    "path", [path for path in _nodes(FULL) if path and _is_a_key_of_ours(path)]
)
def test_a_key_that_does_not_exist_is_marked_as_the_loader_marks_it(
    files: SettingsFiles, path: tuple[str, ...]
) -> None:
    *above, last = path
    tree: Any = _with(path, None)
    at = tree
    for step in above:
        at = at[step]
    at[f"{last}_"] = at.pop(last)

    assert not EDITOR.is_valid(tree)
    assert not _accepts(files, tree)


@given(st.text("$${}A:-x\n"))
def test_text_with_variables_is_text_to_an_editor_if_the_loader_can_fill_it_in(text: str) -> None:
    around = Environment(
        variables={"A": Variable(value="a", source=""), "x": Variable(value="x", source="")}
    )
    known = re.sub(r"\$\{[Ax]+(?=[:}])", "${A", text)
    try:
        fill_in(known, around)
        can_be_filled = bool(known.strip())
    except Unset:
        can_be_filled = False
    editor = Draft7Validator({"$ref": "#/definitions/text", "definitions": DEFINITIONS})

    assert editor.is_valid(known) == can_be_filled


@given(st.integers(0, 3000), st.integers(0, 70_000), st.integers(0, 80_000))
def test_a_numeral_is_in_the_pattern_if_the_number_is_in_the_range(
    low: int, more: int, number: int
) -> None:
    pattern = re.compile(numerals(low, low + more))

    assert bool(pattern.fullmatch(str(number))) == (low <= number <= low + more)
    assert not pattern.fullmatch(f"0{number}")

"""One word per idea: names that say nothing, errors caught by nobody in particular, promises."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from tests.architecture.source import Function, Source, everything, ours

_ROLES: Final = {"manager", "handler", "helper", "helpers", "service", "processor", "engine"}
_DIRECTORS: Final = {"wrapper", "orchestrator", "coordinator"}
_HEAPS: Final = {"util", "utils", "common", "misc", "data", "info", "context"}
_HALVES: Final = {"base", "abstract", "impl"}
BANNED: Final = frozenset(_ROLES | _DIRECTORS | _HEAPS | _HALVES)
PLAIN_IN_FUNCTIONS: Final = frozenset({"abstract", "base", "common"})
"""They say nothing as the name of a class or a file; `base_url` says what it is."""

BANNED_STARTS: Final = ("do_", "process_", "handle_", "perform_", "execute_")

FITTING: Final = {
    "context": "the package of what a model gets to see; the word is the field's own",
    "ContextOverflow": "the request outgrew the model's context window, the providers' own word",
    "CommandContext": "what a command may know: the other exception of the glossary",
    "ToolContext": "what a tool may know: one of the two exceptions of the glossary",
    "tool_context": "what makes a ToolContext",
    "_context_of": "gives what makes a ToolContext",
    "ToolContextOf": "the type of what makes a ToolContext",
}
"""Names that hold a banned word and are right all the same, each with its reason."""

CATCHES_ALL: Final = {
    "bot/kernel/commands.py _answered": "a broken command costs its answer, not the channel",
    "bot/kernel/turn.py TurnRunner._ending": "the home of the unexpected: a bug costs one turn",
    "bot/kernel/turn.py TurnRunner._finish": "an end that cannot be told ends as a fault of ours",
    "bot/agent/toolbox.py _run": "a broken tool is a result like any other",
    "bot/agent/toolbox.py Toolbox.probe": "a broken probe has found nothing out",
    "bot/extensions.py _Opening.module": "another package may fail in any way at its import",
    "bot/extensions.py _Opening.check": "another package's schema may fail in any way",
    "channels/__init__.py _from_elsewhere": "another package may fail in any way at its import",
    "channels/webchat/live.py _costing_a_screen": "who cannot show news has a screen less",
}
"""Where `except Exception` may stand, each with its reason."""

ANY_KEYWORDS: Final = {
    "bot/models/demo/turn.py Turn.call": "a call's arguments by name, on their way to JSON",
    "bot/models/demo/turn.py Turn.say": "fills a sentence's blanks by name, as str.format does",
    "bot/workspace/tree.py _to_the_end": "passes a function's arguments on, typed by ParamSpec",
}
"""Where ``**kwargs`` may stand, each with its reason."""

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LATER: Final = r"\b(?:TODO|FIXME|XXX|HACK)\b"
_REASON: Final = re.compile(r"# noqa: [A-Z]+\d+(?:, [A-Z]+\d+)* - \w.+")
_IGNORE: Final = re.compile(r"# type: ignore\[[\w-]+\] +# \w.+")


def test_no_file_or_class_has_a_name_that_says_nothing() -> None:
    found = [
        f"{source.path} {name}"
        for source in everything()
        for name in (*_path(source), *_classes(source))
        if _says_nothing(name, BANNED)
    ]

    assert not found


def test_no_function_has_a_name_that_says_nothing() -> None:
    found = [
        f"{source.at(node)} {node.name}"
        for source in ours()
        for _, node in source.functions()
        if _says_nothing(node.name, BANNED - PLAIN_IN_FUNCTIONS)
    ]

    assert not found


NAMED_BY_A_LIBRARY = {"handle_error"}
"""Methods that ours replace: `aiohttp.web.RequestHandler`'s."""


def test_no_function_begins_with_a_verb_that_says_nothing() -> None:
    found = [
        source.at(node)
        for source in ours()
        for _, node in source.functions()
        if node.name.lstrip("_").startswith(BANNED_STARTS) and node.name not in NAMED_BY_A_LIBRARY
    ]

    assert not found


def test_exceptions_of_every_kind_are_caught_only_where_the_unexpected_has_a_home() -> None:
    found = {
        f"{source.path} {name}"
        for source in ours()
        for name, function in source.functions()
        for caught in ast.walk(function)
        if isinstance(caught, ast.ExceptHandler) and _catches_all(caught)
    }

    assert found == CATCHES_ALL.keys()


def test_whoever_cleans_up_after_anything_lets_it_go_on() -> None:
    swallowed = [
        source.at(caught)
        for source in ours()
        for caught in ast.walk(source.tree)
        if isinstance(caught, ast.ExceptHandler)
        if caught.type is None or _names_type(caught.type, "BaseException")
        if not any(isinstance(node, ast.Raise) for node in ast.walk(caught))
    ]

    assert not swallowed


def test_no_field_holds_whatever_somebody_put_into_it() -> None:
    found = [
        f"{source.path} {name}"
        for source in ours()
        for node in ast.walk(source.tree)
        for name in _field_names(node)
        if name.strip("_") in {"metadata", "extra", "extras"}
    ]

    # The operator's key names modules, one by one, and nothing else.
    assert found == ["bot/settings/tools.py extra"]


def test_no_function_takes_whatever_keywords_come() -> None:
    found = {
        f"{source.path} {name}"
        for source in ours()
        for name, function in source.functions()
        if function.args.kwarg is not None
    }

    assert found == ANY_KEYWORDS.keys()


def test_a_check_is_switched_off_only_with_its_reason_beside_it() -> None:
    found = [
        f"{source.path}:{line} {comment}"
        for source in everything()
        for line, comment in source.comments("noqa|type: ignore")
        if not _REASON.search(comment) and not _IGNORE.search(comment)
    ]

    assert not found


def test_nothing_is_left_for_later() -> None:
    found = [
        f"{source.path}:{line} {comment}"
        for source in everything()
        for line, comment in source.comments(_LATER)
    ]

    assert not found


def test_every_file_says_in_one_sentence_what_it_is_for() -> None:
    silent = [source.path for source in ours() if not ast.get_docstring(source.tree)]

    assert not silent


def _path(source: Source) -> tuple[str, ...]:
    return PurePosixPath(source.path).with_suffix("").parts


def _classes(source: Source) -> Iterator[str]:
    return (node.name for _, node in source.definitions() if isinstance(node, ast.ClassDef))


def _says_nothing(name: str, banned: frozenset[str]) -> bool:
    words = {word.lower() for word in _WORD.findall(name)}
    return name not in FITTING and not banned.isdisjoint(words)


def _catches_all(caught: ast.ExceptHandler) -> bool:
    return caught.type is not None and _names_type(caught.type, "Exception")


def _names_type(node: ast.expr, name: str) -> bool:
    types = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(isinstance(kind, ast.Name) and kind.id == name for kind in types)


def _field_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
    elif isinstance(node, Function):
        arguments = node.args
        yield from (a.arg for a in (*arguments.args, *arguments.kwonlyargs))

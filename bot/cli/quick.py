"""What a start imports, without the part of it that takes long and is not used."""

import dataclasses
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bot.trust import reading_later


def import_quickly() -> None:
    """Import aiohttp without the store of certificates, and structlog without rich.

    Whoever imports them first decides; so this comes before the rest of the bot.
    """
    _freeze_without_compiling()
    with reading_later():
        importlib.import_module("aiohttp")
    with _left_out("rich"):  # it would draw tracebacks, and ours are plain
        importlib.import_module("structlog")
    importlib.import_module("bot.settings.alone")  # before whoever else makes models of pydantic


@contextmanager
def _left_out(module: str) -> Iterator[None]:
    """Let *module* be one that is not installed (the import system's reference, 5.3.1)."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # what the reference says to put there
    try:
        yield
    finally:
        del sys.modules[module]


def _freeze_without_compiling() -> None:
    """Let all frozen dataclasses share the code that refuses a change.

    Python 3.11 and 3.12 write it anew for each class, as text, and compile that: a tenth of
    the time to start. Later ones compile all methods of a class at once, and have another
    function for it. These two get security fixes alone, so the one replaced stays as it is.
    """
    if sys.version_info < (3, 13):
        written: Any = dataclasses
        written._frozen_get_del_attr = _refusals  # noqa: SLF001 - there is no public way


def _refusals(
    cls: Any,  # noqa: ANN401 - mypy knows no `super` of a class it is given
    fields: Sequence["dataclasses.Field[object]"],
    _globals: dict[str, object],
) -> tuple[Callable[[object, str, object], None], Callable[[object, str], None]]:
    """Return ``__setattr__`` and ``__delattr__`` of a frozen *cls*, as Python's own would be."""
    names = frozenset(field.name for field in fields)

    def __setattr__(self: object, name: str, value: object) -> None:  # noqa: N807 - its name there
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: object, name: str) -> None:  # noqa: N807 - its name there
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __setattr__, __delattr__

"""What is wrong, and the exact thing to do: one source for the page, the terminal and `check`."""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from bot.contracts.address import is_overheard
from bot.contracts.budget import Scope, Unit
from bot.contracts.errors import (
    KeyExhausted,
    KeyRefused,
    ModelError,
    ModelUnavailable,
    ModelUnknown,
)
from bot.contracts.secret import mask
from bot.contracts.setup import Finding, Weight
from bot.contracts.tool import Sandbox
from bot.sandbox import NoSandbox
from bot.settings import ModelSettings, Settings
from bot.settings.terminal import command_name
from bot.setup.cost import is_free, price_of

_LITTLE_ROOM: Final = 512 * 1024 * 1024
"""Bytes left on the disk below which somebody should hear of it: a log and a database grow."""
_SMALL_WINDOW: Final = 16_000
"""Tokens: below, tools, rules and a little history leave hardly room for an answer (B16)."""

_NEEDED: Final = {Scope.DAY: "a day", Scope.TURN: "a message"}
"""Limits whose absence somebody should hear of."""

_ORDER: Final = tuple(Weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """What is seen of the state directory."""

    free_bytes: int | None
    """None where the system does not say."""
    open_to_others: tuple[tuple[Path, int], ...] = ()
    """Files and folders of it that others may enter or read, with their modes."""


def look_at_disk(home: Path) -> Disk:
    """Look at the state directory, as far as it exists."""
    try:
        free: int | None = shutil.disk_usage(home).free
    except OSError:
        free = None
    names = (home, home / ".env", home / "stonechat.db", home / "config.yaml")
    return Disk(
        free_bytes=free,
        open_to_others=tuple(
            (path, mode) for path in names if (mode := _mode(path)) is not None and mode & 0o077
        ),
    )


def findings(
    settings: Settings,
    *,
    sandbox: Sandbox | NoSandbox | None,
    disk: Disk,
    troubles: Sequence[ModelError] = (),
    waiting: Sequence[str] = (),
) -> tuple[Finding, ...]:
    """Say all that is wrong, the worst first (pure). *sandbox* is None where none is wanted."""
    found = [
        *_of_the_settings(settings),
        *_of_what_waits(settings, waiting),
        *(_of_a_model(error) for error in troubles),
        *_of_the_models(settings),
        *_of_the_sandbox(sandbox),
        *_of_the_disk(disk),
        *_of_the_channels(settings),
        *_of_the_limits(settings),
    ]
    return tuple(sorted(found, key=lambda each: _ORDER.index(each.weight)))


def _of_the_settings(settings: Settings) -> Iterator[Finding]:
    if settings.problem:
        yield Finding(
            weight=Weight.BROKEN,
            what=settings.problem,
            fix=f"mend {settings.config_file}; `{command_name()} check` names every mistake",
        )
    for each in settings.findings:
        what, _, fix = each.partition("; run ")
        yield Finding(
            weight=Weight.WARNING,
            what=what,
            fix=(fix and f"`{fix}`") or f"mend that line of {what.split(':')[0]}",
        )


def _of_what_waits(settings: Settings, waiting: Sequence[str]) -> Iterator[Finding]:
    if waiting:
        yield Finding(
            weight=Weight.WARNING,
            what=f"changed since the start, and in force after a restart only: {', '.join(waiting)}"
            f" ({settings.config_file})",
            fix="stop the bot and start it again; what waits is kept",
        )


def _of_the_limits(settings: Settings) -> Iterator[Finding]:
    """Say where nothing limits what a model that is paid for may cost."""
    used = {name for agent in settings.agents.values() for name in agent.models}
    paid = [settings.models[name] for name in sorted(used) if not is_free(settings.models[name])]
    units = {Unit.TOKENS if price_of(model) is None else Unit.MONEY for model in paid}
    caps = settings.limits.caps()
    for unit, (scope, what) in product(sorted(units), _NEEDED.items()):
        if scope not in caps.of(unit):
            setting = f"limits.{unit}.{scope}"
            yield Finding(
                weight=Weight.WARNING,
                what=f"`{setting}` is off: nothing limits what {what} may cost",
                fix=f"write an amount at `{setting}` in {settings.config_file}",
            )


def _of_a_model(error: ModelError) -> Finding:
    add = f"type a working key on the page, or run `{command_name()} models add`"
    match error:
        case KeyRefused():
            fix = add
        case KeyExhausted(spent=True):
            fix = f"add credit with the provider, or {add}"
        case KeyExhausted():
            fix = "wait, or raise the key's limit with the provider"
        case ModelUnknown():
            fix = f"choose another model on the page, or run `{command_name()} models add`"
        case ModelUnavailable():
            fix = f"see that the server runs; `{command_name()} models check` asks it again"
        case _:
            fix = f"`{command_name()} models check` asks it again"
    return Finding(weight=Weight.BROKEN, what=mask(str(error)), fix=fix)


def _of_the_models(settings: Settings) -> Iterator[Finding]:
    names = dict.fromkeys(name for agent in settings.agents.values() for name in agent.models)
    used = [settings.models[name] for name in names]
    if all(model.provider == "demo" for model in used):
        yield Finding(
            weight=Weight.WARNING,
            what="no language model answers: it is the demo",
            fix=f"type a key on the page, or run `{command_name()} models add`",
        )
    for model in used:
        if model.keys and is_overheard(model.base_url or ""):
            yield _overheard(model)
        if model.context is not None and model.context < _SMALL_WINDOW:
            yield Finding(
                weight=Weight.WARNING,
                what=f"{model.model} has room for {model.context:,} tokens only and forgets soon",
                fix=f"raise `context` of the model in {settings.config_file} to 16384 or more",
            )


def _overheard(model: ModelSettings) -> Finding:
    host = urlsplit(model.base_url or "").netloc
    return Finding(
        weight=Weight.WARNING,
        what=f"the key of {model.model} and every word go to {host} in clear: whoever is on the way"
        " can read them and use the key",
        fix="give that server an address with https://, or bring it to this machine with"
        " `ssh -L`, where http:// is fine",
    )


def _of_the_sandbox(sandbox: Sandbox | NoSandbox | None) -> Iterator[Finding]:
    if isinstance(sandbox, NoSandbox):
        missing = "bubblewrap is not installed" in sandbox.reason
        yield Finding(
            weight=Weight.HINT,
            what=f"there is no shell: {sandbox.reason.removeprefix('no shell: ')}",
            fix="`apt-get install bubblewrap`, and start again"
            if missing
            else "mend what it says, and start again; all else works without a shell",
        )


def _of_the_disk(disk: Disk) -> Iterator[Finding]:
    for path, mode in disk.open_to_others:
        wanted = 700 if path.is_dir() else 600
        yield Finding(
            weight=Weight.WARNING,
            what=f"others may look into {path} (mode {mode:04o})",
            fix=f"`chmod {wanted} {path}`",
        )
    if disk.free_bytes is not None and disk.free_bytes < _LITTLE_ROOM:
        yield Finding(
            weight=Weight.WARNING,
            what=f"the disk has {disk.free_bytes // 2**20:,} MiB left; on a full one, no message"
            " is taken",
            fix="make room on the disk of the state directory",
        )


def _of_the_channels(settings: Settings) -> Iterator[Finding]:
    for each in settings.stored:
        who = f" of {each.identity}" if each.identity else ""
        yield Finding(
            weight=Weight.HINT,
            what=f"a {each.channel} token{who} is stored, and nothing listens there yet",
            fix="wait for a version that has the channel; it will find the token",
        )


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)  # noqa: PTH116 - follows a link, as opening does
    except OSError:
        return None

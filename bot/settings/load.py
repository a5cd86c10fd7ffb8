"""From a file to `Settings`: every mistake named with its file, its line and its remedy."""

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from bot.contracts.errors import ConfigError
from bot.contracts.route import MAIN
from bot.settings.environment import read_environment
from bot.settings.home import home_folder, user_home, write_private
from bot.settings.reading import Reading, SettingsBroken
from bot.settings.root import Settings
from bot.settings.surroundings import Surroundings
from bot.settings.yaml import Parsed, Value, parse

CONFIG: Final = "config.yaml"
LAST_GOOD: Final = "config.last-good.yaml"
_LARGEST: Final = 1024 * 1024


def load_settings(home: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings; where the file is broken, the last good ones with their `problem`.

    Raises:
        ConfigError: the file is broken and there are no last good settings.
    """
    environ = os.environ if environ is None else environ
    home = home_folder(environ) if home is None else home
    try:
        return read_settings(home, environ)
    except ConfigError as error:
        try:
            last_good = read_settings(home, environ, file=home / LAST_GOOD, must_exist=True)
        except ConfigError:
            raise error from None
        problem = f"{error}. Running with the last good settings until this is mended."
        return replace(last_good, problem=problem)


def remember_good(settings: Settings) -> None:
    """Keep the file these settings came from as the last good one, after a start that worked.

    It is kept as it was read, so that it is what was judged, and no ``${NAME}`` in it is ever
    stored with its value.
    """
    if settings.problem:
        return
    if settings.written is None:
        (settings.home / LAST_GOOD).unlink(missing_ok=True)
        return
    write_private(settings.home / LAST_GOOD, settings.written.encode())


def read_settings(
    home: Path,
    environ: Mapping[str, str] | None = None,
    *,
    file: Path | None = None,
    must_exist: bool = False,
) -> Settings:
    """Read the settings from `config.yaml`, or from *file*; without a file, all are defaults.

    It changes nothing on disk.

    Raises:
        SettingsBroken: something in it is wrong.
    """
    environ = os.environ if environ is None else environ
    file = home / CONFIG if file is None else file
    text = _text(file)
    if text is None and must_exist:
        raise ConfigError("the file", "none", "settings", where=str(file))
    try:
        parsed = Parsed(root={}, lines={}) if text is None else parse(text, str(file))
    except ConfigError as error:
        raise SettingsBroken(error) from None
    environment = read_environment(home, environ)
    surroundings = Surroundings(
        home=home,
        user_home=user_home(environ),
        environment=environment,
        findings=list(environment.findings),
        agents=frozenset({MAIN, *_keys(parsed.root.get("agents"))}),
        channels=frozenset(_keys(parsed.root.get("channels")) or {"webchat"}),
    )
    settings = Reading(file=file, parsed=parsed, surroundings=surroundings).settings()
    return replace(settings, written=text)


def _keys(section: Value) -> Collection[str]:
    return section.keys() if isinstance(section, dict) else ()


def _text(file: Path) -> str | None:
    try:
        with file.open("rb") as opened:
            written = opened.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        found = f"a file that cannot be read ({error.strerror})"
        raise ConfigError("the file", found, "a readable file", where=str(file)) from None
    if len(written) > _LARGEST:
        raise ConfigError("the file", "a huge file", "at most 1 MiB", where=str(file))
    try:
        return written.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = written.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            "the file", "bytes that are no UTF-8", "UTF-8 text", where=f"{file}:{line}"
        ) from None

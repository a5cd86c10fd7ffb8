"""The state directory: where it is, that it is ours alone, and what is put into a new one."""

import errno
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bot.contracts.errors import ConfigError, StoreUnavailable
from bot.settings.surroundings import absolute

_VARIABLE: Final = "STONECHAT_HOME"
_OURS: Final = frozenset({"config.yaml", "stonechat.db"})
"""Signs that a folder is a state directory, and not somebody's folder of other things."""


def user_home(environ: Mapping[str, str]) -> Path | None:
    """Return the operator's home as the environment names it, or None."""
    home = environ.get("HOME", "")
    return Path(home) if home.startswith("/") else None


def home_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the state directory: ``$STONECHAT_HOME``, or ``~/.stonechat``.

    Raises:
        ConfigError: it is relative, or HOME would be needed and is not set.
    """
    environ = os.environ if environ is None else environ
    written = environ.get(_VARIABLE, "").strip() or "~/.stonechat"
    try:
        home = absolute(written, start=Path(), user_home=user_home(environ))
    except ValueError:
        found = f"{written!r} while HOME is not set"
        raise ConfigError(_VARIABLE, found, "the absolute path of a folder") from None
    if not home.is_absolute():
        expected = "an absolute path, the same from wherever it is started"
        raise ConfigError(_VARIABLE, repr(written), expected)
    return Path(os.path.normpath(home))


def open_home(home: Path) -> None:
    """Create the state directory if it is absent, for its owner alone; seed its `config.yaml`.

    Beside it lies the schema that editors check it against, always that of this version.

    Raises:
        ConfigError: it cannot be written, belongs to somebody else, or is a folder of other things.
        StoreUnavailable: its disk is full: no setting is wrong, and there may be room later.
    """
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check(home)
        _seed(home / "config.yaml", shipped("config") / "config.yaml")
        _renew(home / "schema.json", shipped("config") / "schema.json")
    except FileExistsError:
        raise ConfigError(_VARIABLE, f"{home}, which is no folder", "a folder") from None
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise StoreUnavailable(f"the disk with {home} is full: free some space") from None
        found = f"{home}, which cannot be written ({error.strerror})"
        raise ConfigError(_VARIABLE, found, "a folder that this user may write") from None


def _check(home: Path) -> None:
    link = home.lstat()
    if stat.S_ISLNK(link.st_mode) and link.st_uid not in {0, os.geteuid()}:
        found = f"{home}, a link that user {link.st_uid} made"
        raise ConfigError(_VARIABLE, found, "a folder of this user's own")
    status = home.stat()
    if status.st_uid != os.geteuid():
        found = f"{home}, which belongs to user {status.st_uid}"
        raise ConfigError(_VARIABLE, found, f"a folder that belongs to user {os.geteuid()}")
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o077:
        names = {entry.name for entry in home.iterdir()}
        if names and names.isdisjoint(_OURS):
            found = f"{home}, which others may enter (mode {mode:04o}) and which holds other things"
            raise ConfigError(_VARIABLE, found, "a folder of its own, or an empty one")
        home.chmod(0o700)
    if not os.access(home, os.W_OK | os.X_OK):
        raise PermissionError(13, "Permission denied")


def _seed(file: Path, template: Path) -> None:
    if not os.path.lexists(file):
        write_private(file, template.read_bytes())


def _renew(file: Path, original: Path) -> None:
    content = original.read_bytes()
    if not file.is_file() or file.read_bytes() != content:
        write_private(file, content)


def write_private(file: Path, content: bytes) -> None:
    """Put *content* into *file*, whole or not at all, readable by its owner alone."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with open(descriptor, "wb") as opened:  # noqa: PTH123 - a descriptor is no path
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def shipped(name: str) -> Path:
    """Return a folder that comes with the program: inside the wheel, or beside the packages."""
    package = Path(__file__).parents[1]
    installed = package / "_data" / name
    return installed if installed.is_dir() else package.parent / name

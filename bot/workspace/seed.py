"""A new workspace from the template: what is absent is copied, what is there is left alone."""

import os
from pathlib import Path
from typing import Final

import bot
from bot.contracts.errors import ConfigError

_GIVEN: Final = ".seeded"
"""Lists what this workspace was given, one path a line, so that a deleted file stays deleted."""


def template_folder() -> Path:
    """Return the folder of the template, in an installed wheel or in a source checkout."""
    package = Path(bot.__file__).parent
    installed = package / "_data" / "workspace-template"
    return installed if installed.is_dir() else package.parent / "workspace-template"


def seed(target: Path, template: Path) -> tuple[str, ...]:
    """Give *target* every file of *template* that it never had, and return their paths.

    A file that is there is never written over, and one that was given before
    and is gone was deleted on purpose. The folder is readable by its owner alone.

    Raises:
        OSError: the folder cannot be made or written.
    """
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    given = _given(target)
    sources = {
        path.relative_to(template).as_posix(): path
        for path in sorted(template.rglob("*"))
        if path.is_file()
    }
    fresh = tuple(name for name in sources if name not in given)
    copied = tuple(name for name in fresh if _copy(sources[name], target / name))
    if fresh:
        _write(target / _GIVEN, "".join(f"{name}\n" for name in (*given, *fresh)).encode())
    return copied


def seed_workspace(agent_id: str, workspace: Path) -> None:
    """Give an agent's workspace what it never had.

    Raises:
        ConfigError: it cannot be made or written.
    """
    try:
        seed(workspace, template_folder())
    except OSError as error:
        found = f"{workspace}, which cannot be written ({error.strerror})"
        expected = "a folder that this user may write"
        raise ConfigError(f"agents.{agent_id}.workspace", found, expected) from None


def _given(target: Path) -> tuple[str, ...]:
    try:
        return tuple((target / _GIVEN).read_text("utf-8").splitlines())
    except FileNotFoundError:
        return ()


def _copy(source: Path, target: Path) -> bool:
    if os.path.lexists(target):
        return False
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(target, source.read_bytes())
    return True


def _write(target: Path, content: bytes) -> None:
    """Put *content* in place whole: a process that dies here leaves no half file."""
    draft = target.with_name(f".{target.name}.seeding")
    draft.write_bytes(content)
    draft.replace(target)

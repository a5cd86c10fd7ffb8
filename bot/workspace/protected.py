"""Which files of a workspace turn into something that is trusted later, and so are guarded."""

from typing import Final

SHELL_MAY_ONLY_READ: Final = (
    "SOUL.md",
    "AGENTS.md",
    "IDENTITY.md",
    "USER.md",
    "skills",
    "config",
    ".git/hooks",
    ".git/config",
)
"""What a program in the sandbox finds read-only, besides every ``.env*``."""

_SOUL: Final = frozenset({"soul.md", "agents.md", "identity.md", "user.md", "skills"})


_PRIVATE: Final = frozenset({"user.md", "memory.md", "bootstrap.md", "memory", "attachments"})


def is_soul(path: str) -> bool:
    """Whether *path*, spelled from the root, makes the assistant who it is (pure)."""
    return path.split("/", 1)[0].casefold() in _SOUL


def is_private(path: str) -> bool:
    """Whether *path*, spelled from the root, is for the owner and admins alone (pure).

    That is what the assistant knows of its owner, the files that people sent, and whatever is
    hidden by its name: keys, history, the settings of other programs.
    """
    names = path.casefold().split("/")
    return names[0] in _PRIVATE or any(name.startswith(".") for name in names)


def is_secret_name(name: str) -> bool:
    """Whether a file of that name is by custom full of secrets and read at a start (pure)."""
    return name.casefold().startswith(".env")


def never_written(path: str) -> bool:
    """Whether no tool may write *path*, spelled from the root (pure).

    Git's own folder runs programs (hooks, and commands named in its config),
    and an ``.env`` file is read by whatever starts next to it. Letter case is
    ignored, because some file systems ignore it.
    """
    names = path.casefold().split("/")
    return ".git" in names or any(is_secret_name(name) for name in names)

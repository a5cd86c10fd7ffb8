"""What the settings are read in: the state directory, the operator's home, the environment."""

from dataclasses import dataclass, field
from pathlib import Path

from bot.contracts.route import MAIN
from bot.settings.environment import Environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Passed to every section while it is read; `findings` collects what is odd but works."""

    home: Path
    user_home: Path | None
    environment: Environment
    findings: list[str] = field(default_factory=list)
    agents: frozenset[str] = frozenset({MAIN})
    """The agents that the file names, and the one that always exists."""
    channels: frozenset[str] = frozenset({"webchat"})
    """The channels that the file names, or the one it has if it names none."""

    def absolute(self, written: str) -> Path:
        """Make a written path absolute, the same from whatever folder the bot is started.

        Raises:
            ValueError: it begins with ``~`` and nobody's home is known, or with ``~somebody``.
        """
        return absolute(written, start=self.home, user_home=self.user_home)


def absolute(written: str, *, start: Path, user_home: Path | None) -> Path:
    """Make *written* absolute: ``~`` is *user_home*, a relative path starts at *start* (pure).

    Raises:
        ValueError: it begins with ``~`` and nobody's home is known, or with ``~somebody``.
    """
    if written == "~" or written.startswith("~/"):
        if user_home is None:
            raise ValueError("a path without `~`, because HOME is not set")
        return user_home / written[2:]
    if written.startswith("~"):
        raise ValueError("a path that begins with `/` or `~/`")
    return start / written

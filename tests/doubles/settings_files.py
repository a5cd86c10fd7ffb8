"""A state directory with the files a test wrote, and the settings or the mistakes they come to."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.contracts.errors import ConfigError
from bot.settings import Settings, SettingsBroken, read_settings


@dataclass(frozen=True)
class SettingsFiles:
    """Somebody's state directory."""

    home: Path

    def write(self, yaml: str, *, name: str = "config.yaml") -> None:
        """Write a file, without the indentation it has in the test."""
        (self.home / name).write_text(textwrap.dedent(yaml))

    def read(self, yaml: str | None = None, **environ: str) -> Settings:
        """Read the settings with only *environ* around."""
        if yaml is not None:
            self.write(yaml)
        return read_settings(self.home, _with_home(environ))

    def mistakes(self, yaml: str | None = None, **environ: str) -> list[str]:
        """Read the settings and return what is wrong, without the state directory's path."""
        try:
            self.read(yaml, **environ)
        except SettingsBroken as error:
            return [self._short(mistake) for mistake in error.mistakes]
        except ConfigError as error:
            return [self._short(error)]
        return []

    def _short(self, error: ConfigError) -> str:
        return str(error).replace(f"{self.home}/", "")


def _with_home(environ: Mapping[str, str]) -> dict[str, str]:
    return {"HOME": "/people/ana", **environ}

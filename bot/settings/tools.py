"""``tools:`` what the agent may be offered at all."""

from dataclasses import dataclass

from bot.settings.channels import Module
from bot.settings.section import Flag, Section


class ToolSettings(Section):
    """Switches that win over everything else."""

    shell: Flag = True
    """Whether there is a shell. It runs only inside a sandbox; without one it is absent."""
    extra: tuple[Module, ...] = ()
    """Modules with more tools, or with hooks that look at every call: `my_tools` is
    `extensions/my_tools.py` in the state directory, or else any module that Python can import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraModule:
    """A module of `tools.extra`, and where it is named: the file and its line."""

    name: str
    where: str

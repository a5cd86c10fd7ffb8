"""``tools:`` what the agent may be offered at all."""

from bot.settings.section import Flag, Section


class ToolSettings(Section):
    """Switches that win over everything else."""

    shell: Flag = True
    """Whether there is a shell. It runs only inside a sandbox; without one it is absent."""

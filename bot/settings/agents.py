"""``agents:`` who answers: with which models, in which workspace."""

from pydantic import Field

from bot.settings.section import Folder, Section, Text


class AgentSettings(Section):
    """One agent."""

    workspace: Folder = Field(default="workspace", validate_default=True)
    """The folder it works in, and the only one its tools may touch."""
    models: tuple[Text, ...] = ()
    """Keys of `models:`, tried in this order; all of them, in their order, if left out."""

"""The only place that starts programs a model chose."""

from bot.sandbox.find import NoSandbox, find_sandbox, note_on

__all__ = ["NoSandbox", "find_sandbox", "note_on"]

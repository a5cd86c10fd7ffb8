"""Setting up: what the owner sees of the bot, and changes while it runs."""

from bot.setup.changes import Changes
from bot.setup.live import LiveSetup, Running

__all__ = ["Changes", "LiveSetup", "Running"]

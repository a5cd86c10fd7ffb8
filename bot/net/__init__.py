"""The only HTTP client for addresses that are not fixed: guarded at the socket."""

from bot.net.fetch import Page, Web
from bot.net.public import is_public

__all__ = ["Page", "Web", "is_public"]

"""Stonechat: every accepted message ends in exactly one visible outcome."""

__version__ = "0.1.0"

"""Bringing what was said to where it was asked."""

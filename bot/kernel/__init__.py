"""The story of one message, from a channel's door to its outcome. Read `turn.py` first."""

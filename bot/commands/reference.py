"""Writes docs/commands.md from the commands themselves: ``python -m bot.commands.reference``."""

import sys
from typing import Final

from bot.commands import BUILTIN
from bot.commands.chinese import CHINESE
from bot.contracts.command import Command
from bot.contracts.turn import Rank

_HEAD: Final = """\
# Commands

What may be asked of the bot itself. A message that begins with one of these is not for the model.
This page is written by `python -m bot.commands.reference`, and a test holds it to the code.

`/name`, `/name@bot` and `/name: rest` are the same, in small letters or large. In a direct chat
a command that is not for you says for whom it is; in a room it is met with silence. In a room it
needs no mention from somebody who may give it; one that names another bot is not ours. A value
that there is not changes nothing and shows those there are. Nothing behind the name shows how
things stand.

A command that is a *directive* may also stand before a message: `/think high why is this slow?`
holds for that message alone, and the model is told `why is this slow?`. Several may stand one
after the other. Alone, it holds for the session from then on.

Commands are answered at once, also while an answer is being made. What one changes is recorded
in the commit that records the message, so that a message that is delivered twice changes
nothing twice. `/new` and `/resume` first stop what runs and end what waits, each with a notice.

| command | also | what | for |
|---|---|---|---|
"""
_FOR: Final = {
    Rank.STRANGER: "everybody",
    Rank.GUEST: "guests and above",
    Rank.MEMBER: "members and above",
    Rank.ADMIN: "admins and the owner",
    Rank.OWNER: "the owner",
}


def reference() -> str:
    """Return the page (pure)."""
    return _HEAD + "".join(f"{_row(command)}\n" for command in BUILTIN)


def _row(command: Command) -> str:
    written = f"/{command.name} {command.arguments}".rstrip()
    others = ", ".join(f"`/{alias}`" for alias in command.aliases)
    what = f"{command.summary} ({CHINESE.summaries[command.name]})"
    directive = "; a directive" if command.inline else ""
    waits = "" if command.jumps else "; waits for its turn"
    return f"| `{written}` | {others} | {what}{directive}{waits} | {_FOR[command.least_rank]} |"


if __name__ == "__main__":
    sys.stdout.write(reference())

"""A secret from the keyboard, unseen, or from standard input; never from the command line."""

import getpass
import sys
import warnings

import typer

from bot.contracts.secret import Secret

_LONGEST = 1000


def ask_secret(what: str) -> Secret:
    """Read one line that nobody sees, from a terminal or from whatever is piped in.

    Raises:
        typer.BadParameter: there is none, or it is no one word of visible ASCII.
    """
    if sys.stdin.isatty():
        line = _typed(f"{what} (not shown): ")
    else:
        line = sys.stdin.readline(_LONGEST + 2)
    word = str(line).strip()
    if not word:
        raise typer.BadParameter(f"no {what} was given; type it, or pipe it in on one line")
    if len(word) > _LONGEST or not all("!" <= letter <= "~" for letter in word):
        raise typer.BadParameter(f"a {what} is one word of up to {_LONGEST} letters and signs")
    return Secret(word)


def _typed(prompt: str) -> str:
    """Ask at the terminal itself; where it cannot be kept from showing it, nothing is asked.

    Raises:
        typer.Abort: there was no line.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt)
        except getpass.GetPassWarning:
            raise typer.BadParameter("this terminal would show it; pipe it in instead") from None
        except EOFError:
            raise typer.Abort from None

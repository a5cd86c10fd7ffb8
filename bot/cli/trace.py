"""``stonechat trace``: why there is no reply, and all else that became of one message."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.agent.summary import summaries
from bot.cli.ledger import ledger
from bot.cli.lists import place
from bot.cli.table import local, one_line
from bot.clock import SystemClock
from bot.contracts.errors import BotError
from bot.contracts.ledger import TurnRecord
from bot.contracts.trace import OPERATOR, Passage, Sign, Trace
from bot.kernel.tracing import Tracing
from bot.settings.terminal import command_name
from bot.tools import BUILTIN

_SIGNS: Final = {Sign.DONE: "✓", Sign.OPEN: "…", Sign.ENDED: "✗", Sign.PLAIN: "·"}
_STYLES: Final = {Sign.DONE: "green", Sign.OPEN: "yellow", Sign.ENDED: "red", Sign.PLAIN: "dim"}


class NoSuchTurn(BotError):
    """The person at the terminal: what they named is no message, or is several."""


def trace(name: str | None, *, as_json: bool) -> None:
    """Tell the way of the message that *name* means, or of the last one.

    Raises:
        NoSuchTurn: there is none, or there are several.
    """
    told = asyncio.run(_told(name))
    if as_json:
        typer.echo(json.dumps(asdict(told), ensure_ascii=False, indent=2))
    else:
        show_trace(told, Console(highlight=False))


async def _told(name: str | None) -> Trace:
    async with ledger() as opened:
        tracing = Tracing(opened, summaries(BUILTIN))
        if name is None:
            record = await tracing.latest(OPERATOR)
            if record is None:
                raise NoSuchTurn("nothing was said to the bot yet")
        else:
            record = only(name, await tracing.find(name, OPERATOR))
        told = await tracing.tell(record.turn.id, OPERATOR, SystemClock().now(), local)
    if told is None:
        raise NoSuchTurn(f"turn {record.turn.id} is gone")
    return told


def only(name: str, found: Sequence[TurnRecord]) -> TurnRecord:
    """Return the one that *name* means.

    Raises:
        NoSuchTurn: there is none, or there are several.
    """
    if len(found) == 1:
        return found[0]
    if not found:
        raise NoSuchTurn(
            f"there is no turn and no message {name!r}; `{command_name()} turns` lists them, and "
            f"`{command_name()} trace` alone tells of the last one"
        )
    each = "; ".join(
        f"{one.turn.id} ({local(one.turn.arrival.received_at)} in "
        f"{place(one.turn.arrival.inbound.conversation_key)})"
        for one in found
    )
    raise NoSuchTurn(f"{name!r} may be any of these: {each}")


def show_trace(told: Trace, console: Console) -> None:
    """Print it as one page: the verdict, what to do, then the way part by part."""
    with console.capture() as page:
        _show(told, console)
    console.file.write("".join(f"{line.rstrip()}\n" for line in page.get().splitlines()))


def _show(told: Trace, console: Console) -> None:
    headline = Text.assemble(
        (f"{_SIGNS[told.sign]} ", _STYLES[told.sign]), (_line(told.verdict), "bold")
    )
    console.print(_hanging(headline))
    if told.fix:
        fix = Text.assemble(("What to do: ", "bold"), _line(told.fix))
        console.print(Padding(fix, (0, 0, 0, 2), expand=False))
    console.print()
    way = Table.grid(padding=(0, 2, 0, 0))
    way.add_column(no_wrap=True)
    way.add_column(overflow="fold")
    before = None
    for passage in told.passages:
        way.add_row(_name(passage, repeats=passage.part is before), Text(_line(passage.text)))
        for detail in passage.details:
            way.add_row("", Text(_line(detail), style="dim"))
        before = passage.part
    console.print(way)


def _hanging(text: Text) -> Table:
    """Let the second line begin where the first one's words do."""
    grid = Table.grid()
    grid.add_column(width=2)
    grid.add_column(overflow="fold")
    grid.add_row(text[:2], text[2:])
    return grid


def _name(passage: Passage, *, repeats: bool) -> Text:
    sign = (f"{_SIGNS[passage.sign]} ", _STYLES[passage.sign])
    return Text.assemble(sign, "" if repeats else str(passage.part))


def _line(text: str) -> str:
    """Make *text* fit for a terminal, with commands as they are typed here."""
    return one_line(text).replace("`stonechat ", f"`{command_name()} ")

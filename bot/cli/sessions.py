"""What `stonechat sessions` reads, writes down and deletes."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import typer

from bot.cli.client import control, is_answered
from bot.cli.ledger import ledger
from bot.cli.printable import printable
from bot.cli.start import prepare
from bot.cli.table import local, show
from bot.clock import SystemClock
from bot.commands.status import chosen_words
from bot.context.written_out import as_json as written_as_json
from bot.context.written_out import as_markdown
from bot.contracts.errors import BotError
from bot.contracts.ledger import Chapter, Session
from bot.contracts.session import SessionKey, chapter_key
from bot.contracts.transcript import Recorded
from bot.store import open_store

_MOST = 10_000


class NoSuchSession(BotError):
    """The person at the terminal must act: there is no such session, or no such place."""


Forget = Callable[[SessionKey, datetime | None], Awaitable[bool]]


def list_sessions(limit: int, *, as_json: bool) -> None:
    """Print the sessions, latest interaction first."""

    async def read() -> Sequence[Session]:
        async with ledger() as opened:
            return await opened.sessions(limit=limit)

    found = asyncio.run(read())
    if as_json:
        _print_json([asdict(one) for one in found])
    else:
        _show_sessions(found, nothing="No session yet.")


def show_session(key: str, *, as_json: bool) -> None:
    """Print what is known of a session.

    Raises:
        NoSuchSession: there is none.
    """
    session, chapters, _ = asyncio.run(_read(key))
    if as_json:
        _print_json({**asdict(session), "earlier": [asdict(one) for one in chapters]})
        return
    used = session.usage
    rows = (
        ("session", session.key),
        ("agent", session.agent_id),
        ("since", local(session.started_at)),
        ("last used", local(session.last_interaction_at)),
        ("chosen", chosen_words(session.choices) or "nothing, all as configured"),
        ("used", f"{used.input_tokens:,} tokens in, {used.output_tokens:,} out"),
        ("calls", f"{used.model_calls:,} to models, {used.tool_calls:,} of tools"),
        ("chapter", f"{session.chapter + 1} of {session.chapters}"),
    )
    for name, value in rows:
        typer.echo(printable(f"{name:<10} {value}"))
    if len(chapters) > 1:
        typer.echo("")
        show(
            ("chapter", "last", "entries", "began with"),
            ((str(c.number + 1), local(c.last_at), str(c.entries), c.opening) for c in chapters),
            nothing="",
        )


def export_session(key: str, to: Path | None, *, as_json: bool) -> None:
    """Write a session down, to a new file or to standard output.

    Raises:
        NoSuchSession: there is none, or the file cannot be written.
    """
    session, _, recorded = asyncio.run(_read(key))
    text = (written_as_json if as_json else as_markdown)(session.key, recorded)
    if to is None:
        sys.stdout.write(text)
        return
    try:
        with to.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise NoSuchSession(f"{to} cannot be written: {error.strerror}") from None
    typer.echo(printable(f"✓ {sum(map(len, recorded)):,} entries are in {to}."))


def delete_session(key: str, *, yes: bool) -> None:
    """Delete one session, once somebody has said yes.

    Raises:
        NoSuchSession: there is none.
    """
    session, chapters, recorded = asyncio.run(_read(key))
    entries = sum(map(len, recorded))
    typer.echo(printable(f"{session.key}: {entries:,} entries, {len(chapters)} chapters,"))
    typer.echo(f"last used {local(session.last_interaction_at)}. It cannot be brought back.")
    if not (yes or typer.confirm("Delete it?")):
        raise typer.Abort

    async def delete() -> bool:
        async with _forgetting() as forget:
            return await forget(session.key, None)

    if not asyncio.run(delete()):
        raise NoSuchSession(f"there is no session {key!r} any more")
    typer.echo("✓ Deleted.")


def prune_sessions(older: timedelta, *, yes: bool) -> None:
    """Show what nobody used for so long, and delete it, once somebody has said yes."""
    since = SystemClock().now() - older

    async def read() -> Sequence[Session]:
        async with ledger() as opened:
            return await opened.sessions(limit=_MOST, unused_since=since)

    found = asyncio.run(read())
    _show_sessions(found, nothing=f"Every session was used within {older.days} days.")
    if not found:
        return
    typer.echo(f"{len(found):,} sessions would be deleted. They cannot be brought back.")
    if not (yes or typer.confirm("Delete them?")):
        raise typer.Abort

    async def delete() -> int:
        async with _forgetting() as forget:
            return sum([await forget(session.key, since) for session in found])

    deleted = asyncio.run(delete())
    left = f", {len(found) - deleted:,} were used meanwhile" if deleted < len(found) else ""
    typer.echo(f"✓ {deleted:,} deleted{left}.")


async def _read(
    key: str,
) -> tuple[Session, Sequence[Chapter], Sequence[Sequence[Recorded]]]:
    async with ledger() as opened:
        session = await opened.session(SessionKey(key))
        if session is None:
            raise NoSuchSession(f"there is no session {key!r}; `sessions list` shows them")
        chapters = await opened.chapters(session.key, limit=_MOST)
        numbers = sorted(one.number for one in chapters)
        recorded = [await opened.chapter(chapter_key(session.key, number)) for number in numbers]
        return session, chapters, recorded


@asynccontextmanager
async def _forgetting() -> AsyncIterator[Forget]:
    """Give what deletes: the bot that runs or, where none does, the store itself."""
    settings = prepare(debug=False, quiet=True)
    if await is_answered(settings.control_socket):
        async with control(settings.control_socket) as http:

            async def ask(key: SessionKey, since: datetime | None) -> bool:
                moment = None if since is None else since.astimezone(UTC).isoformat()
                asked = {"session": key, "unused_since": moment}
                return await _asked(http, asked)

            yield ask
        return
    store = await open_store(settings.store, clock=SystemClock())
    try:

        async def do(key: SessionKey, since: datetime | None) -> bool:
            return await store.turns.forget_session(key, unused_since=since) is not None

        yield do
    finally:
        await store.close()


async def _asked(http: aiohttp.ClientSession, asked: dict[str, str | None]) -> bool:
    try:
        async with http.post("/sessions/delete", json=asked) as response:
            if response.status != 200:
                raise NoSuchSession(f"the bot did not delete it: {(await response.text()).strip()}")
            answer: dict[str, bool] = await response.json()
            return answer["deleted"]
    except (aiohttp.ClientError, OSError):
        raise NoSuchSession("the bot did not answer; look at its log, and try again") from None


def _show_sessions(found: Sequence[Session], *, nothing: str) -> None:
    show(
        ("session", "agent", "last", "calls", "tools", "tokens in", "out", "chosen"),
        (
            (
                session.key,
                session.agent_id,
                local(session.last_interaction_at),
                str(session.usage.model_calls),
                str(session.usage.tool_calls),
                str(session.usage.input_tokens),
                str(session.usage.output_tokens),
                chosen_words(session.choices),
            )
            for session in found
        ),
        nothing=nothing,
    )


def _print_json(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=2, default=_plain)
    sys.stdout.write(f"{text}\n")


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in JSON")

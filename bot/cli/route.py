"""``stonechat route``: where a message would go and why; ``stonechat targets``: places by name."""

import asyncio
import json
from collections.abc import Iterator, Mapping

import typer

from bot.cli.lists import place
from bot.cli.printable import printable
from bot.cli.table import show
from bot.contracts.errors import BotError, ConfigError, StoreUnavailable
from bot.contracts.inbound import ConversationKind
from bot.contracts.route import Match, asked
from bot.contracts.turn import Rank
from bot.kernel.explain import Explained, Judged, explain
from bot.kernel.moved import MovedRooms
from bot.kernel.route import Router
from bot.settings import Settings, home_folder, load_settings
from bot.store import open_ledger


class NothingAsked(BotError):
    """The person at the terminal: a question names a place or a person, and says what is known."""


def kind_of(written: str | None) -> ConversationKind | None:
    """Read a kind of conversation; a group is a room (pure).

    Raises:
        NothingAsked: it is none.
    """
    match written:
        case None:
            return None
        case "direct":
            return ConversationKind.DIRECT
        case "room" | "group":
            return ConversationKind.ROOM
        case _:
            raise NothingAsked(f"--kind: found {written!r}, expected direct or room")


def rank_of(written: str | None) -> Rank | None:
    """Read a rank (pure).

    Raises:
        NothingAsked: it is none.
    """
    try:
        return None if written is None else Rank[written.upper()]
    except KeyError:
        known = ", ".join(rank.name.lower() for rank in Rank)
        raise NothingAsked(f"--rank: found {written!r}, expected one of {known}") from None


def route(when: Match, rank: Rank | None, *, as_json: bool) -> None:
    """Print where a message of *when* would go, without sending anything; no bot has to run.

    Raises:
        ConfigError: the settings are broken, or have no such channel.
        NothingAsked: neither a conversation nor a sender was named.
    """
    if when.sender is None and when.conversation is None:
        raise NothingAsked("name a --conversation, a --sender, or both, by the platform's ids")
    settings = load_settings(home_folder())
    if when.channel not in settings.channels:
        expected = f"one of {', '.join(settings.channels)}, the keys of `channels:`"
        raise ConfigError("--channel", repr(when.channel), expected)
    from bot.entrance import ALWAYS  # noqa: PLC0415 - half the bot, only for who owns it

    owner = f"{when.channel}:{when.sender}" in ALWAYS
    rank = rank or (Rank.OWNER if owner else Rank.MEMBER)
    router = Router(settings.routing, asyncio.run(moved_rooms(settings)))
    explained = explain(router, asked(when), rank)
    if as_json:
        typer.echo(json.dumps(_as_json(explained, rank), indent=2, ensure_ascii=False))
        return
    for line in _told(explained, rank):
        typer.echo(printable(line))


def list_targets() -> None:
    """Print the places that have a name.

    Raises:
        ConfigError: the settings are broken.
    """
    targets = load_settings(home_folder()).routing.targets
    show(
        ("target", "place"),
        ((name, place(key)) for name, key in targets.items()),
        nothing="No target is named: `targets:` in config.yaml names them.",
    )


async def moved_rooms(settings: Settings) -> MovedRooms:
    """Read which rooms have moved; none has where nothing is stored yet."""
    try:
        ledger = await open_ledger(settings.store)
    except StoreUnavailable:
        return MovedRooms()
    try:
        return MovedRooms(await ledger.moves())
    finally:
        await ledger.close()


def _told(explained: Explained, rank: Rank) -> Iterator[str]:
    route = explained.route
    yield f"agent      {route.agent_id}"
    yield f"session    {route.session_key}"
    yield f"by         {_winner(explained)}"
    yield f"rank       {rank.name.lower()}"
    losers = [each for each in explained.judged if each.why]
    if not losers:
        yield "no other binding"
    for each in losers:
        how = "lost" if each.fits else "no"
        yield f"{how:<10} {_named(each)} -> {each.binding.agent_id}: {each.why}"


def _winner(explained: Explained) -> str:
    first = explained.judged[:1]
    if first and not first[0].why:
        return f"{explained.route.matched_by} at {first[0].binding.where}"
    return "no binding: what none is for is answered by main"


def _named(judged: Judged) -> str:
    return f"bindings[{judged.number}]"


def _as_json(explained: Explained, rank: Rank) -> Mapping[str, object]:
    route = explained.route
    return {
        "agent": route.agent_id,
        "session": route.session_key,
        "matched_by": route.matched_by,
        "rank": rank.name.lower(),
        "others": [
            {
                "binding": each.number,
                "where": each.binding.where,
                "agent": each.binding.agent_id,
                "matches": each.fits,
                "why": each.why,
            }
            for each in explained.judged
            if each.why
        ],
    }

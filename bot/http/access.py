"""The control socket's addresses for pairing and for owners; nobody else reaches them."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Annotated, Final

from aiohttp import web
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from bot.access.owners import CODE_LASTS, Owner, Owners
from bot.access.pairing import LASTS, Pairing
from bot.contracts.channel import IdShapes, Mount, RouteSpec
from bot.contracts.errors import AccessRefused, NotInvited, StoreUnavailable
from bot.contracts.people import Person
from bot.contracts.turn import Rank

_LARGEST_WISH: Final = 4_096
_STRICT: Final = ConfigDict(extra="forbid", strict=True)
_RANKS: Final = {rank.name.lower(): rank for rank in (Rank.GUEST, Rank.MEMBER, Rank.ADMIN)}
_TERMINAL: Final = "terminal"
"""Who guesses, if a code is mistyped here."""

Text = Annotated[str, Field(min_length=1, max_length=300)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Knock:
    """Somebody who waits to be let in."""

    who: str
    """``<channel>:<id>``"""
    name: str
    """What they call themselves."""
    asked_at: datetime
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LetIn:
    """Somebody who was let in by a code."""

    who: str
    name: str
    rank: str
    since: datetime
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairList:
    """What ``GET /pair`` answers, and after a change who it was about."""

    waiting: tuple[Knock, ...] = ()
    people: tuple[LetIn, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerRow:
    """One owner's account."""

    who: str
    name: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerList:
    """What ``GET /owners`` answers, and after a change who it was about."""

    owners: tuple[OwnerRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerCode:
    """What ``POST /owners/code`` answers."""

    channel: str
    code: str
    until_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class CodeWish:
    """What is done with the request that has this code."""

    code: Text
    rank: str = "guest"


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class WhoWish:
    """Whom it is about: ``<channel>:<id>``."""

    who: Text


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class ChannelWish:
    """The channel that is to have an owner."""

    channel: Text


@cache
def pair_list() -> TypeAdapter[PairList]:
    """Read and write a list of who waits and who was let in."""
    return TypeAdapter(PairList)


@cache
def owner_list() -> TypeAdapter[OwnerList]:
    """Read and write a list of owners."""
    return TypeAdapter(OwnerList)


@cache
def new_code() -> TypeAdapter[OwnerCode]:
    """Read and write the answer to who wants a code."""
    return TypeAdapter(OwnerCode)


@cache
def _code_wish() -> TypeAdapter[CodeWish]:
    return TypeAdapter(CodeWish)


@cache
def _who_wish() -> TypeAdapter[WhoWish]:
    return TypeAdapter(WhoWish)


@cache
def _channel_wish() -> TypeAdapter[ChannelWish]:
    return TypeAdapter(ChannelWish)


class AccessRoutes:
    """Answers the user the bot runs under."""

    def __init__(
        self, pairing: Pairing, owners: Owners, shapes: Mapping[str, IdShapes | None]
    ) -> None:
        self._pairing = pairing
        self._owners = owners
        self._shapes = shapes

    def specs(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted."""
        routes = [
            ("GET", "/pair", self.pairs),
            ("POST", "/pair/approve", self.approve),
            ("POST", "/pair/refuse", self.refuse),
            ("POST", "/pair/revoke", self.revoke),
            ("GET", "/owners", self.owners),
            ("POST", "/owners", self.add_owner),
            ("POST", "/owners/remove", self.remove_owner),
            ("POST", "/owners/code", self.owner_code),
        ]
        return [
            RouteSpec(mount=Mount.CONTROL, method=method, path=path, handler=_told(answer))
            for method, path, answer in routes
        ]

    async def pairs(self, _request: web.Request) -> web.Response:
        """List who waits, and who was let in."""
        waiting = tuple(
            Knock(
                who=f"{each.channel}:{each.id}",
                name=each.name,
                asked_at=each.asked_at,
                until=each.asked_at + LASTS,
            )
            for each in await self._pairing.waiting()
        )
        people = [
            _let_in(channel, person)
            for channel in self._shapes
            for person in await self._pairing.let_in(channel)
        ]
        return _json(pair_list().dump_json(PairList(waiting=waiting, people=tuple(people))))

    async def approve(self, request: web.Request) -> web.Response:
        """Let in who has a code."""
        wish = _code_wish().validate_json(await _body(request))
        rank = _RANKS.get(wish.rank)
        if rank is None:
            found, ranks = repr(wish.rank[:40]), ", ".join(_RANKS)
            raise AccessRefused(f"a rank is one of {ranks}, and not {found}")
        channel, person = await self._pairing.approve(wish.code, by=_TERMINAL, rank=rank)
        return _json(pair_list().dump_json(PairList(people=(_let_in(channel, person),))))

    async def refuse(self, request: web.Request) -> web.Response:
        """Let a request go."""
        wish = _code_wish().validate_json(await _body(request))
        gone = await self._pairing.refuse(wish.code, by=_TERMINAL)
        knock = Knock(
            who=f"{gone.channel}:{gone.id}",
            name=gone.name,
            asked_at=gone.asked_at,
            until=gone.asked_at + LASTS,
        )
        return _json(pair_list().dump_json(PairList(waiting=(knock,))))

    async def revoke(self, request: web.Request) -> web.Response:
        """Shut somebody out who was let in."""
        channel, sender_id = self._whom(_who_wish().validate_json(await _body(request)).who)
        person = await self._pairing.revoke(channel, sender_id)
        return _json(pair_list().dump_json(PairList(people=(_let_in(channel, person),))))

    async def owners(self, _request: web.Request) -> web.Response:
        """List the owners."""
        return _owners(*self._owners.every())

    async def add_owner(self, request: web.Request) -> web.Response:
        """Make somebody owner."""
        channel, sender_id = self._whom(_who_wish().validate_json(await _body(request)).who)
        return _owners(await self._owners.add(channel, sender_id))

    async def remove_owner(self, request: web.Request) -> web.Response:
        """Make somebody owner no more."""
        who = _who_wish().validate_json(await _body(request)).who
        channel, _, sender_id = who.partition(":")
        owner = await self._owners.remove(channel, sender_id)
        if owner is None:
            raise AccessRefused(f"{who} is no owner that could be removed")
        return _owners(owner)

    async def owner_code(self, request: web.Request) -> web.Response:
        """Make the code that makes whoever tells it owner."""
        channel = _channel_wish().validate_json(await _body(request)).channel
        self._check_channel(channel)
        code = OwnerCode(
            channel=channel,
            code=await self._owners.offer(channel),
            until_minutes=int(CODE_LASTS.total_seconds() // 60),
        )
        return _json(new_code().dump_json(code))

    def _whom(self, who: str) -> tuple[str, str]:
        """Read ``<channel>:<id>``.

        Raises:
            AccessRefused: it is none, or its id is a name.
        """
        channel, colon, sender_id = who.partition(":")
        if not colon or not sender_id.strip():
            raise AccessRefused(f"{who!r} is no account; write channel:id, such as telegram:4711")
        self._check_channel(channel)
        shapes = self._shapes[channel]
        is_name = sender_id[0] in "@#" or any(letter.isspace() for letter in sender_id)
        if is_name or (shapes and not re.fullmatch(shapes.person, sender_id)):
            example = shapes.example if shapes else "4711"
            raise AccessRefused(
                f"{sender_id!r} is no id of {channel}, such as {example}; a name can be anybody's"
            )
        return channel, sender_id

    def _check_channel(self, channel: str) -> None:
        if channel not in self._shapes:
            known = ", ".join(self._shapes) or "none but the page, which has its link"
            raise AccessRefused(f"there is no channel {channel!r} here; there is {known}")


_Answer = Callable[[web.Request], Awaitable[web.Response]]


def _told(answer: _Answer) -> _Answer:
    """Turn what cannot be into one sentence."""

    async def told(request: web.Request) -> web.Response:
        try:
            return await answer(request)
        except ValidationError:
            return web.Response(status=400, text="This address takes another JSON object.")
        except (AccessRefused, NotInvited) as error:
            return web.Response(status=422, text=str(error))
        except StoreUnavailable as error:
            return web.Response(status=503, text=str(error))

    return told


async def _body(request: web.Request) -> bytes:
    if (request.content_length or 0) > _LARGEST_WISH:
        return b""
    return await request.content.read(_LARGEST_WISH)


def _let_in(channel: str, person: Person) -> LetIn:
    return LetIn(
        who=f"{channel}:{person.id}",
        name=person.name,
        rank=person.rank.name.lower(),
        since=person.since,
        revoked_at=person.revoked_at,
    )


def _owners(*owners: Owner) -> web.Response:
    rows = tuple(
        OwnerRow(who=f"{owner.channel}:{owner.id}", name=owner.name, since=owner.since)
        for owner in owners
    )
    return _json(owner_list().dump_json(OwnerList(owners=rows)))


def _json(body: bytes) -> web.Response:
    return web.Response(body=body, content_type="application/json")

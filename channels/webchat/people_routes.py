"""The control socket's addresses for letting people in and shutting them out."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Annotated, ClassVar, Final, Protocol

from aiohttp import web
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from bot.contracts.channel import Mount, RouteSpec
from bot.contracts.errors import NotInvited, StoreUnavailable
from bot.contracts.people import Person
from bot.contracts.turn import Rank
from channels.webchat.bodies import body_of

_LARGEST_WISH: Final = 4_096
_STRICT: Final = ConfigDict(extra="forbid", strict=True)
_NO_WISH: Final = "An invitation is a JSON object with a name and a rank."
_NO_NAME: Final = "Who is to be shut out is said by a JSON object with a name."
_NOT_SERVED: Final = "The page is not served by this process; start it with `script/run`."
_RANKS: Final = {rank.name.lower(): rank for rank in (Rank.ADMIN, Rank.MEMBER, Rank.GUEST)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRow:
    """One person, as the list has them."""

    id: str
    name: str
    rank: str
    since: datetime
    revoked_at: datetime | None = None
    online: bool = False
    """Whether a page of theirs is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleList:
    """What ``GET /people`` answers."""

    people: tuple[PersonRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invited:
    """What ``POST /people`` answers: who was let in, and the link that works once."""

    person: PersonRow
    link: str
    returns: bool
    """Whether they had been shut out, and come back to their conversations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InviteWish:
    """What ``POST /people`` takes."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    name: Annotated[str, Field(max_length=1_000)]
    rank: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeWish:
    """What ``POST /people/revoke`` takes."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    name: Annotated[str, Field(max_length=1_000)]


@cache
def invited() -> TypeAdapter[Invited]:
    """Return what writes and reads `Invited`."""
    return TypeAdapter(Invited)


@cache
def people_list() -> TypeAdapter[PeopleList]:
    """Return what writes and reads `PeopleList`."""
    return TypeAdapter(PeopleList)


@cache
def _invite() -> TypeAdapter[InviteWish]:
    return TypeAdapter(InviteWish)


@cache
def _revoke() -> TypeAdapter[RevokeWish]:
    return TypeAdapter(RevokeWish)


class Hosts(Protocol):
    """What is needed of the channel."""

    @property
    def is_served(self) -> bool:
        """Whether a browser can reach the page."""
        ...

    async def invite(self, name: str, rank: Rank) -> tuple[Person, str, bool]:
        """Let somebody in; return who, the link, and whether they were shut out before."""
        ...

    async def revoke(self, name: str) -> Person:
        """Shut somebody out, at once."""
        ...

    async def people(self) -> Sequence[tuple[Person, bool]]:
        """Return everybody, each with whether a page of theirs is open."""
        ...


class PeopleRoutes:
    """Answers the user the bot runs under, on the control socket, and nobody else."""

    def __init__(self, hosts: Hosts) -> None:
        self._hosts = hosts

    def specs(self) -> Sequence[RouteSpec]:
        """Return what is to be mounted."""
        routes = [
            ("GET", "/people", self.show),
            ("POST", "/people", self.invite),
            ("POST", "/people/revoke", self.revoke),
        ]
        return [
            RouteSpec(mount=Mount.CONTROL, method=method, path=path, handler=_told(answer))
            for method, path, answer in routes
        ]

    async def show(self, _request: web.Request) -> web.Response:
        """List everybody who was ever let in."""
        people = await self._hosts.people()
        rows = tuple(_row(person, online=online) for person, online in people)
        return _json(people_list().dump_json(PeopleList(people=rows)))

    async def invite(self, request: web.Request) -> web.Response:
        """Let somebody in, and answer with their link."""
        try:
            wish = _invite().validate_json(await body_of(request, largest=_LARGEST_WISH))
        except ValidationError:
            return web.Response(status=400, text=_NO_WISH)
        rank = _RANKS.get(wish.rank)
        if rank is None:
            found, ranks = repr(wish.rank[:40]), ", ".join(_RANKS)
            text = f"A rank is one of {ranks}, and not {found}: nobody becomes owner by invitation."
            return web.Response(status=422, text=text)
        if not self._hosts.is_served:
            return web.Response(status=409, text=_NOT_SERVED)
        person, link, returns = await self._hosts.invite(wish.name, rank)
        answer = Invited(person=_row(person, online=False), link=link, returns=returns)
        return _json(invited().dump_json(answer))

    async def revoke(self, request: web.Request) -> web.Response:
        """Shut somebody out."""
        try:
            wish = _revoke().validate_json(await body_of(request, largest=_LARGEST_WISH))
        except ValidationError:
            return web.Response(status=400, text=_NO_NAME)
        person = await self._hosts.revoke(wish.name)
        rows = (_row(person, online=False),)
        return _json(people_list().dump_json(PeopleList(people=rows)))


_Answer = Callable[[web.Request], Awaitable[web.Response]]


def _told(answer: _Answer) -> _Answer:
    """Turn what cannot be into one sentence."""

    async def told(request: web.Request) -> web.Response:
        try:
            return await answer(request)
        except NotInvited as error:
            return web.Response(status=422, text=str(error))
        except StoreUnavailable as error:
            return web.Response(status=503, text=str(error))

    return told


def _row(person: Person, *, online: bool) -> PersonRow:
    return PersonRow(
        id=person.id,
        name=person.name,
        rank=person.rank.name.lower(),
        since=person.since,
        revoked_at=person.revoked_at,
        online=online,
    )


def _json(body: bytes) -> web.Response:
    return web.Response(body=body, content_type="application/json")

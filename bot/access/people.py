"""The people who were let in, kept as records: an id, a name, a rank, and if it still holds."""

import asyncio
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Final

from pydantic import TypeAdapter, ValidationError

from bot.contracts.clock import Clock, Ids
from bot.contracts.errors import NotInvited
from bot.contracts.people import People, Person
from bot.contracts.store import Record, Records
from bot.contracts.turn import Rank

_KEY: Final = "person:"
LONGEST_NAME: Final = 40
"""Characters; a name is one line of a list."""

_MOST_PEOPLE: Final = 100
"""Who is let in at once, for each channel: a household or a team, and no public."""

_RANKS: Final = {"admin": Rank.ADMIN, "member": Rank.MEMBER, "guest": Rank.GUEST}
"""What somebody can be invited as. Owner is not among them: nobody becomes owner by approval."""

_JOINERS: Final = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""Invisible, and part of how names are written in Persian, in Indian scripts and in emoji."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """A person as a record has them. `v` rises when an older bot would misread it."""

    v: int = 1
    name: str
    rank: str
    since: datetime
    revoked_at: datetime | None = None


@cache
def _kept() -> TypeAdapter[_Kept]:
    return TypeAdapter(_Kept)


class RecordedPeople:
    """The `People` of one store. Only one process has a store open, so that its lock is enough."""

    def __init__(self, records: Records, clock: Clock, ids: Ids) -> None:
        self._records = records
        self._clock = clock
        self._ids = ids
        self._one_change = asyncio.Lock()

    async def rank_of(self, channel: str, sender_id: str) -> Rank:
        """Return what they may do: STRANGER for whoever is not let in, and never OWNER."""
        person = await self.get(channel, sender_id)
        return Rank.STRANGER if person is None else person.rank

    async def get(self, channel: str, sender_id: str) -> Person | None:
        """Return who that is, if they are let in."""
        record = await self._records.get(f"{_KEY}{channel}:{sender_id}")
        person = None if record is None else _person(record, channel)
        return person if person is not None and person.may_enter else None

    async def every(self, channel: str) -> Sequence[Person]:
        """Return everybody who was ever let in, oldest first. What cannot be read is nobody."""
        found = [
            _person(record, channel) for record in await self._records.scan(f"{_KEY}{channel}:")
        ]
        return sorted((one for one in found if one is not None), key=lambda one: one.since)

    async def invite(self, channel: str, name: str, rank: Rank) -> Person:
        """Let somebody in, or change the rank of who has that name already.

        Raises:
            NotInvited: the name or the rank cannot be, or there are too many people.
        """
        if rank not in _RANKS.values():
            raise NotInvited(f"a person is invited as {', '.join(_RANKS)}, and never as owner")
        name = usable_name(name)
        async with self._one_change:
            people = await self.every(channel)
            before = _named(people, name)
            if before is None or not before.may_enter:
                _check_room(people)
            if before is None:
                person = Person(id=self._ids.new(), name=name, rank=rank, since=self._clock.now())
            else:
                person = replace(before, rank=rank, revoked_at=None)
            await self._keep(channel, person)
        return person

    async def let_in(self, channel: str, sender_id: str, name: str, rank: Rank) -> Person:
        """Let in who has that id on the platform; the *name* they go by there is for eyes alone.

        Raises:
            NotInvited: the rank cannot be, or there are too many people.
        """
        if rank not in _RANKS.values():
            raise NotInvited(f"a person is let in as {', '.join(_RANKS)}, and never as owner")
        try:
            shown = usable_name(name)
        except NotInvited:
            shown = usable_name(f"no. {sender_id[-20:]}")
        async with self._one_change:
            people = await self.every(channel)
            before = next((one for one in people if one.id == sender_id), None)
            if before is None or not before.may_enter:
                _check_room(people)
            since = before.since if before else self._clock.now()
            person = Person(id=sender_id, name=shown, rank=rank, since=since)
            await self._keep(channel, person)
        return person

    async def shut_out(self, channel: str, sender_id: str) -> Person | None:
        """Shut out who has that id; return who that was, or None if they were not let in."""
        async with self._one_change:
            person = await self.get(channel, sender_id)
            if person is not None:
                person = replace(person, revoked_at=self._clock.now())
                await self._keep(channel, person)
        return person

    async def find(self, channel: str, name: str) -> Person:
        """Return who has that name.

        Raises:
            NotInvited: nobody who is let in has it.
        """
        person = _named(await self.every(channel), name)
        if person is None or not person.may_enter:
            raise NotInvited(f"nobody who is let in is called {_shown(name)}")
        return person

    async def revoke(self, channel: str, name: str) -> Person:
        """Shut out who has that name.

        Raises:
            NotInvited: nobody who is let in has it.
        """
        async with self._one_change:
            person = await self.find(channel, name)
            person = replace(person, revoked_at=self._clock.now())
            await self._keep(channel, person)
        return person

    async def _keep(self, channel: str, person: Person) -> None:
        key = f"{_KEY}{channel}:{person.id}"
        kept = _Kept(
            name=person.name,
            rank=rank_word(person.rank),
            since=person.since,
            revoked_at=person.revoked_at,
        )
        record = await self._records.get(key)
        version = 0 if record is None else record.version
        await self._records.swap(key, _kept().dump_json(kept), version=version)


class OwnerAlone:
    """People who stay outside for as long as the settings are broken: only the owner is let in."""

    def __init__(self, people: People, is_alone: Callable[[], bool] = lambda: True) -> None:
        self._people = people
        self._is_alone = is_alone

    async def rank_of(self, channel: str, sender_id: str) -> Rank:
        """Everybody is a stranger."""
        if self._is_alone():
            return Rank.STRANGER
        return await self._people.rank_of(channel, sender_id)

    async def get(self, channel: str, sender_id: str) -> Person | None:
        """Nobody is let in."""
        return None if self._is_alone() else await self._people.get(channel, sender_id)

    async def every(self, channel: str) -> Sequence[Person]:
        """Return everybody who was ever let in."""
        return await self._people.every(channel)

    async def invite(self, channel: str, name: str, rank: Rank) -> Person:
        """Invite nobody.

        Raises:
            NotInvited: always, as long as the settings are broken.
        """
        if not self._is_alone():
            return await self._people.invite(channel, name, rank)
        raise NotInvited("the settings are broken, and only the owner is let in until they are not")

    async def find(self, channel: str, name: str) -> Person:
        """Return who has that name."""
        return await self._people.find(channel, name)

    async def revoke(self, channel: str, name: str) -> Person:
        """Shut out who has that name."""
        return await self._people.revoke(channel, name)


def usable_name(name: str) -> str:
    """Return *name* as it is kept: one line, in one spelling, nothing invisible in it (pure).

    Raises:
        NotInvited: nothing that could be read is left of it, or it is too long.
    """
    spelled = unicodedata.normalize("NFKC", name[: 10 * LONGEST_NAME])
    kept = "".join(
        letter
        for letter in (" " if letter.isspace() else letter for letter in spelled)
        if letter in _JOINERS or not unicodedata.category(letter).startswith("C")
    )
    usable = " ".join(kept.split())
    if not any(letter.isalnum() for letter in usable):
        raise NotInvited(f"a name has a letter or a number in it; {_shown(name)} has none")
    if len(usable) > LONGEST_NAME:
        raise NotInvited(f"a name has at most {LONGEST_NAME} characters; this has {len(usable)}")
    if _folded(usable) == "owner":
        raise NotInvited("the owner is who runs the bot; a person has another name")
    return usable


def rank_word(rank: Rank) -> str:
    """Return the word of a rank, as settings, commands and records have it (pure)."""
    return rank.name.lower()


def rank_named(word: str) -> Rank | None:
    """Return the rank somebody can be invited as by that word, or None (pure)."""
    return _RANKS.get(word)


def _check_room(people: Sequence[Person]) -> None:
    """Raise NotInvited if nobody more may be let in."""
    inside = sum(person.may_enter for person in people)
    if inside >= _MOST_PEOPLE:
        raise NotInvited(f"{inside} people are let in already, and no more can be")


def _folded(name: str) -> str:
    """Return what two spellings of one name have in common: no case, nothing invisible."""
    return "".join(letter for letter in name.casefold() if letter not in _JOINERS)


def _named(people: Sequence[Person], name: str) -> Person | None:
    wanted = _folded(" ".join(unicodedata.normalize("NFKC", name).split()))
    return next((person for person in people if _folded(person.name) == wanted), None)


def _shown(name: str) -> str:
    return repr(name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…")


def _person(record: Record, channel: str) -> Person | None:
    """Read a record; None for one that says what this bot does not understand."""
    try:
        kept = _kept().validate_json(record.value)
    except ValidationError:
        return None
    rank = _RANKS.get(kept.rank)
    if kept.v != 1 or rank is None:
        return None
    return Person(
        id=record.key.removeprefix(f"{_KEY}{channel}:"),
        name=kept.name,
        rank=rank,
        since=kept.since,
        revoked_at=kept.revoked_at,
    )

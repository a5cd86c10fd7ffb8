"""Pairing: a stranger gets a code, and whoever runs the bot lets them in by it.

What is asked for is one record for each channel and account, written by version, so that there
are never more than three, however many ask at once. It never opens a room and makes nobody owner.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Final

from pydantic import TypeAdapter, ValidationError

from bot.access.codes import Guesses, digest, is_code, plain_code
from bot.access.people import RecordedPeople
from bot.contracts.clock import Clock, Codes
from bot.contracts.errors import AccessRefused
from bot.contracts.inbound import Inbound
from bot.contracts.people import Person, Request
from bot.contracts.store import Record, Records
from bot.contracts.turn import Rank

LENGTH: Final = 8
"""Characters: 40 bits."""
LASTS: Final = timedelta(hours=1)
MOST: Final = 3
"""Requests that wait at once, for each channel and account."""
_PREFIX: Final = "pairing:"
_LOCKED: Final = "too many wrong codes within the hour: wait, or refuse what you do not know"
_WRONG: Final = "no request has this code: it is mistyped, was decided, or is older than an hour"


@cache
def _kept() -> TypeAdapter[tuple[Request, ...]]:
    return TypeAdapter(tuple[Request, ...])


class Pairing:
    """The requests of strangers, and what becomes of them."""

    def __init__(
        self, records: Records, people: RecordedPeople, clock: Clock, codes: Codes
    ) -> None:
        self._records = records
        self._people = people
        self._clock = clock
        self._codes = codes
        self._guesses = Guesses(clock)

    async def ask(self, inbound: Inbound) -> str | None:
        """Note the request of a stranger and return their code.

        None says that there is nothing to tell: they have their code already, or as many others
        wait as may.
        """
        code = self._codes.new(LENGTH)
        request = Request(
            channel=inbound.channel,
            account=inbound.account,
            id=inbound.sender.id,
            name=inbound.sender.display_name[:40],
            digest=digest(code),
            asked_at=self._clock.now(),
        )

        def noted(waiting: tuple[Request, ...]) -> tuple[Request, ...]:
            others = tuple(each for each in waiting if each.id != request.id)
            if len(others) >= MOST or any(each.told for each in waiting if each not in others):
                return waiting
            return (*others, request)

        waiting = await self._change(_key(inbound.channel, inbound.account), noted)
        return code if request in waiting else None

    async def was_told(self, inbound: Inbound) -> None:
        """Note that the code is on its way: nothing more is said to them within the hour."""

        def told(waiting: tuple[Request, ...]) -> tuple[Request, ...]:
            return tuple(
                replace(each, told=True) if each.id == inbound.sender.id else each
                for each in waiting
            )

        await self._change(_key(inbound.channel, inbound.account), told)

    async def waiting(self) -> Sequence[Request]:
        """Return every request that waits, oldest first."""
        found = [
            each
            for record in await self._records.scan(_PREFIX)
            for each in self._fresh(_requests(record))
        ]
        return sorted(found, key=lambda each: each.asked_at)

    async def approve(
        self, written: str, *, by: str, rank: Rank = Rank.GUEST
    ) -> tuple[str, Person]:
        """Let in who has that code, into direct chats alone; return on which channel, and whom.

        Raises:
            AccessRefused: nobody who waits has it, or too many wrong ones were tried.
            NotInvited: the rank cannot be, or there are too many people.
        """
        request = await self._found(written, by)
        person = await self._people.let_in(request.channel, request.id, request.name, rank)
        await self._drop(request)
        return request.channel, person

    async def refuse(self, written: str, *, by: str) -> Request:
        """Let the request with that code go; they may ask again.

        Raises:
            AccessRefused: nobody who waits has it, or too many wrong ones were tried.
        """
        request = await self._found(written, by)
        await self._drop(request)
        return request

    async def revoke(self, channel: str, sender_id: str) -> Person:
        """Shut out somebody who was let in.

        Raises:
            AccessRefused: they are not in.
        """
        person = await self._people.shut_out(channel, sender_id)
        if person is None:
            raise AccessRefused(f"{channel}:{sender_id} was not let in")
        return person

    async def let_in(self, channel: str) -> Sequence[Person]:
        """Return everybody of a channel who was let in, and who was shut out again."""
        return await self._people.every(channel)

    async def _found(self, written: str, by: str) -> Request:
        if not self._guesses.may_guess(by):
            raise AccessRefused(_LOCKED)
        fits = [
            each for each in await self.waiting() if is_code(written, each.digest)
        ]  # every one is compared, so that the time says nothing
        if len(plain_code(written)) != LENGTH or not fits:
            self._guesses.was_wrong(by)
            raise AccessRefused(_WRONG)
        return fits[0]

    async def _drop(self, request: Request) -> None:
        def without(waiting: tuple[Request, ...]) -> tuple[Request, ...]:
            return tuple(each for each in waiting if each.digest != request.digest)

        await self._change(_key(request.channel, request.account), without)

    async def _change(
        self, key: str, change: Callable[[tuple[Request, ...]], tuple[Request, ...]]
    ) -> tuple[Request, ...]:
        """Change what waits, and return it; whoever comes between is heard first."""
        while True:
            record = await self._records.get(key)
            before = _requests(record)
            after = change(self._fresh(before))
            if after == before:
                return after
            version = record.version if record else 0
            if await self._records.swap(key, _kept().dump_json(after), version=version):
                return after

    def _fresh(self, requests: tuple[Request, ...]) -> tuple[Request, ...]:
        now = self._clock.now()
        return tuple(each for each in requests if now - each.asked_at < LASTS)


def _key(channel: str, account: str) -> str:
    return f"{_PREFIX}{channel}:{account}"


def _requests(record: Record | None) -> tuple[Request, ...]:
    """Read what waits; nothing of a record that cannot be read."""
    if record is None:
        return ()
    try:
        return _kept().validate_json(record.value)
    except ValidationError:
        return ()

"""What may still be spent: asked before each model call, held during it, settled after it.

One process holds the store alone, so what it has spent today it knows: it reads the book once, at
its start. Money in flight is held at what it may be at most, so that a hundred turns at once
cannot overshoot by a hundred calls; whoever finds only held money in their way waits for it.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Final

from bot.agent.estimate import Estimate
from bot.contracts.budget import NOTHING, WARN_PERCENT, Allowance, Caps, Cost, LimitMet, Scope, Unit
from bot.contracts.clock import Clock
from bot.contracts.errors import BudgetSpent
from bot.contracts.ledger import Spending
from bot.contracts.turn import Failure, Lane, Rank, Turn

Key = tuple[Scope, str]
"""A limit's scope, and whose it is."""

_KEPT_DAYS: Final = 3
"""Days whose sums are kept: a clock that is set back must not find an empty day."""

_Amounts = Mapping[Key, Cost]


@dataclass(slots=True)
class _Account:
    """What was spent under one limit on one day, and what is held for calls that run."""

    spent: Cost = NOTHING
    held: Cost = NOTHING
    warned: set[tuple[Unit, int]] = field(default_factory=set)


@dataclass(slots=True)
class _Bell:
    """Rings once for whoever waits; one for all purses of a book."""

    changed: asyncio.Event = field(default_factory=asyncio.Event)


class Purse:
    """The sums of the day. Lives in the event loop's thread; one for all agents."""

    def __init__(
        self,
        caps: Caps,
        clock: Clock,
        *,
        spent: Iterable[Spending] = (),
        allowed: Iterable[tuple[date, Allowance]] = (),
    ) -> None:
        self._caps = caps
        self._clock = clock
        self._days: dict[date, dict[Key, _Account]] = {}
        self._allowed: dict[tuple[date | None, Key], Cost] = {}
        self._bell = _Bell()
        for one in spent:
            for key in keys_of(one.person, one.rank, one.agent_id, one.session_key, one.lane):
                account = self._day(one.day).setdefault(key, _Account())
                account.spent += one.usage.cost
        for day, allowance in allowed:
            self.allow(allowance, day)

    def under(self, caps: Caps) -> "Purse":
        """Return the same book under other limits; whoever pays from this one keeps its limits."""
        other = copy(self)
        other._caps = caps  # noqa: SLF001 - of its own class
        return other

    def of(self, turn: Turn) -> "TurnPurse":
        """Return what *turn* pays from."""
        arrival = turn.arrival
        person = person_of(turn)
        keys = keys_of(person, arrival.rank, arrival.route.agent_id, turn.session_key, arrival.lane)
        return TurnPurse(self, turn.id, keys)

    def allow(self, allowance: Allowance, day: date | None = None) -> None:
        """Raise a limit for *day*, today if left out; a turn's for that turn."""
        when = None if allowance.scope is Scope.TURN else day or self.today
        key = (when, (allowance.scope, allowance.name))
        given = (
            Cost(micro_usd=allowance.amount)
            if allowance.unit is Unit.MONEY
            else Cost(unpriced_tokens=allowance.amount)
        )
        self._allowed[key] = self._allowed.get(key, NOTHING) + given
        self._wake()

    @property
    def today(self) -> date:
        """The day by the operator's clock."""
        return self._clock.now().astimezone().date()

    def limit(self, key: Key, unit: Unit) -> int | None:
        """Return the limit of *key* with what was allowed beyond it, or None."""
        cap = self._caps.of(unit).get(key[0])
        if cap is None:
            return None
        when = None if key[0] is Scope.TURN else self.today
        return cap + self._allowed.get((when, key), Cost()).of(unit)

    def account(self, key: Key) -> _Account:
        """Return today's sums of *key*."""
        return self._day(self.today).setdefault(key, _Account())

    async def settled(self) -> None:
        """Wait until something that was held is settled, or a limit raised."""
        await self._bell.changed.wait()

    def hold(self, keys: Sequence[Key], most: Cost) -> "Held":
        """Hold *most* under each of *keys*."""
        accounts = [self.account(key) for key in keys]
        for account in accounts:
            account.held += most

        def settle(cost: Cost) -> None:
            for account in accounts:
                account.held -= most
            for key in keys:
                self.account(key).spent += cost
            self._wake()

        return Held(settle)

    def _wake(self) -> None:
        self._bell.changed.set()
        self._bell.changed = asyncio.Event()

    def _day(self, day: date) -> dict[Key, _Account]:
        if day not in self._days:
            self._days[day] = {}
            for old in sorted(self._days)[:-_KEPT_DAYS]:
                del self._days[old]
        return self._days.setdefault(day, {})


class Held:
    """Money that is held for one call. It is settled once."""

    def __init__(self, settle: Callable[[Cost], None]) -> None:
        self._settle: Callable[[Cost], None] | None = settle

    def settle(self, cost: Cost) -> None:
        """Give back what is held, and spend *cost*."""
        settle, self._settle = self._settle, None
        if settle is not None:
            settle(cost)


class TurnPurse:
    """What one turn pays from: its own limit, and those of all it belongs to."""

    def __init__(self, purse: Purse, turn_id: str, keys: Sequence[Key]) -> None:
        self._purse = purse
        self._turn: Final[Key] = (Scope.TURN, turn_id)
        self._keys = keys
        self._warned_of_turn = False

    async def hold(self, expected: Estimate, in_turn: Cost) -> Held:
        """Hold what one call may cost; *in_turn* is what its turn has spent.

        The call must be able to read its request within every limit; its answer may go beyond
        one, by less than that answer's price. What is held for other calls counts as spent.

        Raises:
            BudgetSpent: a limit is in the way, and no other call's end would change that.
        """
        if not expected.most:
            return Held(lambda _: None)
        unit = Unit.MONEY if expected.most.micro_usd else Unit.TOKENS
        least = expected.least.of(unit)
        while True:
            if (met := self._in_the_way(unit, least, in_turn)) is not None:
                raise BudgetSpent(_said(met), Failure.SPENDING, met)
            if not self._must_wait(unit, least):
                return self._purse.hold(self._keys, expected.most)
            await self._purse.settled()

    def charge(self, cost: Cost) -> None:
        """Spend *cost*, which nothing was held for."""
        self._purse.hold(self._keys, NOTHING).settle(cost)

    def warnings(self, in_turn: Cost) -> tuple[LimitMet, ...]:
        """Return the limits that are near their end and that nobody was told of yet."""
        return tuple(self._near(in_turn))

    def _near(self, in_turn: Cost) -> Iterator[LimitMet]:
        for unit in Unit:
            limit = self._purse.limit(self._turn, unit)
            spent = in_turn.of(unit)
            if _is_near(spent, limit) and not self._warned_of_turn:
                self._warned_of_turn = True
                yield self._met(self._turn, unit, limit or 0, spent)
            for key in self._keys:
                account, limit = self._purse.account(key), self._purse.limit(key, unit)
                spent = account.spent.of(unit)
                if _is_near(spent, limit) and (unit, limit) not in account.warned:
                    account.warned.add((unit, limit or 0))
                    yield self._met(key, unit, limit or 0, spent)

    def _in_the_way(self, unit: Unit, least: int, in_turn: Cost) -> LimitMet | None:
        for key in (self._turn, *self._keys):
            limit = self._purse.limit(key, unit)
            if limit is None:
                continue
            cost = in_turn if key is self._turn else self._purse.account(key).spent
            if cost.of(unit) + least > limit:
                return self._met(key, unit, limit, cost.of(unit))
        return None

    def _must_wait(self, unit: Unit, least: int) -> bool:
        for key in self._keys:
            limit, account = self._purse.limit(key, unit), self._purse.account(key)
            if limit is not None and (account.spent + account.held).of(unit) + least > limit:
                return True
        return False

    def _met(self, key: Key, unit: Unit, limit: int, spent: int) -> LimitMet:
        scope, name = key
        until = None if scope is Scope.TURN else midnight_after(self._purse.today)
        return LimitMet(scope=scope, unit=unit, limit=limit, spent=spent, name=name, until=until)


def person_of(turn: Turn) -> str:
    """Return who pays for *turn*, by the platform's id, never by a name (pure)."""
    inbound = turn.arrival.inbound
    return f"{inbound.channel}:{inbound.sender.id}"


def keys_of(
    person: str, rank: Rank, agent_id: str, session_key: str, lane: Lane
) -> tuple[Key, ...]:
    """Return the limits that something is spent under, the narrowest first (pure)."""
    keys: list[Key] = [(Scope.SESSION, session_key)]
    if rank < Rank.ADMIN:
        keys += [(Scope.PERSON, person), (Scope.OTHERS, "")]
    keys.append((Scope.AGENT, agent_id))
    if lane is Lane.BACKGROUND:
        keys.append((Scope.BACKGROUND, ""))
    return (*keys, (Scope.DAY, ""))


def midnight_after(day: date) -> datetime:
    """Return when *day* ends, by the operator's clock, also where the clock changes."""
    return datetime.combine(day + timedelta(days=1), time()).astimezone()


def _is_near(spent: int, limit: int | None) -> bool:
    return limit is not None and spent > 0 and spent * 100 >= limit * WARN_PERCENT


def _said(met: LimitMet) -> str:
    return f"`{met.setting}` allows {met.limit:,}, {met.spent:,} is spent and the next call is more"

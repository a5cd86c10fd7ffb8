"""Stage 3: whose conversation it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import product
from typing import Final

from bot.contracts.inbound import ConversationKind, Inbound
from bot.contracts.route import MAIN, Binding, Match, Routing
from bot.contracts.session import Lost, Route
from bot.contracts.turn import Rank
from bot.kernel.moved import MovedRooms
from bot.kernel.session_key import session_key


class Tier(IntEnum):
    """By what a binding was found; the lowest wins. The docs and ADR 31 give the reasons."""

    THREAD = 1
    CONVERSATION = 2
    PARENT = 3
    SENDER = 4
    KIND = 5
    ROLES = 6
    SPACE = 7
    ACCOUNT = 8
    CHANNEL = 9

    @property
    def words(self) -> str:
        """What a person reads."""
        return "conversation kind" if self is Tier.KIND else self.name.lower()


_FIELDS: Final = ("account", "kind", "conversation", "thread", "parent", "space", "roles", "sender")
"""What a match may ask for besides its channel."""

_MOST_IN_ONE_PLACE: Final = 8
"""How many bindings of the same values are kept: only the first can win, the rest are told of."""

Facts = Mapping[str, tuple[str, ...]]
"""What a message has for each field: one value, none, or several of which one is enough."""


def tier_of(match: Match) -> Tier:
    """Return the tier in which *match* stands, by the strongest of what it asks for (pure)."""
    if match.thread is not None:
        return Tier.THREAD
    if match.conversation is not None:
        return Tier.CONVERSATION
    if match.parent is not None:
        return Tier.PARENT
    if match.sender is not None:
        return Tier.SENDER
    if match.kind is not None:
        return Tier.KIND
    if match.roles:
        return Tier.ROLES
    if match.space is not None:
        return Tier.SPACE
    return Tier.CHANNEL if match.account is None else Tier.ACCOUNT


def shape_of(match: Match) -> tuple[str, ...]:
    """Return the names of what *match* asks for besides its channel (pure)."""
    return tuple(name for name in _FIELDS if getattr(match, name) not in (None, ()))


def values_of(match: Match, shape: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Give each way in which a message can fit the fields of *shape* in *match* (pure)."""
    asked = (_as_tuple(getattr(match, name)) for name in shape)
    return product((match.channel,), *asked)


def _as_tuple(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,)


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The bindings that ask for the same fields, by the values they ask for."""

    tier: Tier
    shape: tuple[str, ...]
    by_values: dict[tuple[str, ...], list[int]] = field(default_factory=dict)

    def found(self, facts: Facts) -> Iterator[tuple[Tier, int]]:
        """Give each binding that fits, by its number."""
        yield from self._found(facts, self.tier)
        if self.tier is Tier.CONVERSATION and facts["parent"]:
            # Who binds a room means its threads too, also where these have an id of their own.
            yield from self._found({**facts, "conversation": facts["parent"]}, Tier.PARENT)

    def _found(self, facts: Facts, tier: Tier) -> Iterator[tuple[Tier, int]]:
        for values in product(facts["channel"], *(facts[name] for name in self.shape)):
            for number in self.by_values.get(values, ()):
                yield tier, number


class Router:
    """Finds the agent and the session of an inbound. Pure once it is built.

    Bindings are put on shelves, one for each set of fields that some binding asks for, and
    looked up there by their values: what a message costs depends on how many such sets the
    configuration uses, never on how many bindings it has.
    """

    def __init__(self, routing: Routing | None = None, moved: MovedRooms | None = None) -> None:
        self._routing = routing or Routing()
        self._moved = MovedRooms() if moved is None else moved
        shelves: dict[tuple[str, ...], _Shelf] = {}
        for number, binding in enumerate(self._routing.bindings):
            shape = shape_of(binding.match)
            shelf = shelves.setdefault(shape, _Shelf(tier_of(binding.match), shape))
            for values in values_of(binding.match, shape):
                place = shelf.by_values.setdefault(values, [])
                if len(place) < _MOST_IN_ONE_PLACE:
                    place.append(number)
        self._shelves = tuple(shelves.values())

    @property
    def bindings(self) -> Sequence[Binding]:
        """All bindings, in the order of the configuration."""
        return self._routing.bindings

    @property
    def moved(self) -> MovedRooms:
        """Which rooms have moved; what is noted there counts from the next message on."""
        return self._moved

    def route(self, inbound: Inbound, rank: Rank) -> Route:
        """Return whose it is, by which rule, and which other bindings fitted."""
        ranking = self.ranking(inbound)
        if not ranking:
            return self._to(None, inbound, rank, "default", ())
        (tier, winner), *others = ranking
        losers = tuple(
            Lost(
                binding=number,
                agent_id=self.bindings[number].agent_id,
                why=_why(tier, winner, lower),
            )
            for lower, number in others
        )
        matched_by = f"bindings[{winner}] ({tier.words})"
        return self._to(self.bindings[winner], inbound, rank, matched_by, losers)

    def ranking(self, inbound: Inbound) -> Sequence[tuple[Tier, int]]:
        """Return the bindings that fit, the strongest first, each once."""
        facts = self.facts(inbound)
        found: dict[int, Tier] = {}
        for shelf in self._shelves:
            for tier, number in shelf.found(facts):
                found[number] = min(tier, found.get(number, tier))
        return sorted((tier, number) for number, tier in found.items())

    def facts(self, inbound: Inbound) -> Facts:
        """Return what bindings are held against; a room that moved answers to all its ids."""
        where, sender = inbound.conversation, inbound.sender
        direct = where.kind is ConversationKind.DIRECT
        return {
            "channel": (inbound.channel,),
            "account": (inbound.account,),
            "kind": (ConversationKind.DIRECT if direct else ConversationKind.ROOM,),
            "conversation": self._names(inbound, where.id),
            "thread": () if where.thread_id is None else (where.thread_id,),
            "parent": () if where.parent_id is None else self._names(inbound, where.parent_id),
            "space": () if where.space_id is None else (where.space_id,),
            "roles": sender.role_ids,
            "sender": (sender.id,),
        }

    def _names(self, inbound: Inbound, room_id: str) -> tuple[str, ...]:
        return self._moved.names(inbound.channel, inbound.account, room_id)

    def _to(
        self,
        binding: Binding | None,
        inbound: Inbound,
        rank: Rank,
        matched_by: str,
        losers: tuple[Lost, ...],
    ) -> Route:
        agent_id = binding.agent_id if binding else MAIN
        scope = binding.direct if binding else None
        key = session_key(
            agent_id,
            inbound,
            rank,
            scope=scope or self._routing.direct,
            person=self._routing.links.get(f"{inbound.channel}:{inbound.sender.id}"),
            room_id=self._moved.first(inbound.channel, inbound.account, inbound.conversation.id),
        )
        return Route(agent_id=agent_id, session_key=key, matched_by=matched_by, losers=losers)


def _why(tier: Tier, winner: int, lower: Tier) -> str:
    if lower is tier:
        return f"bindings[{winner}] stands before it"
    return f"a {lower.words} counts less than the {tier.words} of bindings[{winner}]"

"""What is odd about the bindings: those that can never win, and those that surprise."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from bot.contracts.channel import IdShapes
from bot.contracts.inbound import ConversationKind
from bot.contracts.route import Binding, Match
from bot.kernel.route import shape_of, tier_of, values_of

_ROOMS_ONLY: Final = ("parent", "space", "roles")


Values = tuple[tuple[str, ...], tuple[str, ...]]
"""The names of the fields that a binding asks for, and one way to fit them."""


def doubts_of(bindings: Sequence[Binding]) -> Iterator[tuple[int, str]]:
    """Give what is odd, by the binding's number, one sentence each (pure)."""
    first: dict[Values, int] = {}
    for number, binding in enumerate(bindings):
        shape = shape_of(binding.match)
        for values in values_of(binding.match, shape):
            first.setdefault((shape, values), number)
    for number, binding in enumerate(bindings):
        shadow = _shadow(number, binding.match, first)
        if shadow:
            yield number, f"can never win: {shadow} counts first, and takes all that it could take"
        for said in _surprises(binding.match):
            yield number, said


def _shadow(number: int, match: Match, first: Mapping[Values, int]) -> str:
    """Name the bindings that win wherever *match* fits; empty if there are none.

    One with fewer of the same fields fits wherever one with more does: it wins if it stands
    before it in the same tier, or in a stronger one. With roles several can do so together:
    each of the roles is taken by one of them.
    """
    tier, asked = tier_of(match), match
    if match.kind is None and any(getattr(match, name) for name in _ROOMS_ONLY):
        asked = replace(match, kind=ConversationKind.ROOM)  # no direct chat has such a thing
    shape = shape_of(asked)
    narrower = [
        (fewer, tier_of(_only(asked, fewer)))
        for size in range(len(shape) + 1)
        for fewer in combinations(shape, size)
    ]
    taking: set[int] = set()
    for values in values_of(asked, shape):
        fact = dict(zip(shape, values[1:], strict=True))
        hits = [
            before
            for fewer, its_tier in narrower
            if its_tier <= tier
            and (before := first.get((fewer, (match.channel, *map(fact.__getitem__, fewer)))))
            is not None
            and (before < number or its_tier < tier)
        ]
        if not hits:
            return ""
        taking.add(min(hits))
    return " and ".join(f"bindings[{one}]" for one in sorted(taking))


def _only(match: Match, names: Sequence[str]) -> Match:
    return Match(channel=match.channel, **{name: getattr(match, name) for name in names})


def misshapen(match: Match, ids: IdShapes) -> Iterator[str]:
    """Give each id of *match* that does not look like one of its platform's (pure)."""
    direct = f"(?:{ids.room})|(?:{ids.person})"
    shapes = {
        "sender": ids.person,
        "conversation": ids.room if match.kind is ConversationKind.ROOM else direct,
        "parent": ids.room,
    }
    for name, shape in shapes.items():
        value = getattr(match, name)
        if value is not None and not re.fullmatch(shape, value):
            yield (
                f"asks for the {name} {value!r}, which is no id of {match.channel}: those look like"
                f" {ids.example}"
            )
    if match.space is not None and not ids.space:
        yield f"can never match: {match.channel} has no spaces"
    elif match.space is not None and not re.fullmatch(ids.space, match.space):
        yield f"asks for the space {match.space!r}, which is no id of a space of {match.channel}"


def _surprises(match: Match) -> Iterator[str]:
    if match.kind is ConversationKind.DIRECT:
        for name in _ROOMS_ONLY:
            if getattr(match, name):
                yield f"can never match: a direct chat has no {name.removesuffix('s')}"
    if match.sender is not None and match.kind is None and match.conversation is None:
        yield (
            f"holds in rooms too, where {match.sender!r} would talk to another agent than the"
            " others; add `conversation: {kind: direct}` if only their direct chats are meant"
        )
    for name in ("account", "conversation", "thread", "parent", "space", "roles", "sender"):
        for value in _all(getattr(match, name)):
            if value[:1] in {"@", "#"} or value != value.strip():
                yield (
                    f"asks for the {name.removesuffix('s')} {value!r}, which looks like a name;"
                    " the platform's own id is needed, as `stonechat trace` shows it"
                )


def _all(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)

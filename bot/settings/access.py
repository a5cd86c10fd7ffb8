"""Below each channel: who may speak to the bot there, in direct chats and in rooms."""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from bot.contracts.turn import Rank
from bot.settings.patterns import safe_pattern
from bot.settings.section import Flag, Section, one_of, refusal
from bot.settings.shape import TEXT


class DirectPolicy(StrEnum):
    """Who may write in a direct chat."""

    PAIRING = "pairing"
    """Who was approved; a stranger gets a code to be approved by."""
    ALLOWLIST = "allowlist"
    """Who is listed."""
    OPEN = "open"
    """Everybody."""
    DISABLED = "disabled"
    """Nobody."""


class RoomsPolicy(StrEnum):
    """In which rooms the bot listens."""

    ALLOWLIST = "allowlist"
    OPEN = "open"
    DISABLED = "disabled"


class Mention(StrEnum):
    """Whether the bot answers in a room only if it is meant."""

    REQUIRED = "required"
    OFF = "off"


class Bots(StrEnum):
    """What becomes of what other bots write in a room."""

    IGNORE = "ignore"
    ALLOW = "allow"


class GivenRank(StrEnum):
    """What the settings can make somebody. Nobody becomes owner by them."""

    GUEST = "guest"
    MEMBER = "member"
    ADMIN = "admin"

    @property
    def rank(self) -> Rank:
        """The rank itself."""
        return Rank[self.name]


def _word(kind: type[StrEnum]) -> Callable[[object], StrEnum]:
    def read(value: object) -> StrEnum:
        word = value if isinstance(value, str) else ""
        if word not in set(kind):
            raise refusal(value, one_of(map(str, kind), word))
        return kind(word)

    return read


def _rank(value: object) -> GivenRank:
    if value == "owner":
        raise refusal(value, "guest, member or admin; owners are made by `stonechat owner`")
    return GivenRank(_word(GivenRank)(value))


def _id(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise refusal(value, "the platform's own id")
    if value == "*":
        raise refusal(value, "an id; for everybody, write `policy: open`")
    if value[0] in "@#" or any(letter.isspace() for letter in value):
        raise refusal(value, "the platform's own id and not a name, which anybody can take")
    return value


def _named_id(value: object) -> str:
    channel, colon, number = value.partition(":") if isinstance(value, str) else ("", "", "")
    if not colon or not channel.isidentifier() or not number:
        raise refusal(value, "a channel and an id of it, such as telegram:4711")
    _id(number)
    return str(value)


def _person_name(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"\w[\w .'-]{0,39}", value):
        return value
    raise refusal(value, "a name of at most 40 letters")


def _pattern(value: object) -> str:
    try:
        safe_pattern(value if isinstance(value, str) else "")
    except ValueError as error:
        raise refusal(value, str(error)) from None
    return str(value)


def _enum(kind: type[StrEnum]) -> dict[str, object]:
    return {"enum": [str(word) for word in kind]}


RankWord = Annotated[GivenRank, BeforeValidator(_rank), WithJsonSchema(_enum(GivenRank))]
"""A rank somebody can be given."""

Id = Annotated[str, BeforeValidator(_id), WithJsonSchema(TEXT)]
"""An id of the platform, exactly as written: quoted or not, negative, of 64 bits."""

NamedId = Annotated[str, BeforeValidator(_named_id), WithJsonSchema(TEXT)]
"""A channel and an id of it."""

PersonName = Annotated[
    str,
    BeforeValidator(_person_name),
    WithJsonSchema({"pattern": r"^\w[\w .'-]{0,39}$"}),
]
"""What the operator calls somebody: for eyes only."""

MentionWord = Annotated[Mention, BeforeValidator(_word(Mention)), WithJsonSchema(_enum(Mention))]
"""Whether it must be named."""


class DirectSettings(Section):
    """Who may write to the bot in a direct chat."""

    policy: Annotated[
        DirectPolicy,
        BeforeValidator(_word(DirectPolicy)),
        WithJsonSchema(_enum(DirectPolicy)),
    ] = DirectPolicy.PAIRING
    """`pairing`: whoever was approved, and a stranger gets a code for that; `allowlist`: who is
    listed; `open`: everybody, as a guest; `disabled`: nobody."""
    allow: tuple[Id, ...] = ()
    """Ids of people who may, besides who was approved."""
    rank: RankWord = GivenRank.MEMBER
    """What those in `allow` may do: `guest`, `member` or `admin`."""

    @model_validator(mode="after")
    def _somebody_is_listed(self) -> "DirectSettings":
        if self.policy is DirectPolicy.ALLOWLIST and not self.allow:
            raise PydanticCustomError(
                "refused",
                "{found}",
                {
                    "key": "allow",
                    "found": "nobody, with `policy: allowlist`",
                    "expected": "at least one id, or `policy: pairing`",
                },
            )
        return self


class RoomSettings(Section):
    """One room. Nothing but its id is needed."""

    mention: MentionWord | None = None
    """`required` or `off`; left out, that of all rooms."""
    people: tuple[Id, ...] = ()
    """Who may speak to the bot there. Left out, with `roles` left out too: everybody there."""
    roles: tuple[Id, ...] = ()
    """Ids of roles whose members may."""
    rank: RankWord = GivenRank.GUEST
    """What whoever may speak there may do at least."""
    bots: Annotated[Bots, BeforeValidator(_word(Bots)), WithJsonSchema(_enum(Bots))] = Bots.IGNORE
    """`allow` lets other bots speak to it there, at most 20 times a minute."""


class RoomsSettings(Section):
    """In which rooms and groups the bot listens, and to whom."""

    policy: Annotated[
        RoomsPolicy, BeforeValidator(_word(RoomsPolicy)), WithJsonSchema(_enum(RoomsPolicy))
    ] = RoomsPolicy.ALLOWLIST
    """`allowlist`: those below `allow`; `open`: all it is taken into; `disabled`: none."""
    allow: Mapping[Id, RoomSettings] = Field(default={})
    """The rooms by id, or by `<space>/<id>`, or all of a space by `<space>/*`."""
    mention: MentionWord = Mention.REQUIRED
    """`required`: it answers whoever names it, replies to it or gives it a command; `off`: all."""
    patterns: tuple[Annotated[str, BeforeValidator(_pattern), WithJsonSchema(TEXT)], ...] = ()
    """Regular expressions that count as naming it, in any case, such as `\\bhey bot\\b`."""
    observe: Flag = True
    """Whether what was not meant for it is written down, and told with the next message."""
    ranks: Mapping[Id, RankWord] = Field(default={})
    """What the members of a role may do in rooms: a rank by the role's id."""


class PersonSettings(Section):
    """Somebody with a rank of their own, on however many platforms."""

    ids: tuple[NamedId, ...]
    """Their accounts, such as `telegram:4711`. Never names."""
    rank: RankWord = GivenRank.MEMBER
    """What they may do: `guest`, `member` or `admin`. Owners are made by `stonechat owner`."""

"""``bindings:``, ``sessions:``, ``targets:`` and ``expect:``: whose conversation is whose."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Final, cast

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from bot.contracts.inbound import ConversationKey, ConversationKind
from bot.contracts.route import DirectScope, Match
from bot.contracts.turn import Rank
from bot.settings.section import Section, Text, choice, one_of, refusal, shown
from bot.settings.shape import TEXT, Shape, matching
from bot.settings.surroundings import Surroundings
from bot.settings.yaml import KeyPath

_LINKED: Final = re.compile(r"[a-z][a-z0-9_]*:\S(?:[^\0]*\S)?")
_RANKS: Final = tuple(rank.name.lower() for rank in Rank)
_TARGET_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def _agent(value: object, info: ValidationInfo) -> object:
    known = cast("Surroundings", info.context).agents
    if isinstance(value, str) and value in known:
        return value
    raise refusal(value, one_of(known, str(value)))


def _channel(value: object, info: ValidationInfo) -> object:
    known = cast("Surroundings", info.context).channels
    if isinstance(value, str) and value in known:
        return value
    expected = f"{one_of(known, str(value))}; the keys of `channels:`"
    raise refusal(value, expected)


def _linked(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str) or not _LINKED.fullmatch(value):
        raise refusal(value, "a channel and the exact id of a person there, such as telegram:123")
    channel = value.partition(":")[0]
    known = cast("Surroundings", info.context).channels
    if channel not in known:
        raise refusal(value, f"a channel before the colon: {one_of(known, channel)}")
    return value


def _name(value: object) -> object:
    if isinstance(value, str) and _TARGET_NAME.fullmatch(value):
        return value
    raise refusal(value, "a name of small letters, digits, `_` and `-`, such as team-room")


def _roles(value: object) -> object:
    if isinstance(value, list) and not value:
        raise refusal(value, "at least one role, or no `roles:`")
    return value


AgentName = Annotated[str, BeforeValidator(_agent), WithJsonSchema(TEXT)]
ChannelName = Annotated[str, BeforeValidator(_channel), WithJsonSchema(TEXT)]
Kind = Annotated[str, BeforeValidator(choice(*ConversationKind))]
Scope = Annotated[str, BeforeValidator(choice(*DirectScope))]
Roles = Annotated[
    tuple[Text, ...],
    BeforeValidator(_roles),
    WithJsonSchema({"type": "array", "items": TEXT, "minItems": 1}),
]


class ConversationMatch(Section):
    """A conversation, or all of a kind. An id says more than a kind, a thread more than an id."""

    rules: ClassVar[Shape] = {
        "if": {"properties": {"thread": {"not": {"type": "null"}}}, "required": ["thread"]},
        "then": {"properties": {"id": {"not": {"type": "null"}}}, "required": ["id"]},
    }

    kind: Kind | None = None
    """`direct`, or `room`; `group` means the same as `room`."""
    id: Text | None = None
    """The platform's own id. The threads of a room belong to it."""
    thread: Text | None = None
    """One thread of that conversation."""

    @model_validator(mode="after")
    def _threads_of_something(self) -> "ConversationMatch":
        if self.thread is not None and self.id is None:
            raise PydanticCustomError(
                "refused",
                "{key}",
                {
                    "key": "thread",
                    "found": shown(self.thread),
                    "expected": "`id` beside it: the conversation that the thread is in",
                },
            )
        return self


class MatchSettings(Section):
    """Which messages: all that is written must hold."""

    channel: ChannelName
    """The channel, by its key under `channels:`."""
    account: Text | None = None
    """One of its accounts. Left out: whichever."""
    conversation: ConversationMatch = Field(default={}, validate_default=True)
    """Where it was written."""
    parent: Text | None = None
    """The room that it was written below, in a thread with an id of its own."""
    space: Text | None = None
    """The server or workspace, such as Discord's guild or Slack's team."""
    roles: Roles | None = None
    """Roles of the sender in that space; one of them is enough."""
    sender: Text | None = None
    """Who wrote, by the platform's own id."""

    def match(self) -> Match:
        """Return it as the router takes it (pure)."""
        return Match(
            channel=self.channel,
            account=self.account,
            kind=_kind(self.conversation.kind),
            conversation=self.conversation.id,
            thread=self.conversation.thread,
            parent=self.parent,
            space=self.space,
            roles=self.roles or (),
            sender=self.sender,
        )


class BindingSessions(Section):
    """How its direct chats become sessions."""

    direct: Scope | None = None
    """As `sessions.direct`, for these messages alone."""


class BindingSettings(Section):
    """Which messages go to which agent."""

    match: MatchSettings
    """Which messages."""
    agent: AgentName
    """The agent that answers, by its key under `agents:`."""
    sessions: BindingSessions = Field(default={}, validate_default=True)
    """How its direct chats become sessions."""


Links = Mapping[
    Annotated[str, BeforeValidator(_name), WithJsonSchema(matching(_TARGET_NAME.pattern))],
    tuple[Annotated[str, BeforeValidator(_linked), WithJsonSchema(matching(_LINKED.pattern))], ...],
]


class TargetSettings(Section):
    """A place that messages can be sent to by its name."""

    channel: ChannelName
    """The channel, by its key under `channels:`."""
    account: Text = "default"
    """Which of its accounts sends."""
    conversation: Text
    """The platform's own id of the conversation."""
    thread: Text | None = None
    """A thread of it."""

    def key(self) -> ConversationKey:
        """Return it as an address (pure)."""
        return ConversationKey(
            channel=self.channel,
            account=self.account,
            conversation_id=self.conversation,
            thread_id=self.thread,
        )


Targets = Mapping[
    Annotated[str, BeforeValidator(_name), WithJsonSchema(matching(_TARGET_NAME.pattern))],
    TargetSettings,
]


class WhenSettings(MatchSettings):
    """A message that might come."""

    rank: Annotated[str, BeforeValidator(choice(*_RANKS))] = "member"
    """The rank of its sender: `owner`, `admin`, `member` or `guest`."""


class ExpectSettings(Section):
    """A test of the bindings: where a message of this kind has to go."""

    when: WhenSettings
    """The message."""
    agent: AgentName
    """The agent that must answer it."""
    session: Text | None = None
    """The key of the session it must belong to."""


def _kind(written: str | None) -> ConversationKind | None:
    """Read a kind (pure): who says group means a room, for both are read by several people."""
    if written is None:
        return None
    return ConversationKind.DIRECT if written == "direct" else ConversationKind.ROOM


def repeated(tree: Mapping[str, object]) -> Iterator[tuple[KeyPath, str, str]]:
    """Give what is said twice among the bindings and the links: where, found, expected (pure)."""
    seen: dict[str, int] = {}
    for number, written in enumerate(_list(tree.get("bindings"))):
        match = written.get("match") if isinstance(written, dict) else None
        if isinstance(match, dict) and match:
            asked = repr(_plain(match))
            first = seen.setdefault(asked, number)
            if first != number:
                found = f"what bindings[{first}].match asks for already"
                yield ("bindings", number, "match"), found, "another match, or one of the two"
    people: dict[str, str] = {}
    sessions = tree.get("sessions")
    links = sessions.get("links") if isinstance(sessions, dict) else None
    for name, ids in (links if isinstance(links, dict) else {}).items():
        for number, one in enumerate(_list(ids)):
            first_name = people.setdefault(str(one), name)
            if first_name != name or _list(ids).index(one) < number:
                found = f"{one!r}, which is {first_name!r} already"
                yield ("sessions", "links", name, number), found, "each id with one person, once"


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _plain(value: object) -> object:
    """Bring two ways to write a match into one: no order of keys and roles, no empty keys."""
    match value:
        case dict():
            kept = {key: _plain(item) for key, item in value.items() if item is not None}
            return sorted((key, _one_kind(key, item)) for key, item in kept.items())
        case list():
            return sorted(map(str, value))
        case _:
            return value


def _one_kind(key: str, value: object) -> object:
    return "room" if (key, value) == ("kind", "group") else value

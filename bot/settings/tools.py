"""``tools:`` what the agent may be offered, to whom, and where."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, WithJsonSchema

from bot.settings.channels import Module
from bot.settings.section import Flag, Section, Text, refusal
from bot.settings.shape import matching

_RANKS: Final = ("owner", "admin", "member", "guest")
_PATTERN: Final = r"group:[a-z]+|[A-Za-z0-9_*-]+"
_CONVERSATION: Final = r"[a-z][a-z0-9_]*:\S+"


def _rank(value: object) -> object:
    if value in _RANKS:
        return value
    raise refusal(value, f"a rank: {', '.join(_RANKS)}")


def _pattern(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(_PATTERN, value):
        return value
    raise refusal(value, "the name of a tool or group such as `read_file`, `group:files` or `*`")


def _conversation(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(_CONVERSATION, value):
        return value
    raise refusal(value, "a channel's name, a colon and a conversation's id, such as slack:C0123")


RankName = Annotated[str, BeforeValidator(_rank), WithJsonSchema({"enum": list(_RANKS)})]
ToolPattern = Annotated[str, BeforeValidator(_pattern), WithJsonSchema(matching(_PATTERN))]
"""A tool's exact name, a group, or a pattern in which ``*`` stands for anything."""
ConversationName = Annotated[
    str, BeforeValidator(_conversation), WithJsonSchema(matching(_CONVERSATION))
]


class ToolRules(Section):
    """What narrows the tools."""

    profile: Text | None = None
    """Where to start: `minimal` (reading files), `coding` (files and shell) or `full` (all)."""
    allow: tuple[ToolPattern, ...] | None = None
    """Only these are left: tools by name, groups such as `group:files`, patterns such as `*_file`.
    One that leaves nothing is refused."""
    deny: tuple[ToolPattern, ...] = ()
    """These are taken away, whatever allows them."""
    ask: tuple[ToolPattern, ...] = ()
    """Each call of these has to be approved by a person first (`approvals:` says by whom)."""


class RankRules(ToolRules):
    """What narrows the tools of one rank, and what widens them."""

    grant: tuple[ToolPattern, ...] = ()
    """These it has besides what its rank has by itself. Members and guests get no `shell`, and
    what they write is what is shared."""


class PlaceRules(ToolRules):
    """What narrows the tools in one place."""

    ranks: Mapping[RankName, RankRules] = Field(default={})
    """The same for one rank: `owner`, `admin`, `member` (reads what is shared) or `guest` (has
    none)."""


class ToolSettings(PlaceRules):
    """Who may have which tools used. Each narrower place can only take away."""

    shell: Flag = True
    """Whether there is a shell. It runs only inside a sandbox; without one it is absent. `false`
    wins over everything."""
    extra: tuple[Module, ...] = ()
    """Modules with more tools, or with hooks that look at every call: `my_tools` is
    `extensions/my_tools.py` in the state directory, or else any module that Python can import."""
    agents: Mapping[str, PlaceRules] = Field(default={})
    """For one agent, by its name."""
    channels: Mapping[str, PlaceRules] = Field(default={})
    """For one channel, by its name."""
    conversations: Mapping[ConversationName, PlaceRules] = Field(default={})
    """For one conversation with its threads: its channel, a colon and its id, such as
    `slack:C0123`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraModule:
    """A module of `tools.extra`, and where it is named: the file and its line."""

    name: str
    where: str

"""Which tools a turn may use: by the rank of who asked, and by what the operator wrote.

The rank decides first, and denies by default. Then each place may narrow, the wider one first:
all, the agent, the channel, the conversation. Nothing widens but a rank's `grant`. It is worked
out once for every place and rank that the settings tell apart, applied last, to the final list,
and again to each call.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from bot.agent.rules import ToolNames, expanded, mistakes_in
from bot.contracts.errors import ConfigError
from bot.contracts.tool import Effect, Tool
from bot.contracts.turn import Rank, Turn
from bot.settings.tools import PlaceRules, ToolRules, ToolSettings

_NOT_FOR_THEM: Final = (
    "the person who asks is here as a {rank}, and {tool} is not for them. "
    "Tell them so, and try no other way."
)
_NOT_HERE: Final = (
    "{tool} is switched off here by `{rule}` in the settings. Tell the person so, and try no "
    "other way."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What became of one tool, and by which rule."""

    name: str
    given: bool
    rule: str
    """A key of the settings, or what a rank has by default."""
    refusal: str = ""
    """What the model is told that asks for it all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Permitted:
    """What a turn of one rank may use in one place."""

    tools: tuple[Tool[Any], ...]
    judged: Mapping[str, Judged]
    problem: str = ""
    """The rule that was to allow something and leaves nothing: nothing is asked then."""
    writes: bool = False
    """Whether something was granted that changes what is shared."""
    asked: Mapping[str, str] = field(default_factory=dict)
    """The tools whose every call a person has to approve, with the rule that says so."""

    def refusal(self, name: str) -> str | None:
        """Say why the tool *name*, which exists, may not be used, or None."""
        judged = self.judged.get(name)
        return None if judged is None or judged.given else judged.refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where somebody asks, as far as rules may tell places apart."""

    agent: str = "main"
    channel: str = ""
    conversation: str = ""

    @property
    def key(self) -> str:
        """The conversation as the settings name it, without its threads."""
        return f"{self.channel}:{self.conversation}"


def place_of(turn: Turn) -> Place:
    """Return where *turn* was asked (pure)."""
    inbound = turn.arrival.inbound
    return Place(
        agent=turn.arrival.route.agent_id,
        channel=inbound.channel,
        conversation=inbound.conversation.id,
    )


def may_use(tool: Tool[Any], rank: Rank) -> bool:
    """Whether a turn of *rank* has *tool* by default (pure).

    Owner and admin: all. Member: what says so of itself (`Tool.least_rank`), which
    changes nothing. Guest: none.
    """
    return rank >= max(tool.least_rank, Rank.MEMBER)


def permitted(tools: Sequence[Tool[Any]], rank: Rank) -> tuple[Tool[Any], ...]:
    """Return the tools that *rank* has by default, in their order (pure)."""
    return tuple(tool for tool in tools if may_use(tool, rank))


def by_rank(tools: Sequence[Tool[Any]], rank: Rank) -> Permitted:
    """Return what *rank* may use where no rule is written (pure)."""
    return _Rules(settings=ToolSettings(), tools=tuple(tools), names=_NONE).judge(Place(), rank)


class ToolPolicy:
    """All that is permitted, worked out for every place and rank that rules tell apart."""

    def __init__(
        self,
        settings: ToolSettings,
        tools: Sequence[Tool[Any]],
        names: ToolNames,
        *,
        where: str = "",
    ) -> None:
        """Work it out; *where* the settings stand is for the mistakes.

        Raises:
            ConfigError: a rule names what does not exist, or grants what is not for that rank.
        """
        for mistake in mistakes_in(settings, names):
            raise ConfigError(mistake.setting, mistake.found, mistake.expected, where=where)
        self._rules = _Rules(settings=settings, tools=tuple(tools), names=names)
        self._places = frozenset(settings.conversations)
        self._channels = frozenset(settings.channels)
        self._agents = frozenset(settings.agents)
        self._known: dict[tuple[str, str, str, Rank], Permitted] = {}
        for place in self.places():
            for rank in Rank:
                self.of(place, rank)

    def of_turn(self, turn: Turn) -> Permitted:
        """Return what *turn* may use: its own sender's rank decides, whoever shares the session."""
        return self.of(place_of(turn), turn.arrival.rank)

    def of(self, place: Place, rank: Rank) -> Permitted:
        """Return what *rank* may use in *place*."""
        key = (
            place.agent if place.agent in self._agents else "",
            place.channel if place.channel in self._channels else "",
            place.key if place.key in self._places else "",
            rank,
        )
        if key not in self._known:
            self._known[key] = self._rules.judge(place, rank)
        return self._known[key]

    def places(self) -> Iterator[Place]:
        """Give every place that rules tell apart."""
        for agent in ("", *self._agents):
            for channel in ("", *self._channels):
                yield Place(agent=agent, channel=channel)
            for key in self._places:
                channel, _, conversation = key.partition(":")
                yield Place(agent=agent, channel=channel, conversation=conversation)

    def problems(self) -> tuple[str, ...]:
        """Return what was to allow something and leaves nothing, each once."""
        found = {self.of(place, rank).problem for place in self.places() for rank in Rank}
        return tuple(sorted(found - {""}))


_NONE: Final = ToolNames(known=frozenset(), groups={}, profiles={})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Narrowing:
    """One step: what takes a tool away."""

    source: str
    deny: frozenset[str]
    profile: frozenset[str] | None
    profile_name: str | None
    allow: frozenset[str] | None

    def taken(self, name: str) -> str | None:
        """Return the rule that takes *name* away, or None."""
        if name in self.deny:
            return f"{self.source}.deny"
        if self.profile is not None and name not in self.profile:
            return f"{self.source}.profile: {self.profile_name}"
        if self.allow is not None and name not in self.allow:
            return f"{self.source}.allow"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    settings: ToolSettings
    tools: tuple[Tool[Any], ...]
    names: ToolNames

    def judge(self, place: Place, rank: Rank) -> Permitted:
        """Work out what *rank* may use in *place*."""
        levels = list(self._levels_of(place))
        steps = [step for level in levels for step in self._steps(*level, rank)]
        grants = {
            name: f"{source}.ranks.{rank.name.lower()}.grant"
            for source, rules in levels
            if (of_rank := rules.ranks.get(rank.name.lower())) is not None
            for name in expanded(of_rank.grant, self.names)
        }
        judged = {tool.name: self._judged(tool, rank, steps, grants) for tool in self.tools}
        given = tuple(tool for tool in self.tools if judged[tool.name].given)
        return Permitted(
            tools=given,
            judged=judged,
            problem=self._problem(steps),
            writes=any(tool.effect is not Effect.PURE and tool.name in grants for tool in given),
            asked={
                name: f"{source}.ask"
                for source, rules in _asking(levels, rank)
                for name in expanded(rules.ask, self.names)
            },
        )

    def _judged(
        self, tool: Tool[Any], rank: Rank, steps: Sequence[_Narrowing], grants: Mapping[str, str]
    ) -> Judged:
        name, rank_name = tool.name, rank.name.lower()
        rule = grants.get(name, f"what {_an(rank_name)} has")
        if not may_use(tool, rank) and name not in grants:
            refusal = _NOT_FOR_THEM.format(rank=rank_name, tool=name)
            return Judged(name=name, given=False, rule=rule, refusal=refusal)
        for step in steps:
            if (taken := step.taken(name)) is not None:
                refusal = _NOT_HERE.format(tool=name, rule=taken)
                return Judged(name=name, given=False, rule=taken, refusal=refusal)
        return Judged(name=name, given=True, rule=rule)

    def _problem(self, steps: Sequence[_Narrowing]) -> str:
        """Say which `allow` leaves nothing, whoever asks; a `deny` of everything is meant so."""
        left = [tool.name for tool in self.tools]
        for step in steps:
            before = [name for name in left if replace(step, allow=None).taken(name) is None]
            left = [name for name in left if step.taken(name) is None]
            if before and not left:
                return (
                    f"`{step.source}.allow` leaves no tool of those there are: "
                    f"name one of {', '.join(before)}, or write `deny: ['*']` for none"
                )
        return ""

    def _levels_of(self, place: Place) -> Iterator[tuple[str, PlaceRules]]:
        settings = self.settings
        yield "tools", settings
        for kind, rules, name in (
            ("agents", settings.agents, place.agent),
            ("channels", settings.channels, place.channel),
            ("conversations", settings.conversations, place.key),
        ):
            if name in rules:
                yield f"tools.{kind}.{name}", rules[name]

    def _steps(self, source: str, rules: PlaceRules, rank: Rank) -> Iterator[_Narrowing]:
        yield self._step(source, rules)
        if (of_rank := rules.ranks.get(rank.name.lower())) is not None:
            yield self._step(f"{source}.ranks.{rank.name.lower()}", of_rank)

    def _step(self, source: str, rules: ToolRules) -> _Narrowing:
        allow = None if rules.allow is None else expanded(rules.allow, self.names)
        profile = None if rules.profile is None else self.names.profiles[rules.profile]
        return _Narrowing(
            source=source,
            deny=expanded(rules.deny, self.names),
            profile=profile,
            profile_name=rules.profile,
            allow=allow,
        )


def _asking(
    levels: Sequence[tuple[str, PlaceRules]], rank: Rank
) -> Iterator[tuple[str, ToolRules]]:
    """Give every rule that may say what is asked for, the wider one first."""
    for source, rules in levels:
        yield source, rules
        if (of_rank := rules.ranks.get(rank.name.lower())) is not None:
            yield f"{source}.ranks.{rank.name.lower()}", of_rank


def _an(rank: str) -> str:
    return f"an {rank}" if rank[0] in "aeiou" else f"a {rank}"

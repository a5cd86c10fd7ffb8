"""What rules about tools may name, and what is wrong with those that name something else. Pure."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from bot.contracts.errors import ConfigError
from bot.contracts.turn import Rank
from bot.settings.tools import PlaceRules, ToolRules, ToolSettings

_GROUP: Final = re.compile(r"group:[a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolNames:
    """What the rules may name."""

    known: frozenset[str]
    """Every tool there is, also one that is absent at the moment."""
    groups: Mapping[str, frozenset[str]]
    """By their names, such as ``group:files``."""
    profiles: Mapping[str, frozenset[str] | None]
    """None is all of them."""
    whole_folder: frozenset[str] = frozenset()
    """Tools that see all of the workspace, the owner's own files too: granted to no lower rank."""


def mistakes_in(settings: ToolSettings, names: ToolNames) -> Iterator[ConfigError]:
    """Give every rule that names what does not exist, or grants too much (pure)."""
    for source, rules in levels(settings):
        yield from _misnamed(source, rules, names)
        for rank, of_rank in rules.ranks.items():
            here = f"{source}.ranks.{rank}"
            yield from _misnamed(here, of_rank, names)
            yield from _unknown(f"{here}.grant", of_rank.grant, names)
            too_much = expanded(of_rank.grant, names) & names.whole_folder
            if too_much and Rank[rank.upper()] < Rank.ADMIN:
                yield ConfigError(
                    f"{here}.grant",
                    ", ".join(sorted(too_much)),
                    "tools that see what is shared: this one sees all of the workspace, what is "
                    "about its owner too; make the person an admin, or grant less",
                )


def _misnamed(source: str, rules: ToolRules, names: ToolNames) -> Iterator[ConfigError]:
    yield from _unknown(f"{source}.allow", rules.allow or (), names)
    yield from _unknown(f"{source}.deny", rules.deny, names)
    yield from _unknown(f"{source}.ask", rules.ask, names)
    if rules.profile is not None and rules.profile not in names.profiles:
        expected = (
            "one of " + ", ".join(sorted(names.profiles)) + _nearest(rules.profile, names.profiles)
        )
        yield ConfigError(f"{source}.profile", repr(rules.profile), expected)


def _unknown(setting: str, patterns: Iterable[str], names: ToolNames) -> Iterator[ConfigError]:
    for pattern in patterns:
        if pattern in names.groups or (not _GROUP.fullmatch(pattern) and matching(pattern, names)):
            continue
        offered = sorted({*names.known, *names.groups})
        expected = f"a tool, a group, or a pattern such as `*_file`: {', '.join(offered)}"
        yield ConfigError(setting, repr(pattern), expected + _nearest(pattern, offered))


def _nearest(found: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(found, list(known), n=1, cutoff=0.5)
    return f" (did you mean {close[0]!r}?)" if close else ""


def levels(settings: ToolSettings) -> Iterator[tuple[str, PlaceRules]]:
    """Give every place for which rules are written, with their key in the settings."""
    yield "tools", settings
    for kind, rules in (
        ("agents", settings.agents),
        ("channels", settings.channels),
        ("conversations", settings.conversations),
    ):
        for name, each in rules.items():
            yield f"tools.{kind}.{name}", each


def matching(pattern: str, names: ToolNames) -> frozenset[str]:
    """Return the tools that *pattern* names."""
    if pattern in names.groups:
        return names.groups[pattern]
    return frozenset(name for name in names.known if fnmatchcase(name, pattern))


def expanded(patterns: Iterable[str], names: ToolNames) -> frozenset[str]:
    """Return the tools that *patterns* name."""
    return frozenset().union(*(matching(pattern, names) for pattern in patterns))

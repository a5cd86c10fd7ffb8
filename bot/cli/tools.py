"""``stonechat tools``: what a model would get in a place, and which rule took each away."""

import asyncio
from collections.abc import Iterator

from bot.agent.policy import Permitted, Place
from bot.agent.rules import mistakes_in
from bot.assistant import Seams, names_of, policy_of
from bot.cli.table import show
from bot.contracts.errors import BotError, ConfigError
from bot.contracts.tool import Sandbox
from bot.contracts.turn import Rank
from bot.extensions import load_extensions
from bot.sandbox.find import NoSandbox, find_sandbox
from bot.settings import Settings, home_folder, read_settings
from bot.settings.section import one_of
from bot.tools import BUILTIN

_OFF = NoSandbox(reason="`tools.shell` is off in the configuration")


class NoSuchPlace(BotError):
    """The person at the terminal: no agent or channel has that name."""


def tools(rank: str, place: Place) -> None:
    """Print every tool there is, whether a model gets it for *rank* in *place*, and why.

    Raises:
        ConfigError: the settings are wrong.
        NoSuchPlace: *place* names an agent or a channel that is not there.
    """
    settings = read_settings(home_folder())
    _check(place, settings)
    sandbox = asyncio.run(find_sandbox()) if settings.tools.shell else None
    seams = Seams(tools=load_extensions(settings).tools)
    policy = policy_of(settings, sandbox or _OFF, seams)
    found = policy.of(place, Rank[rank.upper()])
    show(("tool", "given", "rule"), _rows(found, sandbox, seams), nothing="There is no tool.")
    if found.problem:
        raise ConfigError(
            "tools",
            "an `allow` that leaves nothing",
            found.problem,
            where=str(settings.config_file),
        )


def mistaken_rules(
    settings: Settings, sandbox: Sandbox | NoSandbox | None
) -> Iterator[ConfigError]:
    """Give every rule about tools that cannot be meant, also one that leaves nothing."""
    where, seams = str(settings.config_file), Seams(tools=load_extensions(settings).tools)
    mistakes = list(mistakes_in(settings.tools, names_of(seams)))
    for each in mistakes:
        yield ConfigError(each.setting, each.found, each.expected, where=where)
    for problem in () if mistakes else policy_of(settings, sandbox or _OFF, seams).problems():
        rule, _, rest = problem.partition(" leaves no tool of those there are: ")
        yield ConfigError(rule.strip("`"), "rules that leave no tool", rest, where=where)


def _rows(
    found: Permitted, sandbox: Sandbox | NoSandbox | None, seams: Seams
) -> Iterator[tuple[str, str, str]]:
    for tool in (*BUILTIN, *seams.tools):
        judged = found.judged.get(tool.name)
        if judged is not None:
            yield tool.name, "yes" if judged.given else "no", judged.rule
        else:
            absent = sandbox or _OFF
            yield tool.name, "no", absent.reason if isinstance(absent, NoSandbox) else "absent"


def _check(place: Place, settings: Settings) -> None:
    for what, name, known in (
        ("agent", place.agent, settings.agents),
        ("channel", place.channel, settings.channels),
    ):
        if name and name not in known:
            raise NoSuchPlace(f"there is no {what} {name!r}: {one_of(known, name)}")
    if place.conversation and not place.channel:
        raise NoSuchPlace("a conversation is one of a channel: name it with --channel")

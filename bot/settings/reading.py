"""One reading of one file: from values to `Settings`, or to everything that is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Final, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.contracts.errors import ConfigError
from bot.contracts.route import MAIN
from bot.settings.access import PersonSettings
from bot.settings.agents import AgentSettings
from bot.settings.choice import choice, with_choice
from bot.settings.elsewhere import addresses, stored_tokens
from bot.settings.environment import Unset, fill_in
from bot.settings.models import ModelSettings, ModelUnusable, chosen, completed, named_besides
from bot.settings.root import Configuration, Settings, routing_of
from bot.settings.routing import repeated
from bot.settings.section import Section, one_of, section_below, shown
from bot.settings.surroundings import Surroundings
from bot.settings.terminal import command_name
from bot.settings.tools import ExtraModule
from bot.settings.yaml import KeyPath, Parsed, Value, dotted

_HIDDEN: Final = "a value that is not shown"
_PLAIN: Final = {
    "dict_type": "a mapping: lines of the form `key: value`",
    "tuple_type": "a list, such as [one, two]",
}
"""What pydantic's own checks expect, in our words."""


class SettingsBroken(ConfigError):
    """The operator must act; it speaks of the first mistake, `mistakes` are all."""

    def __init__(self, first: ConfigError, *others: ConfigError, store: str | None = None) -> None:
        super().__init__(first.setting, first.found, first.expected, where=first.where)
        self.mistakes = (first, *others)
        self.store = store
        """Where everything is remembered, if that much is known in spite of the mistakes."""

    def __str__(self) -> str:
        """The first mistake, and how many there are besides."""
        more = len(self.mistakes) - 1
        rest = f" (and {more} more; `{command_name()} check` lists all)" if more else ""
        return f"{self.mistakes[0]}{rest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is read, and what was found out on the way."""

    file: Path
    parsed: Parsed
    surroundings: Surroundings
    filled: set[KeyPath] = field(default_factory=set)
    """Values that came in through ``${NAME}``: an error does not show them."""
    unset: dict[KeyPath, Unset] = field(default_factory=dict)
    mistakes: list[tuple[KeyPath, ConfigError]] = field(default_factory=list)
    """All that is wrong, wherever it was noticed; one mistake never hides another."""

    def settings(self) -> Settings:
        """Carry out the reading.

        Raises:
            SettingsBroken: something is wrong; it names all of it, in the file's order.
        """
        idle = self._idle_models()
        tree = cast("dict[str, Value]", self._fill(self.parsed.root, ()))
        for path, found, expected in repeated(tree):
            self._note(path, found, expected)
        self._leave_out(tree, idle)
        written = self._validated(tree)
        settings = None if written is None else self._assembled(written)
        if settings is None or self.mistakes:
            order = {path: number for number, path in enumerate(self.parsed.lines)}
            self.mistakes.sort(key=lambda noted: order.get(self._written(noted[0]), -1))
            store = None if written is None or self._is_wrong(("store",)) else written.store
            raise SettingsBroken(*(error for _, error in self.mistakes), store=store)
        return settings

    def _validated(self, tree: dict[str, Value]) -> Configuration | None:
        """Judge *tree*; where parts of it are wrong, give the rest, if that can be judged."""
        try:
            written = Configuration.model_validate(tree, context=self.surroundings)
            if not self.unset:
                return written
        except ValidationError as error:
            for details in error.errors(include_url=False):
                self._refused(details)
        for path, each in self.unset.items():
            if not self._is_wrong(path):
                self._note(path, each.found, each.expected)
        for path, _ in self.mistakes:
            _take_out(tree, path)
        try:
            return Configuration.model_validate(tree, context=self.surroundings)
        except ValidationError:  # something around the mistakes needs what they broke
            return None

    def _fill(self, value: Value, path: KeyPath) -> Value:
        """Replace every ``${NAME}``; one without a value is noted, and nothing stands there."""
        match value:
            case str():
                try:
                    text = fill_in(value, self.surroundings.environment)
                except Unset as error:
                    self.unset[path] = error
                    return None
                if text != value:
                    self.filled.add(path)
                return text
            case list():
                return [self._fill(item, (*path, number)) for number, item in enumerate(value)]
            case dict():
                return {key: self._fill(item, (*path, key)) for key, item in value.items()}
            case None:
                return None

    def _idle_models(self) -> frozenset[str]:
        """Name the models that no agent has: what they lack hurts nobody."""
        agents, models = self.parsed.root.get("agents"), self.parsed.root.get("models")
        if not isinstance(agents, dict) or not isinstance(models, dict) or MAIN not in agents:
            return frozenset()
        used: set[Value] = set()
        for agent in agents.values():
            listed = agent.get("models") if isinstance(agent, dict) else None
            if not isinstance(listed, list):
                return frozenset()
            used.update(item for item in listed if isinstance(item, str))
        return frozenset(name for name in models if name not in used)

    def _leave_out(self, tree: dict[str, Value], idle: frozenset[str]) -> None:
        models = tree.get("models")
        for path, error in list(self.unset.items()):
            if path[0] == "models" and path[1:2] and path[1] in idle and isinstance(models, dict):
                del self.unset[path]
                models.pop(str(path[1]), None)
                self.surroundings.findings.append(
                    f"{self._where(path)}: {dotted(path[:2])} was left out, no agent names it and"
                    f" it asks for {error.found}"
                )

    def _refused(self, details: ErrorDetails) -> None:
        """Note what pydantic found, in our words, unless it only follows from `unset`."""
        path = tuple(step for step in details["loc"] if step != "[key]")
        said: Mapping[str, str] = details.get("ctx") or {}
        if "key" in said:
            path = (*path, *said["key"].split("."))
        if details["type"] == "extra_forbidden":
            known = _section(path[:-1]).model_fields
            self._note(path, "a key that does not exist", one_of(known, str(path[-1])))
            return
        if any(path == other[: len(path)] or other == path[: len(other)] for other in self.unset):
            return
        if details["type"] == "missing":
            meaning = _section(path[:-1]).meanings()[str(path[-1])]
            self._note(path, "nothing", f"a value: {meaning.rstrip('.')}")
            return
        expected = said.get("expected") or _PLAIN.get(
            details["type"], details["msg"].removeprefix("Input should be ")
        )
        found = _HIDDEN if path in self.filled else said.get("found") or shown(details["input"])
        self._note(path, found, expected)

    def _assembled(self, written: Configuration) -> Settings:
        """Put everything together; what does not fit together is noted."""
        agents, models = dict(written.agents), dict[str, ModelSettings]()
        broken = {path[1] for path, _ in self.mistakes if path[0] == "models" and len(path) > 1}
        environment, by_hand = self.surroundings.environment, None
        try:
            by_hand = choice(environment)
            if not written.models and not broken and by_hand is None:
                name, models[name] = chosen(environment)
        except ModelUnusable as error:
            self._note(("models",), error.found, error.expected)
        known = {*written.models, *models, *broken}
        for agent_id, agent in agents.items():
            path = ("agents", agent_id, "models")
            names = agent.models or tuple(written.models) or tuple(models)
            is_judged = by_hand is None and not self._is_wrong(path)
            for number, name in enumerate(names if is_judged else ()):
                if name not in known:
                    self._note((*path, number), repr(name), one_of(map(str, known), name))
                elif name in written.models:
                    models[name] = self._completed(name, written)
            agents[agent_id] = agent.model_copy(update={"models": names})
            self._check_workspace(agent_id, agent)
        self._look_at_workspaces(agents)
        self._check_people(written.people)
        self._check_tools(written, agents)
        settings = Settings(
            home=self.surroundings.home,
            agents=agents,
            models=models,
            channels={name: section.own for name, section in written.channels.items()},
            sections=written.channels,
            people=written.people,
            http=written.http,
            store=written.store,
            tools=written.tools,
            limits=written.limits,
            approvals=written.approvals,
            routing=routing_of(written, self._where),
            queue=written.queue,
            sessions=written.sessions,
            findings=tuple(self.surroundings.findings),
            named_besides=named_besides(environment, written=bool(written.models)),
            addresses=addresses(environment),
            modules=tuple(
                ExtraModule(name=name, where=self._where(("tools", "extra", number)))
                for number, name in enumerate(written.tools.extra)
            ),
            stored=tuple(
                each for each in stored_tokens(environment) if each.channel not in written.channels
            ),
        )
        return settings if by_hand is None else with_choice(settings, by_hand)

    def _completed(self, name: str, written: Configuration) -> ModelSettings:
        path = ("models", name)
        entry = written.models[name]
        try:
            where = f"models.{name} in {self.file}"
            return completed(entry, where, self.surroundings.environment)
        except ModelUnusable as error:
            self._note((*path, error.setting), error.found, error.expected)
            return ModelSettings(provider=entry.provider, model=entry.model)

    def _check_tools(self, written: Configuration, agents: Mapping[str, AgentSettings]) -> None:
        """Refuse rules about tools for an agent or a channel that is not there."""
        tools, doors = written.tools, written.channels
        named = [
            *((("agents", name), name, agents) for name in tools.agents),
            *((("channels", name), name, doors) for name in tools.channels),
            *((("conversations", key), key.split(":")[0], doors) for key in tools.conversations),
        ]
        for path, name, known in named:
            if name not in known and not self._is_wrong((path[0],)):
                self._note(("tools", *path), repr(name), one_of(known, name))

    def _check_workspace(self, agent_id: str, agent: AgentSettings) -> None:
        """Refuse a workspace from which a tool could reach the keys."""
        home, workspace = self.surroundings.home.resolve(), agent.workspace.resolve()
        if home.is_relative_to(workspace):
            found = f"{str(agent.workspace)!r}, which holds the state directory {home}"
            self._note(("agents", agent_id, "workspace"), found, "a folder of its own")

    def _look_at_workspaces(self, agents: Mapping[str, AgentSettings]) -> None:
        """Say which agents work in the same files; that may be meant."""
        for (one, agent), (other, its) in combinations(agents.items(), 2):
            here, there = agent.workspace.resolve(), its.workspace.resolve()
            if here.is_relative_to(there) or there.is_relative_to(here):
                how = "the workspace" if here == there else "a workspace in or around that"
                self.surroundings.findings.append(
                    f"{self._where(('agents', other))}: agents.{other} has {how} of agents.{one}:"
                    " what one of them writes, the other reads"
                )

    def _check_people(self, people: Mapping[str, PersonSettings]) -> None:
        """Refuse an account that is said to be two people's."""
        whose: dict[str, str] = {}
        for name, person in people.items():
            for number, each in enumerate(person.ids):
                if whose.setdefault(each, name) != name:
                    found = f"{each!r}, which {whose[each]} has already"
                    self._note(("people", name, "ids", number), found, "one person for each id")

    def _note(self, path: KeyPath, found: str, expected: str) -> None:
        setting = dotted(path) or "the file"
        mistake = ConfigError(setting, found, expected, where=self._where(path))
        self.mistakes.append((path, mistake))

    def _is_wrong(self, path: KeyPath) -> bool:
        return any(noted[: len(path)] == path for noted, _ in self.mistakes)

    def _where(self, path: KeyPath) -> str:
        """Name the file, and the line of the value or of the nearest thing around it."""
        path = self._written(path)
        return f"{self.file}:{self.parsed.lines[path]}" if path else str(self.file)

    def _written(self, path: KeyPath) -> KeyPath:
        """Return *path*, or of what is around it the nearest that stands in the file."""
        while path and path not in self.parsed.lines:
            path = path[:-1]
        return path


def _section(path: KeyPath) -> type[Section]:
    """Find the section whose keys stand below *path* (pure)."""
    section: type[Section] = Configuration
    steps = iter(path)
    for step in steps:
        inner, many = section_below(section.model_fields[str(step)])
        section = inner or section
        if many:
            next(steps)
    return section


def _take_out(tree: dict[str, Value], path: KeyPath) -> None:
    """Remove what stands at *path*, or the model or the list it is a part of."""
    *above, last = path[:2] if path[0] == "models" else path
    for step in above:
        below = tree.get(str(step))
        if not isinstance(below, dict):
            last = step
            break
        tree = below
    tree.pop(str(last), None)

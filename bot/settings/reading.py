"""One reading of one file: from values to `Settings`, or to everything that is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.contracts.errors import ConfigError
from bot.settings.agents import AgentSettings
from bot.settings.choice import choice, with_choice
from bot.settings.elsewhere import addresses, stored_tokens
from bot.settings.environment import Unset, fill_in
from bot.settings.models import ModelSettings, ModelUnusable, chosen, completed, named_besides
from bot.settings.root import Configuration, Settings
from bot.settings.section import one_of, shown
from bot.settings.surroundings import Surroundings
from bot.settings.terminal import command_name
from bot.settings.yaml import KeyPath, Parsed, Value, dotted

_HIDDEN: Final = "a value that is not shown"
_PLAIN: Final = {
    "dict_type": "a mapping: lines of the form `key: value`",
    "tuple_type": "a list, such as [one, two]",
}
"""What pydantic's own checks expect, in our words."""


class SettingsBroken(ConfigError):
    """The operator must act; it speaks of the first mistake, `mistakes` are all."""

    def __init__(self, first: ConfigError, *others: ConfigError) -> None:
        super().__init__(first.setting, first.found, first.expected, where=first.where)
        self.mistakes = (first, *others)

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

    def settings(self) -> Settings:
        """Carry out the reading.

        Raises:
            SettingsBroken: something is wrong; it names all of it.
        """
        idle = self._idle_models()
        tree = cast("dict[str, Value]", self._fill(self.parsed.root, ()))
        self._leave_out(tree, idle)
        errors = [self._error(path, each.found, each.expected) for path, each in self.unset.items()]
        written, refused = self._validated(tree)
        errors += refused
        if written is not None and not errors:
            return self._assembled(written)
        raise SettingsBroken(*errors)

    def _validated(self, tree: Value) -> tuple[Configuration | None, list[ConfigError]]:
        """Judge *tree*. An unknown key is taken out and the rest judged again: it hides nothing."""
        try:
            return Configuration.model_validate(tree, context=self.surroundings), []
        except ValidationError as error:
            details = error.errors(include_url=False)
        unknown = [each for each in details if each["type"] == "unknown_key"]
        refused = [found for each in unknown or details if (found := self._refused(each))]
        if unknown:
            for each in unknown:
                _take_out(tree, each["loc"], each["ctx"]["key"])
            refused += self._validated(tree)[1]
        return None, refused

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
        if not isinstance(agents, dict) or not isinstance(models, dict):
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
            if path[0] == "models" and path[1] in idle and isinstance(models, dict):
                del self.unset[path]
                models.pop(str(path[1]), None)
                self.surroundings.findings.append(
                    f"{self._where(path)}: {dotted(path[:2])} was left out, no agent names it and"
                    f" it asks for {error.found}"
                )

    def _refused(self, details: ErrorDetails) -> ConfigError | None:
        """Put what pydantic found into our words; None for what only follows from `unset`."""
        path = tuple(step for step in details["loc"] if step != "[key]")
        said: Mapping[str, str] = details.get("ctx") or {}
        if "key" in said:
            path = (*path, *said["key"].split("."))
        if any(path == other[: len(path)] or other == path[: len(other)] for other in self.unset):
            return None
        expected = said.get("expected") or _PLAIN.get(
            details["type"], details["msg"].removeprefix("Input should be ")
        )
        if details["type"] == "unknown_key":
            found = "a key that does not exist"
        elif details["type"] == "missing_key":
            found = "nothing"
        elif path in self.filled:
            found = _HIDDEN
        else:
            found = said.get("found") or shown(details["input"])
        return self._error(path, found, expected)

    def _assembled(self, written: Configuration) -> Settings:
        agents, models = {"main": written.agents.main}, dict[str, ModelSettings]()
        environment = self.surroundings.environment
        try:
            by_hand = choice(environment)
            if not written.models and by_hand is None:
                name, models[name] = chosen(environment)
        except ModelUnusable as error:
            raise SettingsBroken(self._error(("models",), error.found, error.expected)) from None
        for agent_id, agent in agents.items():
            path = ("agents", agent_id, "models")
            names = agent.models or tuple(written.models) or tuple(models)
            for number, name in enumerate(() if by_hand else names):
                if name not in written.models and name not in models:
                    expected = one_of({*written.models, *models}, name)
                    raise SettingsBroken(self._error((*path, number), repr(name), expected))
                if name not in models:
                    models[name] = self._completed(name, written)
            agents[agent_id] = agent.model_copy(update={"models": names})
            self._check_workspace(agent_id, agent)
        settings = Settings(
            home=self.surroundings.home,
            agents=agents,
            models=models,
            channels=written.channels,
            http=written.http,
            store=written.store,
            tools=written.tools,
            limits=written.limits,
            findings=tuple(self.surroundings.findings),
            named_besides=named_besides(environment, written=bool(written.models)),
            addresses=addresses(environment),
            stored=tuple(
                each for each in stored_tokens(environment) if each.channel not in written.channels
            ),
        )
        return settings if by_hand is None else with_choice(settings, by_hand)

    def _completed(self, name: str, written: Configuration) -> ModelSettings:
        path = ("models", name)
        where = f"models.{name} in {self.file}"
        try:
            return completed(written.models[name], where, self.surroundings.environment)
        except ModelUnusable as error:
            raise SettingsBroken(
                self._error((*path, error.setting), error.found, error.expected)
            ) from None

    def _check_workspace(self, agent_id: str, agent: AgentSettings) -> None:
        """Refuse a workspace from which a tool could reach the keys."""
        home, workspace = self.surroundings.home.resolve(), agent.workspace.resolve()
        if home.is_relative_to(workspace):
            found = f"{str(agent.workspace)!r}, which holds the state directory {home}"
            path = ("agents", agent_id, "workspace")
            raise SettingsBroken(self._error(path, found, "a folder of its own"))

    def _error(self, path: KeyPath, found: str, expected: str) -> ConfigError:
        return ConfigError(dotted(path) or "the file", found, expected, where=self._where(path))

    def _where(self, path: KeyPath) -> str:
        """Name the file, and the line of the value or of the nearest thing around it."""
        while path and path not in self.parsed.lines:
            path = path[:-1]
        return f"{self.file}:{self.parsed.lines[path]}" if path else str(self.file)


def _take_out(tree: Value, path: KeyPath, key: str) -> None:
    """Remove *key* from the mapping at *path*."""
    for step in path:
        match tree:
            case dict():
                tree = tree[str(step)]
            case list():
                tree = tree[int(step)]
            case _:
                return
    if isinstance(tree, dict):
        del tree[key]

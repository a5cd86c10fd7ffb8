"""``agents:`` who answers: with which models, in which workspace."""

import re
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, WithJsonSchema

from bot.contracts.route import MAIN
from bot.settings.section import Folder, Section, Text, refusal

NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def _name(value: object) -> object:
    if isinstance(value, str) and NAME.fullmatch(value):
        return value
    expected = "an agent's name: small letters, digits, `_` and `-`, at most 64, such as team"
    raise refusal(value, expected)


class AgentSettings(Section):
    """One agent."""

    workspace: Folder = Field(default="workspace", validate_default=True)
    """The folder it works in, and the only one its tools may touch. Left out: `workspace` for
    `main`, `workspaces/<name>` for every other."""
    models: tuple[Text, ...] = ()
    """Keys of `models:`, tried in this order; all of them, in their order, if left out."""


def _with_main(value: object) -> object:
    """Add the agent that always exists, and a workspace of its own to each that names none."""
    if not isinstance(value, dict):
        return value
    return {name: _with_workspace(name, section) for name, section in {MAIN: None, **value}.items()}


def _with_workspace(name: object, section: object) -> object:
    if name == MAIN or not isinstance(section, dict | None):
        return section
    written = section or {}
    if written.get("workspace") is not None:
        return written
    return {**written, "workspace": f"workspaces/{name}"}


Agents = Annotated[
    Mapping[
        Annotated[str, BeforeValidator(_name), WithJsonSchema({"pattern": f"^{NAME.pattern}$"})],
        AgentSettings,
    ],
    BeforeValidator(_with_main),
]
"""The agents by name. `main` always exists."""

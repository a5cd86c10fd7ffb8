import json
import re
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from bot.contracts.errors import ToolError
from bot.contracts.tool import Effect, Tool
from bot.tools import BUILTIN
from bot.tools.arguments import Arguments

every_tool = pytest.mark.parametrize("tool", BUILTIN, ids=lambda tool: tool.name)


def test_no_two_tools_share_a_name() -> None:
    assert len({tool.name for tool in BUILTIN}) == len(BUILTIN)


def test_each_tool_is_as_harmful_as_it_says() -> None:
    assert {tool.name: tool.effect for tool in BUILTIN} == {
        "list_files": Effect.PURE,
        "search_files": Effect.PURE,
        "read_file": Effect.PURE,
        "write_file": Effect.IDEMPOTENT,
        "edit_file": Effect.CHECKABLE,
        "shell": Effect.UNSAFE,
    }


def test_only_the_shell_wants_to_be_alone() -> None:
    assert [tool.name for tool in BUILTIN if tool.alone] == ["shell"]


@every_tool
def test_it_has_a_name_a_provider_accepts(tool: Tool[Any]) -> None:
    assert re.fullmatch("[a-z][a-z_]{2,40}", tool.name)


@every_tool
def test_it_says_what_it_does_and_when_not_to_use_it(tool: Tool[Any]) -> None:
    assert tool.description.endswith(".")
    assert tool.guidance.startswith("Use it ")
    assert re.search(r"\b[Nn]ot (for|to)\b", tool.guidance)
    assert len(tool.guidance) < 400


@every_tool
def test_every_argument_is_explained(tool: Tool[Any]) -> None:
    properties: Any = tool.parameters.schema()["properties"]

    assert all(argument["description"].endswith(".") for argument in properties.values())


@every_tool
def test_its_schema_is_the_same_bytes_each_time_and_has_no_noise(tool: Tool[Any]) -> None:
    first, second = (json.dumps(tool.parameters.schema()) for _ in range(2))

    assert first == second
    assert '"title"' not in first
    assert tool.parameters.schema()["additionalProperties"] is False
    assert set(tool.parameters.schema()) <= {
        "type",
        "properties",
        "required",
        "additionalProperties",
    }


@every_tool
def test_a_changed_schema_does_not_change_the_next_one(tool: Tool[Any]) -> None:
    schema: Any = tool.parameters.schema()
    schema["properties"].clear()

    assert tool.parameters.schema()["properties"]


@every_tool
def test_its_arguments_are_a_frozen_dataclass(tool: Tool[Any]) -> None:
    assert issubclass(tool.parameters, Arguments)
    assert is_dataclass(tool.parameters)
    assert all(field.kw_only for field in fields(tool.parameters))


@every_tool
def test_an_argument_nobody_knows_is_refused(tool: Tool[Any]) -> None:
    with pytest.raises(ToolError, match="sudo: no such argument; there are: "):
        tool.parameters.parse('{"sudo": true}')


@every_tool
def test_its_line_for_people_is_short(tool: Tool[Any]) -> None:
    texts = {"path": "notes/a.md", "command": "echo\n" * 400, "text": "bees"}
    needed: Any = tool.parameters.schema().get("required", [])
    args = tool.parameters.parse(json.dumps({name: texts.get(name, "x") for name in needed}))

    line = tool.summarise(args)

    assert line
    assert "\n" not in line
    assert len(line) <= 120

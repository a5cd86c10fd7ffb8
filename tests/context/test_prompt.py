import json
from collections.abc import Mapping, Sequence
from typing import Any, Self
from zoneinfo import ZoneInfo

import pytest

from bot.context.prompt import system_prompt
from bot.contracts.model import SystemPrompt
from bot.contracts.tool import Effect, Tool, ToolContext
from bot.contracts.turn import Rank
from bot.tools import BUILTIN
from bot.workspace.files import PromptFile, WorkspaceFiles
from bot.workspace.seed import template_folder

BERLIN = ZoneInfo("Europe/Berlin")
FILES = (PromptFile(name="AGENTS.md", text="Be kind."), PromptFile(name="SOUL.md", text="Calm."))


class Nothing:
    @classmethod
    def schema(cls) -> Mapping[str, object]:
        return {}

    @classmethod
    def parse(cls, arguments: str) -> Self:
        raise NotImplementedError(arguments)


async def _nothing(context: ToolContext, args: Nothing) -> str:
    raise NotImplementedError(context, args)


def a_tool(name: str) -> Tool[Any]:
    return Tool(
        name=name,
        description="",
        guidance=f"when to use {name} and when not.",
        effect=Effect.PURE,
        parameters=Nothing,
        run=_nothing,
    )


TOOLS = (a_tool("shell"), a_tool("read_file"))


def a_prompt(
    *,
    files: Sequence[PromptFile] = FILES,
    tools: Sequence[Tool[Any]] = TOOLS,
    sandbox_note: str = "Commands run in bubblewrap.",
    rank: Rank = Rank.OWNER,
) -> SystemPrompt:
    return system_prompt(
        files=files, tools=tools, zone=BERLIN, sandbox_note=sandbox_note, rank=rank
    )


@pytest.mark.parametrize("rank", [Rank.GUEST, Rank.MEMBER])
def test_whoever_has_no_programs_is_told_nothing_of_how_they_run(rank: Rank) -> None:
    stable = a_prompt(tools=(), rank=rank).stable

    assert "bubblewrap" not in stable
    assert "# Programs" not in stable
    assert f"let in as {rank.name.lower()}" in stable


def test_the_owner_s_prompt_knows_of_no_other_people_and_an_admin_s_has_programs() -> None:
    assert "# Who writes to you" not in a_prompt().stable
    assert "bubblewrap" in a_prompt(rank=Rank.ADMIN).stable
    assert "let in as admin" in a_prompt(rank=Rank.ADMIN).stable


def test_the_order_of_the_tools_changes_nothing() -> None:
    assert a_prompt(tools=TOOLS[::-1]) == a_prompt()


def test_the_sections_stand_in_their_order() -> None:
    stable = a_prompt().stable

    marks = [
        "You are a personal assistant",
        "# How to act",
        "# Tools",
        "- `read_file`: when to use read_file and when not.",
        "- `shell`: when to use shell and when not.",
        "# Workspace",
        "# Programs\n\nCommands run in bubblewrap.",
        "# Time",
        "# Files read for you",
        '<file name="AGENTS.md">\nBe kind.\n</file>',
        '<file name="SOUL.md">\nCalm.\n</file>',
    ]
    places = [stable.index(mark) for mark in marks]
    assert places == sorted(places)
    assert stable.endswith("</file>\n")


def test_no_time_and_no_place_is_in_it_so_that_its_bytes_stay() -> None:
    assert a_prompt().volatile == ""
    assert "2026" not in a_prompt().stable
    assert "webchat" not in a_prompt().stable


def test_a_changed_file_changes_the_prompt_and_nothing_before_the_files() -> None:
    changed = a_prompt(files=(*FILES[:1], PromptFile(name="SOUL.md", text="Wild."))).stable

    assert changed == a_prompt().stable.replace("Calm.", "Wild.")


def test_without_tools_the_model_is_told_that_it_has_none() -> None:
    stable = a_prompt(tools=(), sandbox_note="").stable

    assert "You have none in this conversation." in stable
    assert "# Workspace" not in stable
    assert "# Programs" not in stable


@pytest.mark.parametrize("directive", ["[[silent]]", "[[voice]]", "[[reply", "[[media"])
def test_no_directive_is_offered_that_nothing_carries_out(directive: str) -> None:
    assert directive not in a_prompt().stable + a_prompt().volatile


async def test_a_greeting_in_a_fresh_workspace_costs_little() -> None:
    """Some 2,000 tokens with every tool; the files and the tools are most of it."""
    files = await WorkspaceFiles(template_folder()).read(private=True)
    schemas = [(t.name, t.description, t.parameters.schema()) for t in BUILTIN]

    prompt = a_prompt(files=files, tools=BUILTIN)

    assert len((prompt.stable + prompt.volatile + json.dumps(schemas)).encode()) < 8_500

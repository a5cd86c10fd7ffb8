import asyncio
from pathlib import Path

import pytest

from bot.contracts.errors import ToolDenied, ToolError
from bot.contracts.tool import Finished
from bot.tools.excerpt import OUTPUT_LIMIT
from bot.tools.shell import Shell, shell
from tests.doubles.tool_context import ScriptedSandbox, a_tool_context


async def _run(tmp_path: Path, finished: Finished) -> str:
    sandbox = ScriptedSandbox(answers=[finished])
    return await shell.run(a_tool_context(tmp_path, sandbox=sandbox), Shell(command="make"))


async def test_the_end_and_the_output_are_told(tmp_path: Path) -> None:
    said = await _run(tmp_path, Finished(exit_code=2, output="no rule\n"))

    assert said == "[exit code 2]\nno rule"


async def test_a_silent_command_is_told_by_its_end(tmp_path: Path) -> None:
    assert await _run(tmp_path, Finished(exit_code=0, output="")) == "[exit code 0]"


async def test_a_late_one_may_have_done_part_of_its_work(tmp_path: Path) -> None:
    said = await _run(tmp_path, Finished(exit_code=137, output="half", timed_out=True))

    assert said == "[stopped after 60 seconds; part of its work may be done]\nhalf"


async def test_a_flood_is_cut_in_the_middle(tmp_path: Path) -> None:
    said = await _run(tmp_path, Finished(exit_code=0, output="a" * 40_000 + "the end"))

    assert len(said) <= OUTPUT_LIMIT
    assert said.endswith("the end")


async def test_it_runs_the_command_as_it_is_in_the_workspace(tmp_path: Path) -> None:
    sandbox = ScriptedSandbox()

    await shell.run(a_tool_context(tmp_path, sandbox=sandbox), Shell(command="echo $HOME; ls"))

    assert sandbox.commands == ["echo $HOME; ls"]
    assert sandbox.roots == [a_tool_context(tmp_path).workspace.root]


async def test_without_a_sandbox_nothing_runs(tmp_path: Path) -> None:
    with pytest.raises(ToolDenied, match="no sandbox"):
        await shell.run(a_tool_context(tmp_path), Shell(command="id"))


async def test_it_waits_for_another_writer_of_the_workspace(tmp_path: Path) -> None:
    sandbox = ScriptedSandbox()
    context = a_tool_context(tmp_path, sandbox=sandbox)

    async with context.workspace.writing():
        running = asyncio.ensure_future(shell.run(context, Shell(command="id")))
        await asyncio.sleep(0)
        assert sandbox.commands == []
    await running

    assert sandbox.commands == ["id"]


@pytest.mark.parametrize(
    "arguments",
    ['{"command": ""}', '{"command": "%s"}' % ("x" * 20_001)],
    ids=["empty", "a novel"],
)
def test_what_no_shell_can_run_is_refused(arguments: str) -> None:
    with pytest.raises(ToolError, match="- command: "):
        Shell.parse(arguments)


async def test_a_zero_byte_is_refused_before_anything_runs(tmp_path: Path) -> None:
    sandbox = ScriptedSandbox()

    with pytest.raises(ToolError, match="zero byte"):
        await shell.run(a_tool_context(tmp_path, sandbox=sandbox), Shell(command="a\0b"))

    assert sandbox.commands == []


@pytest.mark.parametrize("seconds", [0, 301])
def test_a_limit_is_between_one_second_and_five_minutes(seconds: int) -> None:
    with pytest.raises(ToolError, match="- timeout_seconds: "):
        Shell.parse(f'{{"command": "id", "timeout_seconds": {seconds}}}')


def test_a_command_of_many_lines_is_one_line_for_people() -> None:
    assert shell.summarise(Shell(command="cd src\n  make test\n")) == "cd src make test"

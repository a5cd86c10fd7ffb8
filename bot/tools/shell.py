"""Run a command, in the sandbox and nowhere else."""

from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from bot.contracts.errors import ToolDenied, ToolError
from bot.contracts.tool import Effect, Finished, Tool, ToolContext
from bot.tools.arguments import Arguments
from bot.tools.changes import WAIT_SECONDS
from bot.tools.excerpt import cut_end, cut_middle

_LONGEST: Final = 20_000
"""Characters of a command. Longer ones belong in a file of the workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell(Arguments):
    """Run a shell command in the workspace. There is no network, and only the workspace stays."""

    command: Annotated[str, Field(min_length=1, max_length=_LONGEST)]
    """What the shell is to run; it starts in the workspace's root and has no input."""
    timeout_seconds: Annotated[int, Field(ge=1, le=300)] = 60
    """Stop it after so many seconds."""


async def _run(context: ToolContext, args: Shell) -> str:
    if context.sandbox is None:
        raise ToolDenied("no command can run here: this machine has no sandbox")
    if "\0" in args.command:
        raise ToolError("a command cannot contain a zero byte")
    async with context.workspace.writing():
        finished = await context.sandbox.run(
            args.command, root=context.workspace.root, timeout_seconds=args.timeout_seconds
        )
    return cut_middle(f"{_end(finished, args)}\n{finished.output}".rstrip())


def _end(finished: Finished, args: Shell) -> str:
    if finished.timed_out:
        return f"[stopped after {args.timeout_seconds} seconds; part of its work may be done]"
    return f"[exit code {finished.exit_code}]"


def _title(args: Shell) -> str:
    return cut_end(" ".join(args.command.split()), 120)


shell = Tool(
    name="shell",
    description=Shell.purpose(),
    guidance=(
        "Use it to run programs: tests, python3, git, grep with a regular expression. Not to "
        "read or change single files (read_file, edit_file), and not for anything that needs "
        "the network; programs still running when the command ends are stopped."
    ),
    effect=Effect.UNSAFE,
    parameters=Shell,
    run=_run,
    alone=True,
    timeout_seconds=WAIT_SECONDS,
    summarise=_title,
    identity=lambda args: args.command,
)

"""How every command ends: inherit, give a ``sandbox``, and all of this is tried."""

import asyncio
import os
import pickle
import sys
from pathlib import Path

import pytest

import bot
from bot.contracts.tool import Finished, Sandbox
from tests.sandbox.attempts import ANOTHER_BOT, STUBBORN, alive, run, started


class EndingsContract:
    """Attempts to outlive the command."""

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        root = tmp_path.resolve() / "workspace"
        root.mkdir()
        return root

    @pytest.fixture
    def mark(self, request: pytest.FixtureRequest) -> str:
        return f"mark-{os.getpid()}-{request.node.name}"

    async def test_a_late_command_ends_with_all_it_started(
        self, sandbox: Sandbox, root: Path, mark: str
    ) -> None:
        """It ignores TERM and has forked into a session of its own."""
        stubborn = f"trap '' TERM; exec -a '{mark}' sleep 1000"

        finished = await run(
            sandbox, root, f'trap "" TERM; setsid bash -c "{stubborn}" & echo up; wait', seconds=1.5
        )

        assert finished.timed_out
        assert finished.output == "up\n"
        assert alive(mark) == []

    async def test_a_cancelled_command_ends_with_all_it_started(
        self, sandbox: Sandbox, root: Path, mark: str
    ) -> None:
        (root / "stubborn.py").write_text(STUBBORN)
        running = asyncio.create_task(run(sandbox, root, f"python3 stubborn.py {mark}"))
        await started(root)
        assert alive(mark)

        running.cancel()
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

        assert alive(mark) == []

    async def test_a_command_cancelled_before_it_began_leaves_nothing(
        self, sandbox: Sandbox, root: Path, mark: str
    ) -> None:
        for ticks in range(12):
            running = asyncio.create_task(run(sandbox, root, f"sleep 1000; echo {mark}"))
            for _ in range(ticks):
                await asyncio.sleep(0)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            assert alive(mark) == []

    async def test_what_runs_on_in_the_background_ends_with_the_command(
        self, sandbox: Sandbox, root: Path, mark: str
    ) -> None:
        finished = await run(
            sandbox, root, f"(exec -a '{mark}' sleep 1000) & setsid -f sleep 1000; echo done"
        )

        assert finished == Finished(exit_code=0, output="done\n")
        assert alive(mark) == []

    async def test_when_the_bot_is_killed_so_is_the_command(
        self, sandbox: Sandbox, root: Path, mark: str
    ) -> None:
        (root / "stubborn.py").write_text(STUBBORN)
        command = f"python3 stubborn.py {mark}"
        ours = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", ANOTHER_BOT, pickle.dumps(sandbox).hex(), command, str(root)),
            cwd=Path(bot.__file__).parents[1],
        )
        await started(root)

        ours.kill()
        await ours.wait()

        async with asyncio.timeout(10):
            while alive(mark):  # noqa: ASYNC110 - processes of another parent tell nobody
                await asyncio.sleep(0.01)

    async def test_a_command_that_listens_to_term_ends_by_itself(
        self, sandbox: Sandbox, root: Path
    ) -> None:
        listening = "trap 'echo tidied up; exit 0' TERM; echo up; sleep 1000 & wait"

        finished = await run(sandbox, root, listening, seconds=1.5)

        assert finished.timed_out
        assert finished.output == "up\ntidied up\n"

    async def test_the_exit_code_tells_of_a_signal(self, sandbox: Sandbox, root: Path) -> None:
        assert (await run(sandbox, root, "kill -9 $$")).exit_code == 137

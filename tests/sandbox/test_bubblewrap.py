import os
import shutil
from pathlib import Path

import pytest

from bot.contracts.errors import ToolError
from bot.sandbox.bubblewrap import Bubblewrap
from bot.sandbox.limits import SYSTEM_PATH, Limits
from tests.sandbox.attempts import PYTHON, run
from tests.sandbox.endings_contract import EndingsContract
from tests.sandbox.walls_contract import WallsContract

BWRAP = shutil.which("bwrap", path=SYSTEM_PATH)

pytestmark = pytest.mark.skipif(
    BWRAP is None and "CI" not in os.environ,
    reason="NOT TESTED: bubblewrap is not installed (apt-get install bubblewrap)",
)


class TestBubblewrap(WallsContract, EndingsContract):
    @pytest.fixture
    def sandbox(self) -> Bubblewrap:
        return Bubblewrap(executable=Path(BWRAP or "bwrap"), python=PYTHON, grace_seconds=0.3)

    @pytest.fixture
    def tight_sandbox(self) -> Bubblewrap:
        limits = Limits(memory=200_000_000, file_size=100_000, open_files=50)
        return Bubblewrap(executable=Path(BWRAP or "bwrap"), python=PYTHON, limits=limits)

    async def test_outside_does_not_even_have_names(self, sandbox: Bubblewrap, root: Path) -> None:
        (root.parent / "secret.txt").write_text("canary")

        finished = await run(sandbox, root, "ls .. /; ls /var /boot /etc/passwd")

        assert "secret.txt" not in finished.output
        assert finished.output.count("No such file or directory") == 3

    async def test_it_is_nobody_alone_and_can_make_no_namespace(
        self, sandbox: Bubblewrap, root: Path
    ) -> None:
        finished = await run(sandbox, root, "id -u; echo /proc/[0-9]*; unshare -Ur id")

        assert finished.output.startswith("65534\n/proc/1 /proc/2\n")
        assert "uid=0" not in finished.output

    async def test_in_a_seeded_workspace_a_new_file_is_made(
        self, sandbox: Bubblewrap, guarded: Path
    ) -> None:
        assert (await run(sandbox, guarded, "echo x > MEMORY.md")).exit_code == 0

    async def test_when_it_does_not_start_it_says_why(self, root: Path) -> None:
        broken = Bubblewrap(executable=Path("/bin/false"), python=PYTHON)
        with pytest.raises(ToolError, match="the sandbox did not start: it said nothing"):
            await run(broken, root, "echo hi")

        talking = Bubblewrap(executable=Path("/bin/ls"), python=PYTHON)
        with pytest.raises(ToolError, match=r"did not start: /bin/ls: unrecognized option"):
            await run(talking, root, "echo hi")

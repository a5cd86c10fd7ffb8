import asyncio
import ctypes
import os
from pathlib import Path

import pytest

from bot.sandbox.landlock import Landlock
from bot.sandbox.launcher import LANDLOCK_ABI
from bot.sandbox.limits import Limits
from tests.sandbox.attempts import PYTHON, run
from tests.sandbox.endings_contract import EndingsContract
from tests.sandbox.walls_contract import WallsContract

ABI = ctypes.CDLL(None).syscall(444, None, 0, 1)

pytestmark = pytest.mark.skipif(
    ABI < LANDLOCK_ABI and "CI" not in os.environ,
    reason=f"NOT TESTED: this kernel has Landlock {ABI}, and {LANDLOCK_ABI} is needed",
)


class TestLandlock(WallsContract, EndingsContract):
    @pytest.fixture
    def sandbox(self) -> Landlock:
        return Landlock(python=PYTHON, grace_seconds=0.3)

    @pytest.fixture
    def tight_sandbox(self) -> Landlock:
        limits = Limits(memory=200_000_000, file_size=100_000, open_files=50)
        return Landlock(python=PYTHON, limits=limits)

    async def test_in_a_seeded_workspace_a_new_file_needs_a_folder(
        self, sandbox: Landlock, guarded: Path
    ) -> None:
        """It cannot tell a new MEMORY.md from a new SOUL.md, so it makes neither."""
        finished = await run(sandbox, guarded, "echo x > notes/x && echo x > MEMORY.md")

        assert "Permission denied" in finished.output
        assert (guarded / "notes/x").exists()
        assert not (guarded / "MEMORY.md").exists()

    async def test_a_link_of_the_workspace_grants_nothing_behind_it(
        self, sandbox: Landlock, guarded: Path
    ) -> None:
        outside = guarded.parent / "outside"
        outside.mkdir()
        (guarded / "link").symlink_to(outside)

        await run(sandbox, guarded, "echo x > link/x")

        assert not await asyncio.to_thread(lambda: list(outside.iterdir()))

    @pytest.mark.parametrize(
        "call",
        [
            "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
            "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
            "os.chmod('x', 0o777)",
            "os.chown('x', 0, 0)",
            "os.setxattr('x', 'user.a', b'b')",
            "call(425, 1, ctypes.create_string_buffer(120))",
            "call(0x40000000 + 41, 2, 1, 0)",
        ],
    )
    async def test_what_landlock_leaves_open_is_refused(
        self, sandbox: Landlock, root: Path, call: str
    ) -> None:
        (root / "x").touch()
        (root / "call.py").write_text(
            "import ctypes, os, socket\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def call(*words):\n"
            "    if libc.syscall(*words) < 0:\n"
            "        raise OSError(ctypes.get_errno(), 'refused')\n"
            f"{call}\n"
            "print('done')\n"
        )

        finished = await run(sandbox, root, "python3 call.py")

        assert "PermissionError: [Errno 1]" in finished.output

    async def test_a_pair_of_sockets_of_its_own_is_fine(
        self, sandbox: Landlock, root: Path
    ) -> None:
        finished = await run(
            sandbox, root, "python3 -c 'import asyncio; asyncio.run(asyncio.sleep(0)); print(1)'"
        )

        assert finished.output == "1\n"

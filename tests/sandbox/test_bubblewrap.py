import asyncio
import os
import shutil
import socket
import sys
from pathlib import Path

import pytest

from bot.contracts.errors import ToolError
from bot.contracts.tool import Finished
from bot.sandbox.bubblewrap import Bubblewrap
from bot.sandbox.limits import SYSTEM_PATH, Limits

PYTHON = Path(sys.base_prefix)
BWRAP = shutil.which("bwrap", path=SYSTEM_PATH)

pytestmark = pytest.mark.skipif(
    BWRAP is None and "CI" not in os.environ,
    reason="NOT TESTED: the sandbox. Install bubblewrap (apt-get install bubblewrap)",
)


@pytest.fixture
def sandbox() -> Bubblewrap:
    return Bubblewrap(executable=Path(BWRAP or "bwrap"), python=PYTHON, grace_seconds=0.3)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "workspace"
    root.mkdir()
    return root


async def _run(sandbox: Bubblewrap, root: Path, command: str, seconds: float = 20.0) -> Finished:
    return await sandbox.run(command, root=root, timeout_seconds=seconds)


async def test_a_command_works_in_the_workspace_and_what_it_writes_stays(
    sandbox: Bubblewrap, root: Path
) -> None:
    finished = await _run(sandbox, root, "pwd && echo 绿茶 > tea.txt && cat tea.txt && exit 3")

    assert finished == Finished(exit_code=3, output=f"{root}\n绿茶\n")
    assert (root / "tea.txt").read_text() == "绿茶\n"


async def test_stdout_and_stderr_come_as_they_came(sandbox: Bubblewrap, root: Path) -> None:
    finished = await _run(sandbox, root, "echo one; echo two >&2; echo three")

    assert finished.output == "one\ntwo\nthree\n"


async def test_there_is_no_input(sandbox: Bubblewrap, root: Path) -> None:
    assert (await _run(sandbox, root, "cat; echo done")).output == "done\n"


async def test_python_runs_tests_in_it(sandbox: Bubblewrap, root: Path) -> None:
    (root / "test_sum.py").write_text(
        "import unittest\n"
        "class Sum(unittest.TestCase):\n"
        "    def test_sum(self) -> None:\n"
        "        self.assertEqual(1 + 1, 2)\n"
    )

    finished = await _run(sandbox, root, "python3 -m unittest -v")

    assert finished.exit_code == 0
    assert "OK" in finished.output


async def test_nothing_outside_is_seen(sandbox: Bubblewrap, root: Path) -> None:
    (root.parent / "secret.txt").write_text("canary")

    finished = await _run(sandbox, root, f"cat {root}/../secret.txt; ls /home /root /etc/passwd")

    assert "canary" not in finished.output
    assert finished.output.count("No such file or directory") >= 3


async def test_a_link_out_of_the_workspace_leads_nowhere(sandbox: Bubblewrap, root: Path) -> None:
    (root.parent / "secret.txt").write_text("canary")
    (root / "link").symlink_to(root.parent / "secret.txt")

    assert "canary" not in (await _run(sandbox, root, "cat link")).output


async def test_nothing_outside_is_written(sandbox: Bubblewrap, root: Path) -> None:
    finished = await _run(
        sandbox,
        root,
        f"for at in /usr /etc / {PYTHON}; do touch $at/x && echo wrote $at; done; "
        f"touch {root.parent}/x; echo own > /tmp/own && cat /tmp/own",
    )

    assert "wrote" not in finished.output
    assert finished.output.endswith("own\n")
    assert not (root.parent / "x").exists()


async def test_nothing_of_our_environment_is_seen(sandbox: Bubblewrap, root: Path) -> None:
    """Ours, as the kernel holds it for this very process, and its parents."""
    ours = {line.split("=")[0] for line in os.environ} - {"PATH", "HOME", "LANG", "TERM", "PWD"}
    finished = await _run(
        sandbox, root, "env | cut -d= -f1; cat /proc/[0-9]*/environ | tr '\\0' '\\n' | cut -d= -f1"
    )

    theirs = set(finished.output.split())
    assert theirs - {"USER", "LOGNAME", "TMPDIR", "SHLVL", "_"} == {
        "PATH",
        "HOME",
        "LANG",
        "TERM",
        "PWD",
    }
    assert "PATH" in theirs
    assert not (theirs & ours) - {"USER", "LOGNAME", "TMPDIR", "SHLVL", "_"}


async def test_there_is_no_network(sandbox: Bubblewrap, root: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        finished = await _run(sandbox, root, f"(echo hi > /dev/tcp/127.0.0.1/{port}) && echo sent")

    assert "Connection refused" in finished.output
    assert "sent" not in finished.output


async def test_a_socket_file_outside_is_not_reached(sandbox: Bubblewrap, root: Path) -> None:
    reach = (
        "import socket; s = socket.socket(socket.AF_UNIX); "
        "s.connect('\\0stonechat-test'); print('reached')"
    )
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("\0stonechat-test")  # an abstract name: no folder hides it
        listening.listen()
        finished = await _run(sandbox, root, f'python3 -c "{reach}"')

    assert "ConnectionRefusedError" in finished.output


async def test_it_is_nobody_and_can_become_nobody_else(sandbox: Bubblewrap, root: Path) -> None:
    finished = await _run(
        sandbox,
        root,
        "id -u; grep -E 'CapEff|NoNewPrivs' /proc/self/status; unshare -Ur id; unshare -n true",
    )

    assert finished.output.startswith("65534\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n")
    assert "uid=0" not in finished.output
    assert finished.exit_code != 0


GUARDED = ["SOUL.md", "AGENTS.md", "IDENTITY.md", "USER.md", ".env", ".env.local"]


@pytest.fixture
def guarded(root: Path) -> Path:
    for name in GUARDED:
        (root / name).write_text("ours")
    for name in ("skills/tea", "config", ".git/hooks"):
        (root / name).mkdir(parents=True)
    (root / "skills/tea/SKILL.md").write_text("ours")
    (root / ".git/config").write_text("ours")
    return root


@pytest.mark.parametrize(
    "command",
    [
        *(f"echo mine > {name}" for name in GUARDED),
        *(f"rm -f {name}; mv other {name}" for name in GUARDED),
        "echo mine > skills/tea/SKILL.md",
        "mkdir skills/new",
        "mv skills away; mkdir skills; echo mine > skills/SKILL.md",
        "echo mine > config/config.yaml",
        "echo mine > .git/hooks/post-commit",
        "echo mine > .git/config",
        "mv .git away; mkdir -p .git/hooks; echo mine > .git/hooks/post-commit",
        "rm -rf .git; mkdir -p .git/hooks; echo mine > .git/hooks/post-commit",
    ],
)
async def test_what_would_be_trusted_later_is_read_only(
    sandbox: Bubblewrap, guarded: Path, command: str
) -> None:
    def trusted() -> dict[str, str]:
        parts = [*GUARDED, "skills", "config", ".git/hooks", ".git/config"]
        files = [file for part in parts for file in [guarded / part, *(guarded / part).rglob("*")]]
        return {str(file): file.read_text() for file in files if file.is_file()}

    (guarded / "other").write_text("mine")
    before = await asyncio.to_thread(trusted)

    await _run(sandbox, guarded, command)

    assert await asyncio.to_thread(trusted) == before


async def test_the_rest_of_the_workspace_is_written_git_too(
    sandbox: Bubblewrap, guarded: Path
) -> None:
    finished = await _run(
        sandbox, guarded, "echo x > .git/HEAD && echo x > MEMORY.md && cat SOUL.md"
    )

    assert finished == Finished(exit_code=0, output="ours")


async def test_a_guarded_file_that_is_a_link_stops_everything(
    sandbox: Bubblewrap, root: Path
) -> None:
    (root / "SOUL.md").symlink_to(root / "other.md")

    with pytest.raises(ToolError, match=r"SOUL\.md is a link"):
        await _run(sandbox, root, "echo hi")


def _alive(mark: str) -> list[str]:
    """Processes whose command line has *mark*, from the outside."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if mark in line:
            found.append(line)
    return found


STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        break
open("started", "w").close()
time.sleep(1000)  # {mark}
"""


async def test_a_late_command_ends_with_all_it_started(sandbox: Bubblewrap, root: Path) -> None:
    """It ignores TERM and has forked into a session of its own."""
    mark = f"mark-{os.getpid()}-late"
    stubborn = f"trap '' TERM; exec -a {mark} sleep 1000"

    finished = await _run(
        sandbox, root, f"trap '' TERM; setsid bash -c \"{stubborn}\" & echo up; wait", seconds=1.5
    )

    assert finished.timed_out
    assert finished.output == "up\n"
    assert _alive(mark) == []


async def test_a_cancelled_command_ends_with_all_it_started(
    sandbox: Bubblewrap, root: Path
) -> None:
    mark = f"mark-{os.getpid()}-cancelled"
    (root / "stubborn.py").write_text(STUBBORN.format(mark=mark))
    running = asyncio.create_task(_run(sandbox, root, f"python3 stubborn.py {mark}"))
    while not (root / "started").exists():  # noqa: ASYNC110 - a file is what there is
        await asyncio.sleep(0.01)
    assert _alive(mark)

    running.cancel()
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert _alive(mark) == []


async def test_a_command_cancelled_before_it_began_leaves_nothing(
    sandbox: Bubblewrap, root: Path
) -> None:
    mark = f"mark-{os.getpid()}-early"
    for ticks in range(12):
        running = asyncio.create_task(_run(sandbox, root, f"sleep 1000; echo {mark}"))
        for _ in range(ticks):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert _alive(mark) == []


async def test_what_runs_on_in_the_background_ends_with_the_command(
    sandbox: Bubblewrap, root: Path
) -> None:
    mark = f"mark-{os.getpid()}-background"

    finished = await _run(sandbox, root, f"(exec -a {mark} sleep 1000) & echo done")

    assert finished == Finished(exit_code=0, output="done\n")
    assert _alive(mark) == []


async def test_a_command_that_listens_to_term_ends_by_itself(
    sandbox: Bubblewrap, root: Path
) -> None:
    finished = await _run(
        sandbox, root, "trap 'echo tidied up; exit 0' TERM; echo up; sleep 1000 & wait", seconds=1.5
    )

    assert finished.timed_out
    assert finished.output == "up\ntidied up\n"


async def test_a_flood_keeps_its_beginning_and_its_end(sandbox: Bubblewrap, root: Path) -> None:
    finished = await _run(sandbox, root, "echo begin; head -c 50000000 /dev/zero; echo; echo end")

    assert finished.output.startswith("begin\n")
    assert finished.output.endswith("\nend\n")
    assert "bytes left out" in finished.output
    assert len(finished.output) < 40_000


async def test_output_that_is_no_text_breaks_nothing(sandbox: Bubblewrap, root: Path) -> None:
    assert "\ufffd" in (await _run(sandbox, root, "printf '\\xff\\xfe'")).output


async def test_memory_file_size_and_open_files_have_limits(root: Path) -> None:
    sandbox = Bubblewrap(
        executable=Path(BWRAP or "bwrap"),
        python=PYTHON,
        limits=Limits(memory=200_000_000, file_size=100_000, open_files=50),
    )

    hungry = await _run(sandbox, root, "python3 -c 'bytearray(300_000_000)'")
    large = await _run(sandbox, root, "head -c 200000 /dev/zero > large; wc -c < large; ulimit -n")

    assert "MemoryError" in hungry.output
    assert "100000\n50\n" in large.output


async def test_a_sandbox_that_does_not_start_says_why(root: Path) -> None:
    sandbox = Bubblewrap(executable=Path("/bin/false"), python=PYTHON)

    with pytest.raises(ToolError, match="the sandbox did not start"):
        await _run(sandbox, root, "echo hi")

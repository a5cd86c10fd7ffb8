"""What no sandbox may let through: inherit, give a ``sandbox``, and all of this is tried."""

import asyncio
import os
import pickle
import signal
import socket
import sys
from pathlib import Path

import pytest

import bot
from bot.contracts.errors import ToolError
from bot.contracts.tool import Finished, Sandbox
from tests.sandbox.attempts import ANOTHER_BOT, GUARDED, PYTHON, run


class WallsContract:
    """Attempts to get out, to see what is not theirs, to change what is trusted."""

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        root = tmp_path.resolve() / "workspace"
        root.mkdir()
        return root

    @pytest.fixture
    def guarded(self, root: Path) -> Path:
        for name in GUARDED:
            (root / name).write_text("ours")
        for name in ("skills/tea", "config", ".git/hooks"):
            (root / name).mkdir(parents=True)
        (root / "skills/tea/SKILL.md").write_text("ours")
        (root / ".git/config").write_text("ours")
        (root / ".git/HEAD").write_text("main")
        (root / "other").write_text("mine")
        (root / "notes").mkdir()
        return root

    async def test_a_command_works_in_the_workspace_and_what_it_writes_stays(
        self, sandbox: Sandbox, root: Path
    ) -> None:
        finished = await run(sandbox, root, "pwd && echo 绿茶 > tea.txt && cat tea.txt && exit 3")

        assert finished == Finished(exit_code=3, output=f"{root}\n绿茶\n")
        assert (root / "tea.txt").read_text() == "绿茶\n"

    async def test_stdout_and_stderr_come_as_they_came(self, sandbox: Sandbox, root: Path) -> None:
        finished = await run(sandbox, root, "echo one; echo two >&2; echo three")

        assert finished.output == "one\ntwo\nthree\n"

    async def test_there_is_no_input(self, sandbox: Sandbox, root: Path) -> None:
        assert (await run(sandbox, root, "cat; echo done")).output == "done\n"

    async def test_a_command_of_many_strange_characters_arrives_as_it_is(
        self, sandbox: Sandbox, root: Path
    ) -> None:
        strange = "".join(map(chr, range(0x4E00, 0x4E00 + 8000)))

        finished = await run(sandbox, root, f"printf %s '{strange}' | wc -m")

        assert finished.output == "8000\n"

    async def test_python_runs_tests_in_it(self, sandbox: Sandbox, root: Path) -> None:
        (root / "test_sum.py").write_text(
            "import unittest\n"
            "class Sum(unittest.TestCase):\n"
            "    def test_sum(self) -> None:\n"
            "        self.assertEqual(1 + 1, 2)\n"
        )

        finished = await run(sandbox, root, "python3 -m unittest -v")

        assert finished.exit_code == 0
        assert "OK" in finished.output

    async def test_what_a_file_outside_holds_is_not_seen(
        self, sandbox: Sandbox, root: Path
    ) -> None:
        (root.parent / "secret.txt").write_text("canary")
        (root / "link").symlink_to(root.parent / "secret.txt")

        finished = await run(
            sandbox, root, "cat ../secret.txt link /etc/passwd /etc/shadow; ls ~root /home /var"
        )

        assert "canary" not in finished.output
        assert "root:" not in finished.output
        assert finished.exit_code != 0

    async def test_nothing_outside_is_written_or_changed(
        self, sandbox: Sandbox, root: Path
    ) -> None:
        (root.parent / "secret.txt").write_text("canary")
        (root.parent / "secret.txt").chmod(0o600)
        (root / "link").symlink_to(root.parent / "secret.txt")

        await run(
            sandbox,
            root,
            f"for at in /usr /etc / {PYTHON}; do touch $at/x && echo wrote $at; done; "
            "touch ../x; echo x > ../secret.txt; echo x > link; chmod 666 ../secret.txt link; "
            "mv ../secret.txt moved; ln ../secret.txt linked; rm ../secret.txt",
        )

        assert (root.parent / "secret.txt").read_text() == "canary"
        assert (root.parent / "secret.txt").stat().st_mode & 0o777 == 0o600
        assert sorted(child.name for child in root.parent.iterdir()) == ["secret.txt", "workspace"]
        assert not any(Path(at, "x").exists() for at in ("/usr", "/etc", "/", PYTHON))

    async def test_what_it_keeps_aside_is_gone_with_it(self, sandbox: Sandbox, root: Path) -> None:
        first = await run(sandbox, root, 'echo own > "$TMPDIR/own" && cat "$TMPDIR/own"')
        second = await run(sandbox, root, 'cat "$TMPDIR/own"')

        assert first.output == "own\n"
        assert "No such file" in second.output

    async def test_no_secret_of_our_environment_is_seen(self, sandbox: Sandbox, root: Path) -> None:
        """Neither in its own environment nor in that of any process it can find."""
        look = "env; cat /proc/[0-9]*/environ /proc/self/environ | tr '\\0' '\\n'; echo looked"
        ours = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", ANOTHER_BOT, pickle.dumps(sandbox).hex(), look, str(root)),
            cwd=Path(bot.__file__).parents[1],
            env={"ANTHROPIC_API_KEY": "sk-canary", "PATH": "/nowhere"},
            stdout=asyncio.subprocess.PIPE,
        )
        seen, _ = await ours.communicate()

        assert b"looked" in seen
        assert b"LANG=C.UTF-8" in seen
        assert b"canary" not in seen
        assert b"/nowhere" not in seen

    async def test_there_is_no_network(self, sandbox: Sandbox, root: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
            finished = await run(sandbox, root, f"echo hi > /dev/tcp/127.0.0.1/{port} && echo sent")
            listening.settimeout(0)
            with pytest.raises(BlockingIOError):
                listening.accept()

        assert "sent" not in finished.output

    @pytest.mark.parametrize("name", ["\0stonechat-{pid}", "{root}/control.sock"])
    async def test_no_socket_of_the_machine_is_reached(
        self, sandbox: Sandbox, root: Path, tmp_path_factory: pytest.TempPathFactory, name: str
    ) -> None:
        """Not one without a file, and not one whose file it can see."""
        short = tmp_path_factory.mktemp("s")
        path = name.format(pid=os.getpid(), root=short)
        (root / "reach.py").write_text(
            f"import socket\nsocket.socket(socket.AF_UNIX).connect({path!r})\nprint('reached')\n"
        )
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path)
            listening.listen()
            finished = await run(sandbox, root, "python3 reach.py")

        assert "Error" in finished.output
        assert "reached" not in finished.output

    async def test_no_process_of_the_machine_is_reached(self, sandbox: Sandbox, root: Path) -> None:
        victim = await asyncio.create_subprocess_exec("sleep", "1000")
        try:
            finished = await run(
                sandbox, root, f"kill -9 {victim.pid} {os.getppid()} && echo killed"
            )

            assert "killed" not in finished.output
            assert victim.returncode is None
        finally:
            victim.kill()
            assert await victim.wait() == -signal.SIGKILL

    async def test_it_has_no_power_and_gets_none(self, sandbox: Sandbox, root: Path) -> None:
        """What root could do, and what whoever is root in a namespace of his own can do."""
        (root / "power.py").write_text(
            "import ctypes\n"
            "libc = ctypes.CDLL(None)\n"
            "print('no new:', libc.prctl(39, 0, 0, 0, 0))\n"
            "held = ctypes.create_string_buffer(24)\n"
            "libc.capget(b'\\x22\\x05\\x08\\x20' + bytes(4), held)\n"
            "print('held:', held.raw == bytes(24))\n"
        )

        finished = await run(
            sandbox,
            root,
            "python3 power.py; mount -t tmpfs x /mnt; unshare -Urm mount -t tmpfs x /mnt; "
            "mknod null c 1 3 && echo made; chroot / true && echo rooted",
        )

        assert finished.output.startswith("no new: 1\nheld: True\n")
        assert "made" not in finished.output
        assert finished.exit_code != 0

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
            "ln SOUL.md notes/soul; echo mine > notes/soul",
        ],
    )
    async def test_what_would_be_trusted_later_is_read_only(
        self, sandbox: Sandbox, guarded: Path, command: str
    ) -> None:
        def trusted() -> dict[str, str]:
            parts = [*GUARDED, "skills", "config", ".git/hooks", ".git/config"]
            files = [
                file for part in parts for file in [guarded / part, *(guarded / part).rglob("*")]
            ]
            return {str(file): file.read_text() for file in files if file.is_file()}

        before = await asyncio.to_thread(trusted)

        await run(sandbox, guarded, command)

        assert await asyncio.to_thread(trusted) == before

    async def test_the_rest_is_written_in_git_too(self, sandbox: Sandbox, guarded: Path) -> None:
        finished = await run(
            sandbox,
            guarded,
            "echo x > .git/HEAD && echo x > other && echo x > notes/new && cat SOUL.md",
        )

        assert finished == Finished(exit_code=0, output="ours")

    @pytest.mark.parametrize("name", ["SOUL.md", "skills", ".git", ".env"])
    async def test_a_guarded_place_that_is_a_link_stops_everything(
        self, sandbox: Sandbox, root: Path, name: str
    ) -> None:
        (root / name).symlink_to(root / "elsewhere")

        with pytest.raises(ToolError, match=r"is a link, which the sandbox cannot guard"):
            await run(sandbox, root, "echo hi")

    async def test_without_a_workspace_nothing_runs(self, sandbox: Sandbox, root: Path) -> None:
        with pytest.raises(ToolError, match="the workspace is gone"):
            await run(sandbox, root / "gone", "echo hi")

    async def test_a_flood_keeps_its_beginning_and_its_end(
        self, sandbox: Sandbox, root: Path
    ) -> None:
        flood = "echo begin; head -c 20000000 /dev/zero; echo; echo end"

        finished = await run(sandbox, root, flood)

        assert finished.output.startswith("begin\n")
        assert finished.output.endswith("\nend\n")
        assert "bytes left out" in finished.output
        assert len(finished.output) < 40_000

    async def test_output_that_is_no_text_breaks_nothing(
        self, sandbox: Sandbox, root: Path
    ) -> None:
        assert "\ufffd" in (await run(sandbox, root, "printf '\\xff\\xfe'")).output

    async def test_memory_file_size_and_open_files_have_limits(
        self, tight_sandbox: Sandbox, root: Path
    ) -> None:
        hungry = await run(tight_sandbox, root, "python3 -c 'bytearray(300_000_000)'")
        large = await run(
            tight_sandbox, root, "head -c 200000 /dev/zero > large; wc -c < large; ulimit -n -c"
        )

        assert "MemoryError" in hungry.output
        assert "100000\n" in large.output
        assert "50\n" in large.output

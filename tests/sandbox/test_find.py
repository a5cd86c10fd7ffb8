import os
import shutil
from pathlib import Path

import pytest

from bot.sandbox import NoSandbox, find_sandbox
from bot.sandbox.limits import SYSTEM_PATH

needs_bubblewrap = pytest.mark.skipif(
    shutil.which("bwrap", path=SYSTEM_PATH) is None and "CI" not in os.environ,
    reason="NOT TESTED: bubblewrap is not installed (apt-get install bubblewrap)",
)


def a_bwrap_that(says: str, place: Path) -> str:
    """A folder with a program of that name, which fails with these words."""
    program = place / "bwrap"
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit 1\n")
    program.chmod(0o755)
    return str(place)


@needs_bubblewrap
async def test_bubblewrap_is_found_and_works(tmp_path: Path) -> None:
    sandbox = await find_sandbox()

    assert not isinstance(sandbox, NoSandbox)
    assert sandbox.name == "bubblewrap"
    finished = await sandbox.run("echo hi", root=tmp_path, timeout_seconds=10.0)
    assert finished.output == "hi\n"


@needs_bubblewrap
async def test_python3_is_the_one_that_was_asked_for(tmp_path: Path) -> None:
    python = tmp_path / "python"
    (python / "bin").mkdir(parents=True)
    (python / "bin" / "python3").write_text("#!/bin/sh\necho snake\n")
    (python / "bin" / "python3").chmod(0o755)
    root = tmp_path / "workspace"
    root.mkdir()

    sandbox = await find_sandbox(shell_python=python)

    assert not isinstance(sandbox, NoSandbox)
    finished = await sandbox.run("python3", root=root, timeout_seconds=10.0)
    assert finished.output == "snake\n"


async def test_without_bubblewrap_it_is_landlock_or_nothing_with_the_reason(
    tmp_path: Path,
) -> None:
    found = await find_sandbox(path=str(tmp_path))

    match found:
        case NoSandbox(reason=reason):
            assert "apt-get install bubblewrap" in reason
            assert "Landlock" in reason
        case _:
            assert found.name == "Landlock and seccomp"


async def test_a_bubblewrap_that_fails_is_not_used(tmp_path: Path) -> None:
    path = a_bwrap_that("setting up uid map: Permission denied", tmp_path)

    found = await find_sandbox(path=path)

    match found:
        case NoSandbox(reason=reason):
            assert "setting up uid map: Permission denied" in reason
        case _:
            assert found.name != "bubblewrap"


async def test_one_that_hides_nothing_is_not_used(tmp_path: Path) -> None:
    """It runs the command, but not in a sandbox: the trial sees a file outside."""
    open_door = tmp_path / "bwrap"
    open_door.write_text(
        "#!/bin/bash\n"
        "while [ $# -gt 0 ]; do case $1 in --info-fd) info=$2;; --block-fd) block=$2;; "
        "--chdir) cd $2;; esac; last=$1; shift; done\n"
        'echo "{\\"child-pid\\": $$}" >&$info; eval "exec $info>&-"; read -u $block x\n'
        'exec /bin/bash -c "$last"\n'
    )
    open_door.chmod(0o755)

    found = await find_sandbox(path=str(tmp_path))

    match found:
        case NoSandbox(reason=reason):
            assert "seen" in reason
        case _:
            assert found.name != "bubblewrap"


async def test_on_another_system_there_is_none_and_it_says_so() -> None:
    found = await find_sandbox(platform="darwin")

    assert found == NoSandbox(reason="no shell: there is no sandbox for it on darwin yet")

import os
import shutil
from pathlib import Path

import pytest

from bot.sandbox import NoSandbox, find_sandbox
from bot.sandbox.limits import SYSTEM_PATH

needs_bubblewrap = pytest.mark.skipif(
    shutil.which("bwrap", path=SYSTEM_PATH) is None and "CI" not in os.environ,
    reason="NOT TESTED: the sandbox. Install bubblewrap (apt-get install bubblewrap)",
)


@needs_bubblewrap
async def test_bubblewrap_is_found_and_proves_itself(tmp_path: Path) -> None:
    sandbox = await find_sandbox()

    assert not isinstance(sandbox, NoSandbox)
    assert sandbox.name == "bubblewrap"
    finished = await sandbox.run("echo hi", root=tmp_path, timeout_seconds=10.0)
    assert finished.output == "hi\n"

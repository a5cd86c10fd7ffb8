"""In CI a skipped test is a failed run, and the run says which."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.doubles.commands import ROOT

PASSES = "def test_passes(): pass"
SKIPS = "import pytest\ndef test_skips(): pytest.skip('no browser')"
SKIPS_ALL = "import pytest\npytest.skip('no browser', allow_module_level=True)"
FAILS_AS_EXPECTED = "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_fails(): assert 0"


@pytest.mark.parametrize(
    ("test", "workers", "left_out"),
    [
        pytest.param(PASSES, 0, False, id="nothing is skipped"),
        pytest.param(SKIPS, 0, True, id="a test is skipped"),
        pytest.param(SKIPS, 1, True, id="a test is skipped by a worker"),
        pytest.param(SKIPS_ALL, 0, True, id="a whole file is skipped"),
        pytest.param(FAILS_AS_EXPECTED, 0, False, id="a failure that is expected is no skip"),
    ],
)
def test_skipping_fails_the_run(tmp_path: Path, test: str, workers: int, left_out: bool) -> None:
    (tmp_path / "test_it.py").write_text(f"{test}\n")
    (tmp_path / "test_other.py").write_text(f"{PASSES}\n")

    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [
            *(sys.executable, "-m", "pytest", "-q", "-n", str(workers), "-c", "/dev/null"),
            *("-p", "no:asyncio", "-p", "no:hypothesispytest", "-p", "no:cacheprovider"),
            *("-p", "tests.nothing_left_out", str(tmp_path)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.returncode != 0) is left_out, ended.stdout
    assert ("LEFT OUT" in ended.stdout) is left_out

"""Whatever Python a machine has or lacks, the person is told in one sentence what to install."""

from pathlib import Path

import pytest

from tests.doubles.checkout import Checkout, a_checkout

TOO_OLD = 'case "$1" in -V) echo "Python 3.9.2";; *) exit 1;; esac'
WITHOUT_VENV = """
case "$2" in
    *ensurepip*) exit 1;;
    *venv\\"*) echo python3.11-venv;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return a_checkout(tmp_path)


@pytest.mark.parametrize("script", ["script/run", "script/test", "script/lint"])
def test_an_old_python(checkout: Checkout, script: str) -> None:
    checkout.program("python3", TOO_OLD)

    ended = checkout.run(script)

    assert ended.code == 1
    assert "found Python 3.9.2, Python 3.11 or newer is needed" in ended.said
    assert ended.said.count("\n") == 1


def test_no_python_at_all(checkout: Checkout) -> None:
    (checkout.folder / "bin" / "python3").unlink()

    ended = checkout.run("script/run")

    assert ended.code == 1
    assert "found no python3" in ended.said
    assert "apt-get install python3 python3-venv" in ended.said


def test_a_newer_one_beside_an_old_one_is_found(checkout: Checkout) -> None:
    (checkout.folder / "bin" / "python3").rename(checkout.folder / "bin" / "python3.12")
    checkout.program("python3", TOO_OLD)

    assert checkout.run("script/run").code == 0


def test_a_python_without_venv(checkout: Checkout) -> None:
    checkout.program("python3", WITHOUT_VENV)

    ended = checkout.run("script/run")

    assert ended.code == 1
    assert "the module venv of" in ended.said
    assert "apt-get install python3.11-venv" in ended.said
    assert ended.said.count("\n") == 1


def test_root_on_debian_gets_venv_installed(checkout: Checkout) -> None:
    folder = checkout.folder
    (folder / "bin" / "python3").rename(folder / "bin" / "python-with-venv")
    checkout.program("python3", WITHOUT_VENV)
    checkout.program("id", "echo 0")
    checkout.program(
        "apt-get",
        f"echo apt-get $* >>{folder}/diary\n"
        f"case $* in *install*) cat {folder}/bin/python-with-venv >{folder}/bin/python3;; esac",
    )

    assert checkout.run("script/run").code == 0
    assert "python3.11-venv" in checkout.diary[1]

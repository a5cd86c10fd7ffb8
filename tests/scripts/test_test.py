"""script/test leaves nothing out silently, and in CI nothing at all."""

from pathlib import Path

import pytest

from tests.doubles.checkout import Checkout, a_checkout

APT = """
cd {folder}/bin
case "$*" in
    *install*bubblewrap) cat true >bwrap; chmod 755 bwrap;;
    *install*chromium-headless-shell)
        cat true >chromium-headless-shell; chmod 755 chromium-headless-shell;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = a_checkout(tmp_path)
    found.program("id", "echo 1000")
    return found


def test_what_is_missing_is_said_loudly_and_the_rest_is_run(checkout: Checkout) -> None:
    ended = checkout.run("script/test")

    assert ended.code == 0
    assert "!!! bwrap is missing: the tests of the shell tool are LEFT OUT" in ended.said
    assert "!!! chromium-headless-shell is missing" in ended.said
    assert checkout.diary[-1].startswith("-m pytest -n auto")


@pytest.mark.parametrize("present", [[], ["bwrap"], ["chromium-headless-shell"]])
def test_in_ci_a_missing_program_is_a_failure(checkout: Checkout, present: list[str]) -> None:
    for name in present:
        checkout.program(name, "exit 0")

    ended = checkout.run("script/test", CI="true")

    assert ended.code == 1
    assert "nothing may be left out" in ended.said
    assert not any("-m pytest" in line for line in checkout.diary)


def test_where_it_may_it_installs_what_is_missing(checkout: Checkout) -> None:
    checkout.program("id", "echo 0")
    checkout.program("true", "exit 0")
    checkout.program("chmod", 'exec /bin/chmod "$@"')
    checkout.program("apt-get", APT.format(folder=checkout.folder))

    ended = checkout.run("script/test", CI="true")

    assert ended.code == 0
    assert "LEFT OUT" not in ended.said
    assert "-p tests.nothing_left_out" in checkout.diary[-1]


def test_arguments_go_to_pytest(checkout: Checkout) -> None:
    checkout.run("script/test", "tests/cli", "-k", "two words")

    assert checkout.diary[-1].endswith("tests/cli -k two words")

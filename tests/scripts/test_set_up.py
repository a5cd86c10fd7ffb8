"""The environment is made once, again when something changed, and by one process at a time."""

from pathlib import Path

import pytest

from tests.doubles.checkout import Checkout, a_checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return a_checkout(tmp_path)


def _installs(checkout: Checkout) -> list[str]:
    return [line for line in checkout.diary if "pip install" in line]


def test_the_first_time_it_installs_what_is_pinned_and_then_ours(checkout: Checkout) -> None:
    ended = checkout.run("script/run")

    pins, ours = _installs(checkout)
    assert "--require-hashes --no-deps" in pins
    assert pins.endswith("/requirements.txt")
    assert "--no-deps --no-build-isolation --editable" in ours
    assert ended.code == 0
    assert "Setting up" in ended.said


def test_the_second_time_it_does_and_says_nothing(checkout: Checkout) -> None:
    checkout.run("script/run")

    ended = checkout.run("script/run")

    assert len(_installs(checkout)) == 2
    assert ended.said == ""


@pytest.mark.parametrize("changed", ["requirements.txt", "pyproject.toml"])
def test_it_does_so_again_when_something_changed(checkout: Checkout, changed: str) -> None:
    checkout.run("script/run")
    (checkout.folder / changed).write_text("# other\n")

    checkout.run("script/run")

    assert len(_installs(checkout)) == 4


def test_what_developers_have_is_enough_to_run(checkout: Checkout) -> None:
    checkout.run("script/lint")
    before = len(_installs(checkout))

    checkout.run("script/run")

    assert before == len(_installs(checkout)) == 2
    assert _installs(checkout)[0].endswith("/requirements-dev.txt")


def test_without_a_network_it_says_so_and_the_next_try_finishes(checkout: Checkout) -> None:
    checkout.network_is_down(down=True)
    ended = checkout.run("script/run")

    assert ended.code == 1
    assert "no such host" in ended.said
    assert "is there a network? Then try again." in ended.said
    assert "Traceback" not in ended.said

    checkout.network_is_down(down=False)
    assert checkout.run("script/run").code == 0


def test_two_at_once_set_up_once(checkout: Checkout) -> None:
    with checkout.start("script/run") as one, checkout.start("script/run") as other:
        one.communicate(timeout=60)
        other.communicate(timeout=60)

    assert (one.returncode, other.returncode) == (0, 0)
    assert len(_installs(checkout)) == 2


def test_a_checkout_that_cannot_be_written_is_one_sentence(checkout: Checkout) -> None:
    (checkout.folder / ".venv").rename(checkout.folder / "elsewhere")
    (checkout.folder / ".venv").write_text("")

    ended = checkout.run("script/run")

    assert ended.code == 1
    assert ".venv cannot be made" in ended.said
    assert ended.said.count("\n") == 1

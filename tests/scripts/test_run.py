"""script/run is the whole of starting, and every other command too."""

from pathlib import Path

import pytest

from tests.doubles.checkout import Checkout, a_checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return a_checkout(tmp_path)


def test_without_arguments_it_runs(checkout: Checkout) -> None:
    checkout.run("script/run")

    assert checkout.diary[-1] == f"stonechat as {checkout.folder}/script/run: run"


def test_arguments_are_a_command(checkout: Checkout) -> None:
    checkout.run("script/run", "ask", "two  words", "--json")

    assert checkout.diary[-1].endswith(": ask two  words --json")

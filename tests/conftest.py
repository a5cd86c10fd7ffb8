"""What every test stands on: patience with a busy machine, and the longest stories first."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.doubles.leftovers import end_leftovers

# A busy machine is no reason for a property to fail.
settings.register_profile("stonechat", deadline=None)
settings.load_profile("stonechat")


@pytest.fixture(autouse=True)
def _no_process_is_left() -> Iterator[None]:
    yield
    end_leftovers()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that were given time of their own, so that none is left for the end.

    A worker is given two tests to begin with, so each of them has a short one behind it.
    """
    stories = sorted(filter(_seconds, items), key=_seconds, reverse=True)
    items[:] = [item for item in items if not _seconds(item)]
    for number, story in enumerate(stories):
        items.insert(2 * number, story)


def _seconds(item: pytest.Item) -> float:
    own = item.get_closest_marker("timeout")
    return float(own.args[0]) if own else 0.0

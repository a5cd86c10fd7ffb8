from collections.abc import Callable, Iterator

import pytest

from bot.contracts import faults
from bot.contracts.faults import COMMIT_POINTS, POINTS


@pytest.fixture
def heard() -> Iterator[list[str]]:
    points: list[str] = []
    faults.install(points.append)
    yield points
    faults.install(None)


def test_a_commit_is_reached_before_and_after_its_verb(heard: list[str]) -> None:
    with faults.commit("run.finish"):
        heard.append("the verb")

    assert heard == ["run.finish:before", "the verb", "run.finish:after"]


def test_a_verb_that_failed_has_no_after(heard: list[str]) -> None:
    with pytest.raises(ValueError, match="disk"), faults.commit("run.finish"):
        raise ValueError("disk")

    assert heard == ["run.finish:before"]


def test_a_plan_may_raise_where_it_is_told_to(heard: list[str]) -> None:
    faults.install(_raise_at("tool.exec"))

    faults.reach("model.req")
    with pytest.raises(RuntimeError, match="planned"):
        faults.reach("tool.exec")

    assert heard == []


def test_without_a_plan_nothing_happens() -> None:
    faults.install(None)

    faults.reach("model.req")
    with faults.commit("in.commit"):
        pass


def test_no_point_has_two_names() -> None:
    assert len(set(POINTS)) == len(POINTS)
    assert {f"{name}:before" for name in COMMIT_POINTS} <= set(POINTS)


def _raise_at(planned: str) -> Callable[[str], None]:
    def plan(point: str) -> None:
        if point == planned:
            raise RuntimeError("planned")

    return plan

"""Models are replaced while turns run; each is closed once, when its last turn has ended."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from bot.agent.failover import Candidate
from bot.agent.lineup import Lineup
from bot.contracts.errors import (
    ContextOverflow,
    KeyRefused,
    ModelDisconnected,
    ModelError,
    ModelUnavailable,
)
from bot.contracts.model import ModelEvent, ModelRequest


@dataclass(eq=False)
class Closable:
    """A model that counts how often it was closed."""

    name: str
    closed: int = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        raise AssertionError(request)
        yield

    async def close(self) -> None:
        self.closed += 1


def candidate(name: str) -> Candidate:
    return Candidate(model=Closable(name))


def closed(each: Candidate) -> int:
    assert isinstance(each.model, Closable)
    return each.model.closed


@given(steps=st.lists(st.sampled_from(["begin", "end", "replace"]), max_size=30))
async def test_a_turn_keeps_what_it_began_with_and_every_model_is_closed_once(
    steps: list[str],
) -> None:
    made = [candidate("0")]
    lineup = Lineup(made)
    retiring = []
    running = []
    for step in steps:
        if step == "replace":
            made.append(candidate(str(len(made))))
            retiring.append(asyncio.create_task(lineup.retire()))
            lineup = Lineup(made[-1:])
        elif step == "begin":
            turn = lineup.held()
            assert turn.__enter__() == (made[-1],)
            running.append((turn, made[-1]))
        elif running:
            turn, kept = running.pop(0)
            assert closed(kept) == 0
            turn.__exit__(None, None, None)
    for turn, kept in running:
        assert closed(kept) == 0
        turn.__exit__(None, None, None)

    await asyncio.gather(lineup.close(), *retiring)

    assert [closed(each) for each in made] == [1] * len(made)


def test_what_failed_is_remembered_until_it_answers_or_is_replaced() -> None:
    one, other = candidate("one"), candidate("other")
    lineup = Lineup([one, other])
    refused, down = KeyRefused("no"), ModelUnavailable("down")

    lineup.note(one, refused)
    lineup.note(other, down)
    assert list(lineup.troubles) == [refused, down]

    lineup.note(one, None)
    assert list(lineup.troubles) == [down]


def test_a_stumble_or_a_long_request_says_nothing_of_the_model() -> None:
    one = candidate("one")
    lineup = Lineup([one])
    passing: list[ModelError] = [ModelDisconnected("cut"), ContextOverflow("long")]

    for error in passing:
        lineup.note(one, error)

    assert lineup.troubles == ()


async def test_a_model_that_cannot_be_closed_keeps_no_other_open() -> None:
    class Stuck(Closable):
        async def close(self) -> None:
            raise OSError("it is stuck")

    other = candidate("other")
    lineup = Lineup([Candidate(model=Stuck("stuck")), other])

    await lineup.close()

    assert closed(other) == 1

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.agent.failover import HISTORY_STEPS, Candidate, Failover
from bot.contracts.errors import (
    CandidatesExhausted,
    ContextOverflow,
    KeyExhausted,
    KeyRefused,
    ModelDisconnected,
    ModelUnavailable,
    RequestRefused,
)
from tests.doubles.clock import START
from tests.doubles.scripted_model import ScriptedModel

FIRST = Candidate(model=ScriptedModel(name="first"))
SECOND = Candidate(model=ScriptedModel(name="second"))
BOTH = Failover.over([FIRST, SECOND])


def test_a_broken_connection_is_tried_again_twice_and_then_left() -> None:
    error = ModelDisconnected("it was cut")

    once, first_wait = BOTH.after(error, START)
    twice, second_wait = once.after(error, START)
    left, _ = twice.after(error, START)

    assert once.current().candidate is FIRST
    assert twice.current().candidate is FIRST
    assert 0 < first_wait < second_wait
    assert left.current().candidate is SECOND


def test_a_pause_the_server_asks_for_is_kept_up_to_twenty_seconds() -> None:
    same, wait = BOTH.after(ModelDisconnected("busy", retry_after=7), START)
    other, _ = BOTH.after(ModelDisconnected("busy", retry_after=21), START)

    assert (same.current().candidate, wait) == (FIRST, 7)
    assert other.current().candidate is SECOND


@pytest.mark.parametrize("error", [KeyRefused("no"), ModelUnavailable("down")])
def test_a_key_or_a_server_that_is_of_no_use_is_left_at_once(error: KeyRefused) -> None:
    moved, wait = BOTH.after(error, START)

    assert (moved.current().candidate, wait) == (SECOND, 0.0)


def test_a_request_that_does_not_fit_is_shortened_before_another_model_is_tried() -> None:
    state = BOTH
    for history in HISTORY_STEPS[1:]:
        state, _ = state.after(ContextOverflow("too long"), START)
        assert (state.current().candidate, state.current().history) == (FIRST, history)

    state, _ = state.after(ContextOverflow("too long"), START)

    assert state.current().candidate is SECOND


def test_a_request_the_provider_calls_wrong_is_not_sent_to_anybody_else() -> None:
    state, _ = BOTH.after(RequestRefused("unknown field"), START)

    with pytest.raises(CandidatesExhausted, match="first: unknown field"):
        state.current()


def test_when_nothing_is_left_every_cause_is_named_in_order() -> None:
    state, _ = BOTH.after(KeyRefused("the key was refused"), START)
    state, _ = state.after(ModelUnavailable("nobody answers"), START)

    with pytest.raises(
        CandidatesExhausted, match=r"first: the key was refused; second: nobody answers"
    ):
        state.current()


def test_a_success_in_between_forgives_earlier_retries() -> None:
    state = replace(BOTH, retries=2).refreshed()

    again, _ = state.after(ModelDisconnected("cut"), START)

    assert again.current().candidate is FIRST


def test_a_key_that_must_rest_for_moments_is_waited_for_where_it_is_the_last() -> None:
    error = KeyExhausted("busy", until=START + timedelta(seconds=4))

    first, first_wait = BOTH.after(error, START)
    last, last_wait = first.after(error, START)

    assert (first.current().candidate, first_wait) == (SECOND, 0.0)
    assert (last.current().candidate, last_wait) == (SECOND, 4.0)


@pytest.mark.parametrize(
    "error",
    [
        KeyExhausted("busy", until=START + timedelta(minutes=5)),
        KeyExhausted("no money", until=START + timedelta(seconds=4), spent=True),
        KeyExhausted("busy"),
    ],
    ids=["too long", "no money left", "nobody knows until when"],
)
def test_a_key_that_will_not_be_back_soon_is_not_waited_for(error: KeyExhausted) -> None:
    state, _ = Failover.over([FIRST]).after(error, START)

    with pytest.raises(CandidatesExhausted):
        state.current()


def test_who_was_chosen_is_tried_first_and_the_others_in_their_order() -> None:
    third = Candidate(model=ScriptedModel(name="third"), name="deep")
    tried = Failover.over([FIRST, SECOND, third], first="deep")
    assert tried.candidates == (third, FIRST, SECOND)
    assert Failover.over([FIRST, SECOND], first="second").candidates == (SECOND, FIRST)
    assert Failover.over([FIRST, SECOND], first="nobody").candidates == (FIRST, SECOND)


def test_fewer_turns_are_seen_each_time_a_request_did_not_fit() -> None:
    assert Failover.over([FIRST], history=30).history == (30, 25, 5, 1)
    assert Failover.over([FIRST], history=200).history == (200, 25, 5, 1)
    assert Failover.over([FIRST], history=3).history == (3, 1)
    assert Failover.over([FIRST], history=1).history == (1,)

"""The rows of the outbox that tell how a turn ended."""

from bot.contracts.delivery import DeliveryState, OnUnknown
from bot.contracts.reply import ReplyKind
from bot.contracts.turn import Outcome, OutcomeKind, Turn, TurnState
from bot.kernel.deliveries import Deliveries
from tests.doubles.arrivals import an_arrival, an_inbound
from tests.doubles.clock import FakeClock
from tests.doubles.fake_channel import FakeChannel


def a_turn(channel: str = "page") -> Turn:
    arrival = an_arrival("hi", inbound=an_inbound("hi", channel=channel))
    return Turn(id=arrival.turn_id, seq=1, arrival=arrival, state=TurnState.RUNNING, attempt=1)


def deliveries() -> Deliveries:
    return Deliveries(channels={("page", "default"): FakeChannel()}, clock=FakeClock())


ANSWER = Outcome(kind=OutcomeKind.ANSWERED, text="hello")


def test_an_answer_goes_where_it_was_asked_by_the_channels_rule() -> None:
    turn = a_turn()
    (row,) = deliveries().of_outcome(turn, ANSWER)

    assert row.id == f"{turn.id}:0"
    assert row.target == turn.arrival.target
    assert row.on_unknown is OnUnknown.REPEAT_ONCE
    assert row.payload.fallback == "hello"


def test_an_answer_to_a_channel_that_is_gone_from_the_settings_waits_in_parts_for_any() -> None:
    turn = a_turn("gone")
    long = Outcome(kind=OutcomeKind.ANSWERED, text="\n\n".join(["word " * 200] * 5))

    rows = deliveries().of_outcome(turn, long)

    assert len(rows) > 1
    assert {row.target.channel for row in rows} == {"gone"}
    assert {row.state for row in rows} == {DeliveryState.PENDING}
    assert {row.on_unknown for row in rows} == {OnUnknown.REPEAT_ONCE}
    assert all(len(row.payload.fallback) <= 2_000 for row in rows)


def test_a_notice_that_does_not_arrive_has_no_notice_of_its_own() -> None:
    turn = a_turn()
    (answer,) = deliveries().of_outcome(turn, ANSWER)
    (notice,) = deliveries().of_given_up(answer, "the chat is gone")

    assert notice.id == f"{turn.id}!undelivered"
    assert notice.payload.kind is ReplyKind.NOTICE
    assert notice.on_unknown is OnUnknown.NEVER
    assert deliveries().of_given_up(notice, "nor this") == ()

"""What a trace says, and to whom."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.contracts.admission import Dispatch
from bot.contracts.ledger import TurnRecord
from bot.contracts.session import AgentId, Lost
from bot.contracts.trace import OPERATOR, Part, Trace, Viewer
from bot.contracts.turn import Failure, Outcome, OutcomeKind, Rank, Turn, TurnState
from bot.kernel.reasons import FAILURES, of_admission
from bot.kernel.telling import Known
from bot.kernel.trace import trace
from tests.doubles.arrivals import NOON, a_delivery, an_arrival, an_inbound

ALICE = Viewer(rank=Rank.GUEST, channel="page", sender_id="alice")
_KERNEL = Path(__file__).parents[2] / "bot" / "kernel"
_GIVEN = re.compile(r"""(?:Drop|Observe|Dispatch|Handled)\(reason="([^"{]+)"|"(\w+:[a-z-]+)\"""")


def a_turn(text: str = "hello") -> Turn:
    arrival = an_arrival(text, rank=Rank.GUEST, admission=Dispatch(reason="direct:listed"))
    lost = Lost(binding=3, agent_id=AgentId("team"), why="a sender is stronger")
    arrival = replace(arrival, route=replace(arrival.route, losers=(lost,)))
    return Turn(id=arrival.turn_id, seq=7, arrival=arrival, state=TurnState.FINISHED)


def record(turn: Turn, outcome: Outcome | None = None) -> TurnRecord:
    ended = outcome or Outcome(kind=OutcomeKind.ANSWERED, text="Done.")
    return TurnRecord(turn=turn, outcome=ended, absorbed_by=None, ended_at=NOON)


def somebody_else_s(turn: Turn) -> Turn:
    inbound = an_inbound("the canary sings")
    sender = replace(inbound.sender, id="bob", display_name="Bob")
    return replace(turn, arrival=replace(turn.arrival, inbound=replace(inbound, sender=sender)))


def told(known: Known, viewer: Viewer = OPERATOR) -> Trace:
    def at(moment: datetime) -> str:
        return f"{moment:%H:%M}"

    return trace(known, viewer, NOON + timedelta(minutes=5), lambda call: call.arguments, at)


def test_every_rule_that_admits_or_keeps_back_has_its_words() -> None:
    given = {
        first or second
        for name in ("admit.py", "doorkeeper.py", "intake.py")
        for first, second in _GIVEN.findall((_KERNEL / name).read_text())
    }
    assert "room:not-listed" in given
    assert len(given) > 15

    nameless = [one for one in given if of_admission(one, an_inbound("x")).why.endswith(one)]

    assert not nameless


@pytest.mark.parametrize("failure", Failure)
def test_every_failure_has_its_words(failure: Failure) -> None:
    assert failure in FAILURES


def test_the_bindings_that_lost_and_the_session_are_told_to_admins_alone() -> None:
    known = Known(record=record(a_turn()))

    assert "bindings[3] fits too, to team, and lost" in str(told(known))
    assert "bindings[3]" not in str(told(known, ALICE))
    assert "agent:main:alice" not in str(told(known, ALICE))


def test_of_the_turn_it_joined_nothing_of_somebody_else_is_told() -> None:
    mine = a_turn()
    host = somebody_else_s(a_turn("host"))
    failed = Outcome(kind=OutcomeKind.FAILED, reason="the canary is dead")
    known = Known(
        record=replace(record(mine, failed), absorbed_by=host.id),
        host=record(host, failed),
        ahead=[record(host, failed)],
    )

    page = str(told(known, ALICE))

    assert "canary" not in page
    assert host.id not in page
    assert "Bob" not in page
    assert "the canary is dead" in str(told(known))


def test_what_went_elsewhere_is_told_to_admins_alone() -> None:
    turn = a_turn()
    elsewhere = a_delivery(turn, "a warning", why="owner")
    target = replace(elsewhere.target, conversation_id="the-owner")
    known = Known(record=replace(record(turn), deliveries=(replace(elsewhere, target=target),)))

    assert "the-owner" not in str(told(known, ALICE))
    assert "the-owner" in str(told(known))


def test_what_was_open_when_it_came_is_what_it_waited_behind() -> None:
    turn = a_turn()
    over = replace(record(a_turn("over")), ended_at=NOON - timedelta(minutes=1))
    still_open = replace(record(a_turn("open")), ended_at=NOON + timedelta(minutes=1))

    page = told(Known(record=record(turn), ahead=[still_open, over]))
    [waited] = [one for one in page.passages if one.part is Part.WAITED]

    assert "behind 1 message" in waited.text
    assert waited.details == (f"behind turn {still_open.turn.id}",)


def test_a_turn_that_asks_is_not_told_as_answered() -> None:
    asked = Outcome(kind=OutcomeKind.ASKED, text="May I?")

    assert "/approve" in told(Known(record=record(a_turn(), asked))).fix

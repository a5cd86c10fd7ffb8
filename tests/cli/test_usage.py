"""What was used is added up as asked, and of no conversation that was deleted is it forgotten."""

from datetime import date

from bot.cli.usage import added_up
from bot.contracts.ledger import Spending
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.turn import Lane, Rank, Usage


def spending(day: int, person: str, model: str, micro: int) -> Spending:
    return Spending(
        day=date(2026, 3, day),
        person=person,
        rank=Rank.OWNER,
        agent_id=AgentId("main"),
        session_key=SessionKey("s"),
        model=model,
        lane=Lane.PEOPLE,
        turns=1,
        usage=Usage(micro_usd=micro, model_calls=1),
    )


_BOOK = (
    spending(1, "webchat:owner", "a", 10),
    spending(1, "webchat:anna", "b", 30),
    spending(2, "webchat:owner", "b", 5),
)


def test_the_dearest_comes_first_and_days_come_in_order() -> None:
    assert {name: used.micro_usd for name, used in added_up(_BOOK, "model").items()} == {
        "b": 35,
        "a": 10,
    }
    assert list(added_up(_BOOK, "model")) == ["b", "a"]
    assert list(added_up(_BOOK, "person")) == ["webchat:anna", "webchat:owner"]
    assert list(added_up(_BOOK, "day")) == ["2026-03-01", "2026-03-02"]


def test_however_it_is_added_up_the_sum_is_the_same() -> None:
    for by in ("model", "agent", "person", "session", "day"):
        assert sum(used.micro_usd for used in added_up(_BOOK, by).values()) == 45

"""A room is one room under all its ids, in whatever order they were heard of."""

from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.moved import Move, read_record, record_key
from bot.kernel.moved import MovedRooms


def moved(*pairs: tuple[str, str], account: str = "default") -> MovedRooms:
    return MovedRooms(
        Move(channel="telegram", account=account, before=before, now=now) for before, now in pairs
    )


@given(st.permutations([("-1", "-2"), ("-2", "-3"), ("-3", "-4")]))
def test_a_room_that_moved_thrice_has_its_first_id_in_whatever_order_that_was_heard(
    order: list[tuple[str, str]],
) -> None:
    rooms = moved(*order, *order)

    assert {rooms.first("telegram", "default", one) for one in ("-1", "-2", "-3", "-4")} == {"-1"}
    assert rooms.names("telegram", "default", "-3") == ("-1", "-2", "-3", "-4")


def test_a_move_back_and_a_second_past_change_nothing() -> None:
    rooms = moved(("-1", "-2"), ("-2", "-1"), ("-9", "-2"))

    assert rooms.names("telegram", "default", "-2") == ("-1", "-2")
    assert rooms.names("telegram", "default", "-9") == ("-9",)


def test_the_same_id_on_another_account_or_channel_is_another_room() -> None:
    rooms = moved(("-1", "-2"))

    assert rooms.first("telegram", "shop", "-2") == "-2"
    assert rooms.first("slack", "default", "-2") == "-2"


@given(st.text(), st.text(), st.text(), st.text())
def test_a_record_is_read_as_it_was_written(
    channel: str, account: str, before: str, now: str
) -> None:
    move = Move(
        channel=channel,
        account=account,
        before=before.encode(errors="replace").decode(),
        now=now,
    )

    assert read_record(record_key(move), move.before.encode()) == move

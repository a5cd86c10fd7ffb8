from bot.contracts.turn import Rank, Usage


def test_what_two_calls_spent_adds_up_field_by_field() -> None:
    one = Usage(input_tokens=1, output_tokens=2, cached_tokens=3, model_calls=4, tool_calls=5)

    assert one + one == Usage(
        input_tokens=2, output_tokens=4, cached_tokens=6, model_calls=8, tool_calls=10
    )
    assert one + Usage() == one


def test_a_higher_rank_may_do_more() -> None:
    assert sorted(Rank) == [Rank.STRANGER, Rank.GUEST, Rank.MEMBER, Rank.ADMIN, Rank.OWNER]

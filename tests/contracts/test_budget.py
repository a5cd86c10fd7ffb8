"""Money is whole micro-dollars from the first figure to the last."""

from decimal import ROUND_CEILING, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.budget import Cost, Price, Unit, dollars, micro_of, written

_TOKENS = st.integers(0, 10_000_000)
_PRICES = st.integers(0, 100_000_000)


@given(st.tuples(*[_TOKENS] * 4), st.tuples(*[_PRICES] * 3))
def test_a_call_costs_what_decimals_say_rounded_up_to_a_micro_dollar(
    tokens: tuple[int, int, int, int], prices: tuple[int, int, int]
) -> None:
    plain, cached, kept, wrote = tokens
    read_price, cache_price, out = prices
    price = Price(
        input=read_price, output=out, cached_input=cache_price, cache_write=read_price * 5 // 4
    )
    exact = (
        Decimal(plain) * read_price
        + Decimal(cached) * cache_price
        + Decimal(kept) * (read_price * 5 // 4)
        + Decimal(wrote) * out
    ) / 1_000_000

    found = price.cost(read=plain + cached + kept, wrote=wrote, cached=cached, kept=kept)

    assert found == int(exact.to_integral_value(rounding=ROUND_CEILING))


@pytest.mark.parametrize(
    ("text", "micro"), [("0", 0), ("2", 2_000_000), ("0.50", 500_000), ("0.000001", 1)]
)
def test_an_amount_of_dollars_is_read_exactly(text: str, micro: int) -> None:
    assert micro_of(text) == micro


@pytest.mark.parametrize("text", ["", ".5", "1.", "-1", "1e3", "0.0000001", "1.5x", "\u0661"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its message is what was found
        micro_of(text)


@given(st.integers(0, 10**12))
def test_every_amount_comes_back_as_it_was_written(micro: int) -> None:
    assert micro_of(f"{micro // 10**6}.{micro % 10**6:06}") == micro


@pytest.mark.parametrize(
    ("micro", "said"),
    [
        (0, "$0.00"),
        (99, "less than $0.0001"),
        (100, "$0.0001"),
        (9_999, "$0.0099"),
        (10_000, "$0.01"),
        (14_999, "$0.01"),
        (15_000, "$0.02"),
        (499_999, "$0.50"),
        (2_000_000, "$2.00"),
        (1_234_567_890, "$1,234.57"),
    ],
)
def test_an_amount_is_said_as_people_read_it(micro: int, said: str) -> None:
    assert dollars(micro) == said


def test_tokens_are_said_as_tokens() -> None:
    assert written(12_345, Unit.TOKENS) == "12,345 tokens"
    assert Cost(micro_usd=3, unpriced_tokens=5).of(Unit.TOKENS) == 5

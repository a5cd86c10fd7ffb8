"""What a model costs is known exactly or not at all, and never a guess."""

import pytest

from bot.contracts.budget import FREE, Caps, Price, Scope
from bot.contracts.secret import Secret
from bot.models.catalog import PREFERRED, known
from bot.settings import ModelSettings
from bot.setup.cost import is_free, note_of_a_day, of_a_day, price_of

SONNET = ModelSettings(provider="anthropic", model="claude-sonnet-5-5", keys=(Secret("k"),))
LOCAL = ModelSettings(provider="openai", model="qwen", base_url="http://127.0.0.1:8080/v1")
OTHER = ModelSettings(provider="openai", model="gpt-5.5", base_url="https://router.example/v1")
DEMO = ModelSettings(provider="demo", model="demo")
WRITTEN = Price(input=3_000_000, output=4_000_000, cached_input=300_000, cache_write=3_000_000)
PRICED = ModelSettings(provider="openai", model="x", base_url="https://r.example", price=WRITTEN)


def test_a_day_is_a_hundred_messages_of_two_calls() -> None:
    price = Price(input=1_000_000, output=10_000_000, cached_input=0, cache_write=0)

    assert of_a_day(price) == 200 * (6_000 + 4_000)


def test_the_sentence_says_what_the_number_is_and_what_limits_it() -> None:
    price = Price(input=2_000_000, output=10_000_000, cached_input=0, cache_write=0)
    caps = Caps(money={Scope.DAY: 2_000_000}, tokens={Scope.DAY: 1_000_000})

    note = note_of_a_day(price, 60, caps)

    assert "100 ordinary messages costs about $3.20" in note
    assert "up to 60 calls" in note
    assert "stops at $2.00 (`limits.money.day`)" in note
    assert "stops at 1,000,000 tokens (`limits.tokens.day`)" in note_of_a_day(None, 60, caps)
    assert "`limits.money.day` is off" in note_of_a_day(price, 60, Caps())


def test_what_is_written_wins_then_this_machine_is_free_then_the_list_price() -> None:
    assert price_of(PRICED) == WRITTEN
    assert price_of(LOCAL) == FREE
    assert price_of(DEMO) == FREE
    assert price_of(OTHER) is None
    sonnet = price_of(SONNET)
    assert sonnet is not None
    assert (sonnet.input, sonnet.output) == (2_000_000, 10_000_000)


@pytest.mark.parametrize(
    ("model", "free"),
    [(DEMO, True), (LOCAL, True), (SONNET, False), (OTHER, False), (PRICED, False)],
)
def test_only_this_machine_is_free(model: ModelSettings, free: bool) -> None:
    assert is_free(model) is free


def test_an_ollama_elsewhere_is_somebody_elses_and_its_price_is_not_known() -> None:
    there = ModelSettings(provider="ollama", model="x", base_url="https://ollama.com")

    assert not is_free(there)
    assert price_of(there) is None


def test_a_dated_name_is_that_of_its_model() -> None:
    assert known("openai", "gpt-5.5-2026-04-23") == known("openai", "gpt-5.5")
    assert known("anthropic", "claude-haiku-4-5-20251001") == known("anthropic", "claude-haiku-4-5")
    assert known("openai", "gpt-5.5-turbo") is None
    assert known("openai", "gpt-5.5", base_url="https://router.example") is None
    assert known("demo", "demo") is None


def test_every_model_that_may_be_taken_unasked_has_a_price() -> None:
    for provider, names in PREFERRED.items():
        for name in names:
            found = known(provider, name)
            assert found is not None
            assert 0 < found.price.input < found.price.output
            assert found.price.input <= found.price.cache_write
            assert found.window >= 200_000


def test_a_long_prompt_costs_what_the_higher_tier_costs() -> None:
    haiku = known("anthropic", "claude-haiku-5-5")
    assert haiku is not None
    assert haiku.price.cost(read=100_000, wrote=0) == 10_000
    assert haiku.price.cost(read=100_001, wrote=1_000_000) == 50_001 + 2_500_000

"""What a day may cost is an estimate with its numbers said, and never a guess."""

import pytest

from bot.contracts.secret import Secret
from bot.contracts.turn import Usage
from bot.models.catalog import PREFERRED, Known, known
from bot.settings import ModelSettings
from bot.setup.cost import is_free, note_of_a_day, of_a_day, of_usage

SONNET = ModelSettings(provider="anthropic", model="claude-sonnet-5-5", keys=(Secret("k"),))
LOCAL = ModelSettings(provider="openai", model="qwen", base_url="http://127.0.0.1:8080/v1")
OTHER = ModelSettings(provider="openai", model="gpt-5.5", base_url="https://router.example/v1")
DEMO = ModelSettings(provider="demo", model="demo")
USED = Usage(input_tokens=1_000_000, output_tokens=100_000)


def test_a_day_is_a_hundred_messages_of_two_calls() -> None:
    model = Known(window=1, input_usd=1.0, output_usd=10.0)

    assert of_a_day(model) == pytest.approx(200 * (0.006 + 0.004))


def test_the_sentence_says_what_the_number_is_and_that_nothing_caps_it() -> None:
    note = note_of_a_day(3.2, 60)

    assert "$3.20" in note
    assert "100 ordinary messages" in note
    assert "up to 60 calls" in note
    assert "no cap on money" in note
    assert "not known" in note_of_a_day(None, 60)


def test_what_was_used_is_priced_by_its_model() -> None:
    assert of_usage({"claude-sonnet-5-5": USED}, [SONNET]) == pytest.approx(3.0)
    assert of_usage({"qwen": USED, "demo": USED}, [LOCAL, DEMO]) == 0.0
    assert of_usage({}, [OTHER]) == 0.0


def test_one_price_that_is_not_known_makes_the_sum_unknown() -> None:
    assert of_usage({"gpt-5.5": USED}, [OTHER]) is None
    assert of_usage({"claude-sonnet-5-5": USED, "gpt-99": USED}, [SONNET]) is None


def test_a_model_that_was_used_earlier_today_keeps_its_price() -> None:
    assert of_usage({"claude-sonnet-5-5": USED}, [DEMO]) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("model", "free"), [(DEMO, True), (LOCAL, True), (SONNET, False), (OTHER, False)]
)
def test_only_this_machine_is_free(model: ModelSettings, free: bool) -> None:
    assert is_free(model) is free


def test_an_ollama_elsewhere_is_somebody_elses_and_its_price_is_not_known() -> None:
    there = ModelSettings(provider="ollama", model="x", base_url="https://ollama.com")

    assert not is_free(there)
    assert of_usage({"x": USED}, [there]) is None


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
            assert 0 < found.input_usd < found.output_usd
            assert found.window >= 200_000

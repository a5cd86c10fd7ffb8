"""A model is told a level that it has, or nothing."""

import json

import pytest

from bot.contracts.messages import UserMessage
from bot.contracts.model import ModelRequest, SystemPrompt
from bot.contracts.thinking import nearest
from bot.contracts.turn import ThinkingLevel
from bot.models.anthropic.wire import Encoder as AnthropicEncoder
from bot.models.openai.wire import Encoder as OpenAIEncoder
from bot.models.server import Server
from bot.models.thinking import levels

OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
ELSEWHERE = "http://127.0.0.1:1/v1"


def body(provider: str, model: str, url: str, level: ThinkingLevel | None) -> dict[str, object]:
    server = Server(provider=provider, model=model, base_url=url, keyed=True)
    request = ModelRequest(
        system=SystemPrompt(stable="Be kind."), messages=(UserMessage(text="why?"),), thinking=level
    )
    encoder = AnthropicEncoder(server) if provider == "Anthropic" else OpenAIEncoder(server)
    written: dict[str, object] = json.loads(encoder(request))
    return written


@pytest.mark.parametrize(
    ("level", "effort"),
    [
        (None, None),
        (ThinkingLevel.OFF, "none"),
        (ThinkingLevel.MINIMAL, "none"),
        (ThinkingLevel.LOW, "low"),
        (ThinkingLevel.XHIGH, "xhigh"),
        (ThinkingLevel.ADAPTIVE, "medium"),
    ],
)
def test_openai_is_told_the_nearest_lower_effort(
    level: ThinkingLevel | None, effort: str | None
) -> None:
    assert body("OpenAI", "gpt-5.5", OPENAI, level).get("reasoning_effort") == effort


@pytest.mark.parametrize(
    ("level", "told"),
    [
        (None, {}),
        (ThinkingLevel.OFF, {}),
        (ThinkingLevel.MINIMAL, {}),
        (ThinkingLevel.ADAPTIVE, {"thinking": {"type": "adaptive"}}),
        (
            ThinkingLevel.XHIGH,
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
        ),
    ],
)
def test_claude_is_told_an_effort_within_which_it_decides(
    level: ThinkingLevel | None, told: dict[str, object]
) -> None:
    written = body("Anthropic", "claude-sonnet-5-5", ANTHROPIC, level)
    keys = ("thinking", "output_config")
    assert {key: written[key] for key in keys if key in written} == told


@pytest.mark.parametrize(
    ("provider", "model", "url"),
    [
        ("OpenAI", "gpt-5.5", ELSEWHERE),
        ("OpenAI", "gpt-4.1", OPENAI),
        ("OpenAI", "gpt-5.5-pro", OPENAI),
        ("Anthropic", "claude-sonnet-5-5", ELSEWHERE),
        ("Anthropic", "claude-haiku-4-5", ANTHROPIC),
    ],
)
def test_who_is_not_known_to_take_a_level_is_told_nothing(
    provider: str, model: str, url: str
) -> None:
    written = body(provider, model, url, ThinkingLevel.HIGH)
    assert written.keys().isdisjoint({"reasoning_effort", "thinking", "output_config"})


def test_every_level_falls_to_one_that_is_had_or_to_off() -> None:
    has = levels("openai", "gpt-5.5")
    assert {level: nearest(level, has) for level in ThinkingLevel} == {
        ThinkingLevel.OFF: ThinkingLevel.OFF,
        ThinkingLevel.MINIMAL: ThinkingLevel.OFF,
        ThinkingLevel.LOW: ThinkingLevel.LOW,
        ThinkingLevel.MEDIUM: ThinkingLevel.MEDIUM,
        ThinkingLevel.HIGH: ThinkingLevel.HIGH,
        ThinkingLevel.XHIGH: ThinkingLevel.XHIGH,
        ThinkingLevel.ADAPTIVE: ThinkingLevel.MEDIUM,
    }
    assert all(nearest(level, ()) is ThinkingLevel.OFF for level in ThinkingLevel)

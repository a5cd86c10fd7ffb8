"""How long a model can be told to think: the levels that the providers' own servers take.

OpenAI's newer models take ``reasoning_effort`` from ``none`` to ``xhigh``, and no ``minimal``
(https://platform.openai.com/docs/api-reference/chat/create). Claude 5 decides for itself how
long it thinks, within an effort
(https://docs.claude.com/en/docs/build-with-claude/adaptive-thinking); told nothing, it does not
think. Of other models, and of other servers by the same names, it is not known what they take:
they are told nothing, because a server that does not know the word refuses the whole request.
"""

import re
from typing import Final

from bot.contracts.thinking import nearest
from bot.contracts.turn import ThinkingLevel

_OPENAI: Final = (
    ThinkingLevel.LOW,
    ThinkingLevel.MEDIUM,
    ThinkingLevel.HIGH,
    ThinkingLevel.XHIGH,
)
_ANTHROPIC: Final = (
    ThinkingLevel.LOW,
    ThinkingLevel.MEDIUM,
    ThinkingLevel.HIGH,
    ThinkingLevel.ADAPTIVE,
)
_KNOWN: Final = {
    "openai": (re.compile(r"gpt-(?:5\.[2-9]|[6-9])(?!.*(?:pro|chat))"), _OPENAI),
    "anthropic": (re.compile(r"claude-(?:opus|sonnet|fable)-5"), _ANTHROPIC),
}
_HOSTS: Final = {"openai": "api.openai.com", "anthropic": "api.anthropic.com"}


def levels(provider: str, model: str, *, host: str | None = None) -> tuple[ThinkingLevel, ...]:
    """Return the levels beside `off` that a model takes (pure); *host* None is the provider's."""
    pattern, has = _KNOWN.get(provider, (None, ()))
    own = host is None or host == _HOSTS.get(provider)
    return has if own and pattern is not None and pattern.match(model) else ()


def openai_effort(level: ThinkingLevel | None, model: str, host: str) -> str | None:
    """Return the ``reasoning_effort`` to send, or None to send none (pure)."""
    has = levels("openai", model, host=host)
    if level is None or not has:
        return None
    can = nearest(level, has)
    return "none" if can is ThinkingLevel.OFF else can.value


def anthropic_thinking(level: ThinkingLevel | None, model: str, host: str) -> dict[str, object]:
    """Return what of the head of a request says how long to think; nothing if nothing (pure)."""
    has = levels("anthropic", model, host=host)
    can = nearest(level, has) if level and has else ThinkingLevel.OFF
    if can is ThinkingLevel.OFF:
        return {}
    thinking: dict[str, object] = {"thinking": {"type": "adaptive"}}
    if can is not ThinkingLevel.ADAPTIVE:
        thinking["output_config"] = {"effort": can.value}
    return thinking

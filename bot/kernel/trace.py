"""Tells the way of one message: pure, from its record to what a person reads."""

from collections.abc import Callable
from datetime import datetime

from bot.contracts.messages import ToolCall
from bot.contracts.secret import mask
from bot.contracts.trace import Passage, Trace, Viewer
from bot.kernel.passages import passages
from bot.kernel.telling import Known, Telling
from bot.kernel.why import verdict


def trace(
    known: Known,
    viewer: Viewer,
    now: datetime,
    summary_of: Callable[[ToolCall], str],
    at: Callable[[datetime], str],
) -> Trace:
    """Tell the way of one message to somebody who may see it (pure).

    *at* writes a moment. Whoever is no admin learns of others only that they were there; no
    secret is told to anybody, wherever it came from: a provider's error, a tool's argument.
    """
    told = Telling(known=known, viewer=viewer, now=now, summary_of=summary_of, at=at)
    sentence, sign, fix = verdict(told)
    return Trace(
        turn_id=told.turn.id,
        verdict=mask(sentence),
        sign=sign,
        fix=mask(fix),
        passages=tuple(
            Passage(
                part=one.part,
                sign=one.sign,
                text=mask(one.text),
                details=tuple(map(mask, one.details)),
            )
            for one in passages(told)
        ),
    )

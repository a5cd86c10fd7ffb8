"""``/queue``: what a message does to the turn that runs, and how long a text waits for more."""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from bot.commands.queue_words import SENTENCES, QueueSentences
from bot.commands.say import said
from bot.contracts.command import Command, CommandAnswer, CommandContext, Inlined
from bot.contracts.turn import QueueMode, Rank, SessionChange, SessionChoices
from bot.reply.notices import Language, language_of

_DEFAULT: Final = frozenset({"default", "reset", "clear"})
_NAMED: Final = re.compile(r"(?P<name>debounce|cap|drop)[:=](?P<value>\S+)", re.IGNORECASE)
_TIME: Final = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,3})?)(?P<unit>ms|s|m)?", re.IGNORECASE)
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, None: 0.001}
"""A bare number is in milliseconds, as in other assistants."""

_LONGEST_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Refused(Exception):
    """A word cannot be taken; the sentence says why."""

    sentence: str


async def _queue(context: CommandContext, rest: str) -> CommandAnswer:
    """Show it, or choose it."""
    words = SENTENCES[language_of(context.inbound.text)]
    if not rest:
        return CommandAnswer(replies=(said(*_state(context, context.choices, words)),))
    if rest.casefold() in _DEFAULT:
        change = SessionChange(dropped=("queue_mode", "debounce_seconds"))
        now = context.choices.without(change.dropped)
        return CommandAnswer(
            replies=(said(words.cleared, *_state(context, now, words)),), change=change
        )
    try:
        change = SessionChange(chosen=_chosen(rest, words))
    except _Refused as refused:
        return CommandAnswer(replies=(said(refused.sentence),))
    now = change.of(context.choices)
    return CommandAnswer(replies=(said(words.now, *_state(context, now, words)),), change=change)


def _state(context: CommandContext, choices: SessionChoices, words: QueueSentences) -> list[str]:
    rule = context.about.queue(context.inbound.channel)
    mode = choices.queue_mode or rule.mode
    quiet = choices.debounce_seconds
    return [
        words.state(mode, words.modes[mode], choices.queue_mode is not None),
        words.waits(rule.debounce_seconds if quiet is None else quiet),
    ]


def _chosen(rest: str, words: QueueSentences) -> SessionChoices:
    """Read the words of a choice, in any order.

    Raises:
        _Refused: one of them is none; nothing is chosen.
    """
    chosen = SessionChoices()
    for word in rest.split():
        chosen = chosen.under(_one(word, words))
    return chosen


def _one(word: str, words: QueueSentences) -> SessionChoices:
    if (mode := _mode_of(word)) is not None:
        return SessionChoices(queue_mode=mode)
    named = _NAMED.fullmatch(word)
    if named is None:
        raise _Refused(sentence=words.not_understood(word))
    name = named["name"].casefold()
    if name != "debounce":
        raise _Refused(sentence=words.not_here(name))
    seconds = _seconds_of(named["value"])
    if seconds is None:
        raise _Refused(sentence=words.not_understood(word))
    return SessionChoices(debounce_seconds=seconds)


def _seconds_of(value: str) -> float | None:
    time = _TIME.fullmatch(value)
    if time is None:
        return None
    unit = time["unit"].casefold() if time["unit"] else None
    seconds = float(time["number"]) * _SECONDS[unit]
    return seconds if seconds <= _LONGEST_SECONDS else None


def _mode_of(word: str) -> QueueMode | None:
    wanted = word.casefold().rstrip(":")
    return QueueMode(wanted) if wanted in set(QueueMode) else None


def _inline(_context: CommandContext, rest: str) -> Inlined | None:
    """Read what is chosen before a message: it holds for this message alone."""
    chosen, message = SessionChoices(), rest
    while word := message.partition(" ")[0]:
        if _mode_of(word) is None and not _NAMED.fullmatch(word):
            break
        with suppress(_Refused):  # said when it is carried out, if no message follows
            chosen = chosen.under(_one(word, SENTENCES[Language.EN]))
        message = message.removeprefix(word).strip()
    return None if message == rest else Inlined(chosen=chosen, rest=message)


queue: Final = Command(
    name="queue",
    aliases=("队列",),
    summary="what a message does while I work",
    arguments="[steer] [followup] [collect] [interrupt] [debounce:2s] [default]",
    least_rank=Rank.MEMBER,
    run=_queue,
    inline=_inline,
)

"""Every notice the bot gives by itself, in the language of who it is for.

The sentences stand in one file a language: `english`, `chinese`.
"""

import re
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from bot.contracts.document import Document, Paragraph, Span, Style
from bot.contracts.reply import ReplyKind, ReplyPayload
from bot.reply.chinese import CHINESE
from bot.reply.english import ENGLISH
from bot.reply.sentences import Cap, Sentences


class Language(StrEnum):
    """A language the bot can speak by itself."""

    EN = "en"
    ZH = "zh"


_SENTENCES: Final[dict[Language, Sentences]] = {
    Language.EN: ENGLISH,
    Language.ZH: CHINESE,
}

_LONGEST_REASON: Final = 500
"""Characters. A reason is one sentence; what is longer is somebody's output."""

_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA: Final = re.compile("[\u3041-\u30ff]")
_WORD: Final = re.compile(r"[^\W\d_\u3040-\u9fff\uf900-\ufaff]+")


def language_of(text: str) -> Language:
    """Say which language to answer *text* in (pure).

    Chinese, if it has at least as many Han characters as words in letters and
    no kana, which would make it Japanese; everything else is answered in English.
    """
    han = len(_HAN.findall(text))
    if han and not _KANA.search(text) and han >= len(_WORD.findall(text)):
        return Language.ZH
    return Language.EN


def interrupted(language: Language) -> ReplyPayload:
    """The turn was stopped, as somebody asked."""
    return _notice(_SENTENCES[language].interrupted)


def failed(reason: str, language: Language) -> ReplyPayload:
    """The turn ended without an answer; *reason* is one sentence or part of one."""
    return _notice(_SENTENCES[language].failed(_clause(reason)))


def no_answer(language: Language) -> ReplyPayload:
    """The model said nothing where something must be said."""
    return _notice(_SENTENCES[language].no_answer)


def unfinished(language: Language) -> ReplyPayload:
    """The model stopped before it was done, and tools may have changed something."""
    return _notice(_SENTENCES[language].unfinished)


def three_crashes(language: Language) -> ReplyPayload:
    """The message brought the bot down three times and is not tried again."""
    return _notice(_SENTENCES[language].three_crashes)


def budget(cap: Cap, limit: int, language: Language) -> ReplyPayload:
    """The turn used up what it may."""
    return _notice(_SENTENCES[language].budget(cap, limit))


def unknown_effect(what: str, at: datetime, language: Language) -> ReplyPayload:
    """A call was begun at *at* (aware) and nobody knows how it ended; *what* is its summary."""
    summary = " ".join(what.split())[:_LONGEST_REASON]
    return _notice(_SENTENCES[language].unknown_effect(summary, at), code=summary)


def queue_full(waiting: int, language: Language) -> ReplyPayload:
    """So many messages wait already that this one was not taken."""
    return _notice(_SENTENCES[language].queue_full(waiting))


def nothing_to_stop(language: Language) -> ReplyPayload:
    """Somebody asked to stop, and nothing runs."""
    return _notice(_SENTENCES[language].nothing_to_stop)


def not_started(language: Language) -> ReplyPayload:
    """The message was stopped before its turn came."""
    return _notice(_SENTENCES[language].not_started)


def too_old(late: timedelta, language: Language) -> ReplyPayload:
    """The message was found so late that answering would surprise."""
    return _notice(_SENTENCES[language].too_old(late))


def was_offline(away: timedelta, language: Language) -> ReplyPayload:
    """The line that opens a late answer."""
    return _notice(_SENTENCES[language].was_offline(away))


def not_delivered(reason: str, language: Language) -> ReplyPayload:
    """An answer was made and could not be brought; *reason* is one sentence or part of one."""
    return _notice(_SENTENCES[language].not_delivered(_clause(reason)))


def stranger(language: Language) -> ReplyPayload:
    """Somebody wrote who may not talk to the bot."""
    return _notice(_SENTENCES[language].stranger)


def _notice(sentence: str, *, code: str = "") -> ReplyPayload:
    """A sentence as it is, never read as Markdown; *code* in it looks like code."""
    before, found, after = sentence.partition(code) if code else (sentence, "", "")
    spans = (
        Span(text=before),
        Span(text=found, styles=frozenset({Style.CODE})),
        Span(text=after),
    )
    body = Document(blocks=(Paragraph(spans=tuple(span for span in spans if span.text)),))
    return ReplyPayload(kind=ReplyKind.NOTICE, body=body, fallback=sentence)


def _clause(reason: str) -> str:
    """A reason as part of a sentence: one line, short, without its full stop."""
    line = " ".join(reason.split())
    if len(line) > _LONGEST_REASON:
        line = f"{line[:_LONGEST_REASON]}…"
    return line.rstrip(".。") or "…"

"""Every notice the bot gives by itself, in the language of who it is for.

The sentences stand in one file a language: `english`, `chinese`.
"""

import re
from enum import StrEnum
from functools import cache
from typing import Final

from bot.contracts.budget import LimitMet
from bot.contracts.document import Document, Paragraph, Span
from bot.contracts.reply import ReplyKind, ReplyPayload
from bot.contracts.turn import Failure, Rank
from bot.reply.chinese import CHINESE
from bot.reply.english import ENGLISH
from bot.reply.sentences import Sentences


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

_HAN: Final = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_KANA: Final = "[\u3041-\u30ff]"
_WORD: Final = r"[^\W\d_\u3040-\u9fff\uf900-\ufaff]+"


def language_of(text: str) -> Language:
    """Say which language to answer *text* in (pure).

    Chinese, if it has at least as many Han characters as words in letters and
    no kana, which would make it Japanese; everything else is answered in English.
    """
    if text.isascii():
        return Language.EN
    han = len(_compiled(_HAN).findall(text))
    if han and not _compiled(_KANA).search(text) and han >= len(_compiled(_WORD).findall(text)):
        return Language.ZH
    return Language.EN


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile it for the first text that needs it: classes as wide as these take 10 ms."""
    return re.compile(pattern)


def interrupted(language: Language) -> ReplyPayload:
    """The turn was stopped, as somebody asked."""
    return _notice(_SENTENCES[language].interrupted)


def failed(reason: str, language: Language, failure: Failure | None = None) -> ReplyPayload:
    """The turn ended without an answer: a sentence of our own, else one with *reason* in it."""
    sentences = _SENTENCES[language]
    own = sentences.failures.get(failure) if failure else None
    return _notice(own or sentences.failed(_clause(reason)))


def spent(met: LimitMet, language: Language) -> ReplyPayload:
    """The turn ended because its next model call would go beyond a limit."""
    return _notice(_SENTENCES[language].spent(met))


def nearly_spent(met: LimitMet, language: Language, person: str | None = None) -> ReplyPayload:
    """A limit is near its end; with *person*, told to the owner of somebody else."""
    sentences = _SENTENCES[language]
    if person is None:
        return _notice(sentences.nearly_spent(met))
    return _notice(sentences.nearly_spent_by(met, person))


def no_answer(language: Language) -> ReplyPayload:
    """The model said nothing where something must be said."""
    return _notice(_SENTENCES[language].no_answer)


def queue_full(waiting: int, language: Language) -> ReplyPayload:
    """So many messages wait already that this one was not taken."""
    return _notice(_SENTENCES[language].queue_full(waiting))


def nothing_to_stop(language: Language) -> ReplyPayload:
    """Somebody asked to stop, and nothing runs."""
    return _notice(_SENTENCES[language].nothing_to_stop)


def not_yours_to_stop(language: Language) -> ReplyPayload:
    """Somebody asked to stop, and all that runs and waits is others'."""
    return _notice(_SENTENCES[language].not_yours_to_stop)


def cancelled(waiting: int, language: Language, *, running: int) -> ReplyPayload:
    """A stop ended so many messages that waited, and so many turns that ran."""
    return _notice(_SENTENCES[language].cancelled(waiting, running))


def displaced(language: Language) -> ReplyPayload:
    """The message gave way to a newer one, because too many waited."""
    return _notice(_SENTENCES[language].displaced)


def not_started(language: Language) -> ReplyPayload:
    """The message was stopped before its turn came."""
    return _notice(_SENTENCES[language].not_started)


def not_delivered(reason: str, language: Language) -> ReplyPayload:
    """An answer was made and could not be brought; *reason* is one sentence or part of one."""
    return _notice(_SENTENCES[language].not_delivered(_clause(reason)))


def not_paired(code: str, command: str, language: Language) -> ReplyPayload:
    """A stranger wrote: *code* lets them in, and *command* is what the operator types."""
    return _notice(_SENTENCES[language].not_paired(code, command))


def owner_made(language: Language) -> ReplyPayload:
    """Somebody told the code that makes them owner."""
    return _notice(_SENTENCES[language].owner_made)


def wrong_code(language: Language) -> ReplyPayload:
    """Somebody told a code that is not the one."""
    return _notice(_SENTENCES[language].wrong_code)


def too_long(most: int, language: Language) -> ReplyPayload:
    """A message has more than *most* characters."""
    return _notice(_SENTENCES[language].too_long(most))


def too_fast(language: Language) -> ReplyPayload:
    """Somebody writes faster than it is read."""
    return _notice(_SENTENCES[language].too_fast)


def kept_back(reason: str, where: str, setting: str, language: Language) -> ReplyPayload | None:
    """A rule kept a message of the owner back; None for a rule that says so itself."""
    sentence = _SENTENCES[language].gates.get(reason)
    return None if sentence is None else _notice(sentence(where, setting))


def anew(days: int, language: Language) -> ReplyPayload:
    """Nobody said anything for so many days that the conversation begins anew."""
    return _notice(_SENTENCES[language].anew(days))


def not_permitted(what: str, least: Rank, language: Language) -> ReplyPayload:
    """Only somebody of a higher rank may ask for *what*."""
    return _notice(_SENTENCES[language].not_permitted(what, least))


def command_failed(reason: str, language: Language) -> ReplyPayload:
    """A command could not do what it is for; *reason* is one sentence or part of one."""
    return _notice(_SENTENCES[language].command_failed(_clause(reason)))


def command_broke(language: Language) -> ReplyPayload:
    """A command failed by a fault of ours."""
    return _notice(_SENTENCES[language].command_broke)


def question_expired(code: str, language: Language) -> ReplyPayload:
    """Nobody decided about a question in time, which is a no."""
    return _notice(_SENTENCES[language].question.expired(code))


def sentences_of(language: Language) -> Sentences:
    """Return all the bot can say in *language* (pure)."""
    return _SENTENCES[language]


def _notice(sentence: str) -> ReplyPayload:
    """A sentence as it is, never read as Markdown."""
    body = Document(blocks=(Paragraph(spans=(Span(text=sentence),)),))
    return ReplyPayload(kind=ReplyKind.NOTICE, body=body, fallback=sentence)


def _clause(reason: str) -> str:
    """A reason as part of a sentence: one line, short, without its full stop."""
    line = " ".join(reason.split())
    if len(line) > _LONGEST_REASON:
        line = f"{line[:_LONGEST_REASON]}…"
    return line.rstrip(".。") or "…"

"""Outcome -> payloads: what people are sent when a turn has ended."""

from collections.abc import Callable, Sequence
from typing import Final, assert_never

import structlog

from bot.contracts.document import CodeBlock, Document, Paragraph, Span, Style
from bot.contracts.reply import ReplyKind, ReplyPayload
from bot.contracts.turn import Outcome, OutcomeKind
from bot.markup.cut import cut
from bot.markup.parse import parse
from bot.markup.plain import plain
from bot.reply import notices
from bot.reply.directives import read_directives
from bot.reply.notices import Language
from bot.reply.silence import Silence, silence

_log = structlog.get_logger(__name__)

Fits = Callable[[Document], bool]

_PLAIN_PIECE: Final = 1_800
"""Characters that every platform takes even unmeasured. Discord's 2,000 is the smallest limit
(https://discord.com/developers/docs/resources/message#create-message)."""

_BUGS: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a broken dialect may raise. A layout is not worth an answer."""


def compose(
    outcome: Outcome, *, direct: bool, language: Language, fits: Fits
) -> tuple[ReplyPayload, ...]:
    """Make what tells *outcome* to who asked, in parts that *fits* accepts.

    Never raises, and is empty only for a silence that the model chose in a room, and
    where questions tell it.
    """
    steps = _steps(outcome.steps, fits) if outcome.steps else ()
    return (*steps, *_told(outcome, direct=direct, language=language, fits=fits))


def _steps(steps: Sequence[str], fits: Fits) -> tuple[ReplyPayload, ...]:
    """What was done on the way, exactly as it was: never read as Markdown."""
    whole = Document(blocks=(CodeBlock(code="\n".join(steps)),))
    return tuple(
        ReplyPayload(kind=ReplyKind.NOTICE, body=piece, fallback=plain(piece))
        for piece in cut(whole, fits)
    )


def _told(
    outcome: Outcome, *, direct: bool, language: Language, fits: Fits
) -> tuple[ReplyPayload, ...]:
    match outcome.kind:
        case OutcomeKind.ASKED:
            return ()  # its questions tell it
        case OutcomeKind.ANSWERED:
            return _answer(outcome.text, direct=direct, language=language, fits=fits)
        case OutcomeKind.SILENT:
            return (notices.no_answer(language),) if direct else ()
        case OutcomeKind.INTERRUPTED:
            return _interrupted(outcome.text, language=language, fits=fits)
        case OutcomeKind.FAILED if outcome.ended_by is not None:
            return (notices.spent(outcome.ended_by, language),)
        case OutcomeKind.FAILED:
            return (notices.failed(outcome.reason, language, outcome.failure),)
        case _:
            assert_never(outcome.kind)


def _answer(text: str, *, direct: bool, language: Language, fits: Fits) -> tuple[ReplyPayload, ...]:
    words, found = read_directives(text)
    match silence(words, found, direct=direct):
        case Silence.CHOSEN:
            return ()
        case Silence.FAULT:
            return (notices.no_answer(language),)
        case Silence.BROKEN:
            payloads = [_payload(piece) for piece in _pieces(words, fits)]
            shown = tuple(payload for payload in payloads if payload.fallback.strip())
            return shown or (notices.no_answer(language),)


def _interrupted(text: str, *, language: Language, fits: Fits) -> tuple[ReplyPayload, ...]:
    """What people had seen stays as they saw it, and below it stands that it was stopped."""
    notice = notices.interrupted(language)
    if not text.strip():
        return (notice,)
    *earlier, last = _pieces(text, fits)
    mark = Paragraph(spans=(Span(text=notice.fallback, styles=frozenset({Style.ITALIC})),))
    marked = Document(blocks=(*last.blocks, mark))
    if fits(marked):
        return tuple(_payload(piece) for piece in (*earlier, marked))
    return (*(_payload(piece) for piece in (*earlier, last)), notice)


def _pieces(words: str, fits: Fits) -> Sequence[Document]:
    """The words as documents that fit; as plain text where measuring them breaks."""
    try:
        return cut(parse(words), fits)
    except _BUGS:
        _log.exception("an answer was not laid out and goes as plain text")
        whole = Document(blocks=(Paragraph(spans=(Span(text=words.strip()),)),))
        return cut(whole, fits_anywhere)


def fits_anywhere(piece: Document) -> bool:
    """Whether every platform takes *piece* as plain text, however it counts (pure)."""
    return len(plain(piece)) <= _PLAIN_PIECE


def _payload(piece: Document) -> ReplyPayload:
    return ReplyPayload(kind=ReplyKind.ANSWER, body=piece, fallback=plain(piece))

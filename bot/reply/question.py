"""The question whether a call may be carried out: exactly what, in full, with its choices."""

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bot.contracts.approval import Question
from bot.contracts.decision import Decision
from bot.contracts.document import Block, CodeBlock, Document, Paragraph, Span, Style
from bot.contracts.reply import Choice, ReplyKind, ReplyPayload
from bot.markup.plain import plain
from bot.reply.notices import Language, sentences_of
from bot.reply.sentences import QuestionSentences

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of characters that do not show, or turn what is around them."""
_SHOWN_AS_IS: Final = frozenset("\n\t")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One argument of a call; without a name it is all of them, as they were written."""

    name: str
    text: str


def question(asked: Question, language: Language) -> ReplyPayload:
    """Put *asked* to a person (pure). Nothing of its call is left out or shortened."""
    words = sentences_of(language).question
    minutes = max(round((asked.expires_at - asked.asked_at).total_seconds() / 60), 1)
    who = f"{asked.asker_name} ({asked.asker})" if asked.asker_name else asked.asker
    parts = list(parts_of(asked.call.arguments))
    blocks: list[Block] = [
        Paragraph(spans=(_bold(words.may_i), Span(text=" "), _code(asked.tool))),
        *_shown(parts),
        *([_text(words.hidden)] if any(_escaped(part.text) != part.text for part in parts) else []),
        _text(words.because(asked.why)),
        _text(words.open_for(who, minutes, f"{asked.expires_at:%H:%M %Z}")),
        _commands(asked.code, words),
    ]
    body = Document(blocks=tuple(blocks))
    return ReplyPayload(
        kind=ReplyKind.NOTICE,
        body=body,
        fallback=plain(body),
        choices=tuple(
            Choice(label=words.choices[one], value=command(asked.code, one)) for one in Decision
        ),
        question=asked.code,
    )


def command(code: str, decision: Decision) -> str:
    """Return what somebody writes to decide so (pure)."""
    return f"/approve {code} {decision}"


def parts_of(arguments: str) -> Iterator[Part]:
    """Give the arguments of a call as what they mean; what means two things, as written (pure)."""
    try:
        pairs = json.loads(arguments or "{}", object_pairs_hook=_Pairs)
    except ValueError:
        pairs = None
    if not isinstance(pairs, _Pairs) or _is_ambiguous(pairs):
        yield Part(name="", text=arguments)
        return
    for name, value in pairs:
        yield Part(name=name, text=value if isinstance(value, str) else _json(value))


class _Pairs(list[tuple[str, object]]):
    """A JSON object with its names in order, also those that come twice."""


def _is_ambiguous(value: object) -> bool:
    if isinstance(value, _Pairs):
        names = [name for name, _ in value]
        return len(set(names)) < len(names) or any(_is_ambiguous(one) for _, one in value)
    return isinstance(value, list) and any(map(_is_ambiguous, value))


def _json(value: object) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, indent=1)


def _plain(value: object) -> object:
    if isinstance(value, _Pairs):
        return {name: _plain(one) for name, one in value}
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _shown(parts: list[Part]) -> Iterator[Block]:
    for part in parts:
        if part.name:
            yield Paragraph(spans=(_code(_escaped(part.name)), Span(text=":")))
        yield CodeBlock(code=_escaped(part.text))


def _escaped(text: str) -> str:
    """Show what would not show, or would turn what is around it: ``«U+202E»`` (pure)."""
    return "".join(
        f"«U+{ord(one):04X}»"
        if one not in _SHOWN_AS_IS and unicodedata.category(one) in _HIDDEN
        else one
        for one in text
    )


def _commands(code: str, words: QuestionSentences) -> Paragraph:
    spans: list[Span] = [Span(text=words.or_write)]
    for number, one in enumerate(Decision):
        spans += [Span(text=" · " if number else " "), _code(command(code, one))]
    return Paragraph(spans=tuple(spans))


def _text(words: str) -> Paragraph:
    return Paragraph(spans=(Span(text=words),))


def _bold(words: str) -> Span:
    return Span(text=words, styles=frozenset({Style.BOLD}))


def _code(words: str) -> Span:
    return Span(text=words, styles=frozenset({Style.CODE}))

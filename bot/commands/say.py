"""How commands speak: in the language they were given in, as notices, never read as Markdown."""

from collections.abc import Iterable, Sequence
from typing import Final

from bot.commands.chinese import CHINESE
from bot.commands.english import ENGLISH
from bot.commands.sentences import CommandSentences
from bot.contracts.command import Command, CommandContext
from bot.contracts.document import Block, Document, ListBlock, ListItem, Paragraph, Span, Style
from bot.contracts.reply import ReplyKind, ReplyPayload
from bot.markup.plain import plain
from bot.reply.notices import Language, language_of

_SENTENCES: Final = {Language.EN: ENGLISH, Language.ZH: CHINESE}


def sentences(context: CommandContext) -> CommandSentences:
    """Return the sentences of the language in which the command was given (pure)."""
    return _SENTENCES[language_of(context.inbound.text)]


def said(*blocks: Block | str) -> ReplyPayload:
    """Make a notice of *blocks*; a string is a paragraph (pure)."""
    body = Document(blocks=tuple(text(one) if isinstance(one, str) else one for one in blocks))
    return ReplyPayload(kind=ReplyKind.NOTICE, body=body, fallback=plain(body))


def text(words: str) -> Paragraph:
    """Make a paragraph of *words* as they are (pure)."""
    return Paragraph(spans=(Span(text=words),))


def points(rows: Iterable[Sequence[Span]]) -> ListBlock:
    """Make a list of *rows* (pure)."""
    return ListBlock(
        items=tuple(ListItem(mark="•", blocks=(Paragraph(spans=tuple(row)),)) for row in rows)
    )


def card(rows: Iterable[tuple[str, str]]) -> ListBlock:
    """Make a list of named values; what has no value is left out (pure)."""
    return points((_bold(f"{name}: "), Span(text=value)) for name, value in rows if value)


def usage(command: Command) -> Span:
    """Show how *command* is written (pure)."""
    return code(f"/{command.name} {command.arguments}".rstrip())


def code(words: str) -> Span:
    """Show *words* as something to be typed (pure)."""
    return Span(text=words, styles=frozenset({Style.CODE}))


def _bold(words: str) -> Span:
    return Span(text=words, styles=frozenset({Style.BOLD}))

"""A line as the page shows it, whether it comes over the socket or is fetched."""

from typing import Final

from bot.contracts.inbound import Attachment
from bot.contracts.ledger import Line
from channels.webchat.protocol import AttachedFile, LineFrame
from channels.webchat.question_frames import OfferedChoice, QuestionCard
from channels.webchat.render import HtmlDialect

_DIALECT: Final = HtmlDialect()


def line_frame(line: Line, question: QuestionCard | None = None) -> LineFrame:
    """Write *line* as a frame (pure); *question* says how it stands, if it is one."""
    payload = line.payload
    if payload and payload.question and question is None:
        question = QuestionCard(code=payload.question)
    offered = payload.choices if payload else ()
    return LineFrame(
        seq=line.seq,
        direction=line.direction.value,
        turn=line.turn_id,
        at=line.at.isoformat(),
        text=line.text,
        html=_DIALECT.render(payload.body) if payload else None,
        kind=payload.kind.value if payload else None,
        source=line.source,
        replaces=line.edited_source,
        attachments=tuple(map(attached_file, line.attachments)) or None,
        steps=line.tool_calls or None,
        choices=tuple(OfferedChoice(label=one.label, value=one.value) for one in offered) or None,
        question=question,
    )


def attached_file(attachment: Attachment) -> AttachedFile:
    """Write what a page may know of a file (pure)."""
    return AttachedFile(
        id=attachment.id,
        name=attachment.name,
        media_type=attachment.media_type,
        size=attachment.size,
    )

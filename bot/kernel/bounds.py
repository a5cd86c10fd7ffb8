"""How much of an event is taken in at all; what is longer is cut before anything reads it."""

from dataclasses import replace
from typing import Final

from bot.contracts.inbound import Inbound

LONGEST_TEXT: Final = 200_000
"""Characters of one message, as on the page: far beyond what platforms let people type."""
_LONGEST_NAME: Final = 200
_MOST_ROLES: Final = 500
_MOST_FILES: Final = 50
_KEPT_OF_TOO_LONG: Final = 200
"""Characters that are kept of a message that is too long, so that one knows which it was."""


def is_too_long(inbound: Inbound) -> bool:
    """Whether its text is longer than is taken (pure)."""
    return len(inbound.text) > LONGEST_TEXT


def bounded(inbound: Inbound) -> Inbound:
    """Return *inbound* with names and lists that end somewhere (pure)."""
    sender, conversation = inbound.sender, inbound.conversation
    if len(sender.display_name) > _LONGEST_NAME or len(sender.role_ids) > _MOST_ROLES:
        sender = replace(
            sender,
            display_name=sender.display_name[:_LONGEST_NAME],
            role_ids=sender.role_ids[:_MOST_ROLES],
        )
    if conversation.title and len(conversation.title) > _LONGEST_NAME:
        conversation = replace(conversation, title=conversation.title[:_LONGEST_NAME])
    is_same = sender is inbound.sender and conversation is inbound.conversation
    if is_same and len(inbound.attachments) <= _MOST_FILES:
        return inbound
    return replace(
        inbound,
        sender=sender,
        conversation=conversation,
        attachments=inbound.attachments[:_MOST_FILES],
    )


def beginning(inbound: Inbound) -> Inbound:
    """Return a message that is too long as it is kept (pure)."""
    return replace(inbound, text=inbound.text[:_KEPT_OF_TOO_LONG], attachments=())


def without_words(inbound: Inbound) -> Inbound:
    """Return an event of somebody who may not speak as it is kept: that it was, not what (pure)."""
    return replace(inbound, text="", attachments=())

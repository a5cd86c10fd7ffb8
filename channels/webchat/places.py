"""Which conversations there are here, and what each is called in an address."""

import re
from dataclasses import replace
from typing import Final

from bot.contracts.inbound import ConversationKey

CHANNEL_NAME: Final = "webchat"
ACCOUNT: Final = "default"

PAGE: Final = ConversationKey(channel=CHANNEL_NAME, account=ACCOUNT, conversation_id="main")
"""The page's first conversation; its further ones are threads of it."""

TERMINAL: Final = ConversationKey(channel=CHANNEL_NAME, account=ACCOUNT, conversation_id="terminal")

UUID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_THREAD: Final = re.compile(UUID)


def page_conversation(name: str) -> ConversationKey | None:
    """Return the conversation of the page that *name* stands for, or None (pure).

    ``main`` is the first; every other has a UUID in lower case, which the page
    makes when somebody begins it. It exists from its first message on.
    """
    if name == PAGE.conversation_id:
        return PAGE
    return thread_of(name) if _THREAD.fullmatch(name) else None


def thread_of(thread_id: str) -> ConversationKey:
    """Return the page's further conversation of that UUID (pure)."""
    return replace(PAGE, thread_id=thread_id)


def name_of(conversation: ConversationKey) -> str:
    """Return what *conversation* is called in an address (pure)."""
    return conversation.thread_id or conversation.conversation_id

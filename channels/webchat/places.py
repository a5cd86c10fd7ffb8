"""Which conversations there are here, and what each is called in an address."""

import re
from dataclasses import replace
from typing import Final

from bot.contracts.inbound import ConversationKey

CHANNEL_NAME: Final = "webchat"
ACCOUNT: Final = "default"

OWNER_ID: Final = "owner"
"""The sender id of whoever holds an owner's login, and of the user the bot runs under."""

FIRST: Final = "main"
"""What a person's first conversation is called in an address."""

PAGE: Final = ConversationKey(channel=CHANNEL_NAME, account=ACCOUNT, conversation_id=FIRST)
"""The owner's first conversation; the further ones are threads of it."""

TERMINAL: Final = ConversationKey(channel=CHANNEL_NAME, account=ACCOUNT, conversation_id="terminal")

UUID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_THREAD: Final = re.compile(UUID)


def place_of(person_id: str) -> ConversationKey:
    """Return the first conversation of a person; their further ones are threads of it (pure).

    Whatever somebody names, it is looked for in their own place: that is what
    keeps people apart here.
    """
    return PAGE if person_id == OWNER_ID else replace(PAGE, conversation_id=person_id)


def conversation_in(place: ConversationKey, name: str) -> ConversationKey | None:
    """Return the conversation of *place* that *name* stands for, or None (pure).

    ``main`` is the first; every other has a UUID in lower case, which the page
    makes when somebody begins it. It exists from its first message on.
    """
    if name == FIRST:
        return place
    return thread_of(name, place) if _THREAD.fullmatch(name) else None


def thread_of(thread_id: str, place: ConversationKey = PAGE) -> ConversationKey:
    """Return the further conversation of *place* that has that UUID (pure)."""
    return replace(place, thread_id=thread_id)


def name_of(conversation: ConversationKey) -> str:
    """Return what *conversation* is called in an address (pure)."""
    if conversation == TERMINAL:
        return TERMINAL.conversation_id
    return conversation.thread_id or FIRST

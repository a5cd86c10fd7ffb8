"""From one of the square's events to an inbound: facts only, nothing decided."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.contracts.inbound import (
    Attachment,
    Conversation,
    ConversationKind,
    EventClass,
    Inbound,
    Lifecycle,
    Sender,
    Source,
)
from bot.contracts.text import clean

ACCOUNT = "default"
_EVENTS = {
    "message": EventClass.MESSAGE,
    "edit": EventClass.EDIT,
    "delete": EventClass.DELETION,
    "reaction": EventClass.REACTION,
    "button": EventClass.INTERACTION,
    "command": EventClass.COMMAND,
    "joined": EventClass.LIFECYCLE,
    "left": EventClass.LIFECYCLE,
    "moved": EventClass.LIFECYCLE,
    "thread_deleted": EventClass.LIFECYCLE,
}
_LIFECYCLES = {
    "joined": Lifecycle.JOINED,
    "left": Lifecycle.LEFT,
    "moved": Lifecycle.MOVED,
    "thread_deleted": Lifecycle.DELETED,
}


def ingest(native: Mapping[str, Any], me: str) -> Inbound | None:
    """State what happened, or nothing for an event that cannot be told from others (pure).

    Ids come as JSON numbers of up to 64 bits, negative for rooms, and stay exactly those digits.
    A message is known by its own id, so that a second event of the same message is the same; an
    edit by message and version; everything else by the event's id.
    """
    kind, message = native.get("kind"), native.get("message") or {}
    source = _source(native, message)
    if source is None or kind not in _EVENTS or "person" not in native:
        return None
    where: Mapping[str, Any] = native["conversation"]
    reply_to: Mapping[str, Any] = message.get("reply_to") or {}
    inbound = Inbound(
        source=source,
        event=_EVENTS[kind],
        channel="square",
        account=ACCOUNT,
        conversation=Conversation(
            kind=ConversationKind(where["kind"]),
            id=str(where["id"]),
            thread_id=_id(where.get("thread")),
            space_id=_id(where.get("space")),
            title=clean(where["title"]) if where.get("title") else None,
        ),
        sender=_sender(native["person"], me),
        text=clean(_words(native, message, me)),
        sent_at=datetime.fromisoformat(native["at"]),
        native_id=str(message.get("id") or native.get("id")),
        reply_to=_id(reply_to.get("id")),
        replies_to_me=str(reply_to.get("author")) == me,
        mentions_me=kind == "command" or me in map(str, message.get("mentions", ())),
        album_id=message.get("album"),
        attachments=tuple(map(_attachment, message.get("files", ()))),
        lifecycle=_LIFECYCLES.get(kind),
        former_id=_id(native.get("former_id")),
    )
    return _about_another(inbound, kind, str(message.get("id")))


def _about_another(inbound: Inbound, kind: str, message_id: str) -> Inbound:
    """Name the message that an edit, a deletion, a reaction or a button belongs to."""
    match kind:
        case "edit" | "delete":
            return replace(inbound, edited_source=Source(f"m:{message_id}"))
        case "reaction" | "button":
            return replace(inbound, reply_to=message_id)
        case _:
            return inbound


def _source(native: Mapping[str, Any], message: Mapping[str, Any]) -> Source | None:
    match native.get("kind"), message.get("id"), native.get("id"):
        case "message", int(number), _:
            return Source(f"m:{number}")
        case "edit", int(number), _ if "version" in message:
            return Source(f"e:{number}:{message['version']}")
        case "message" | "edit", _, _:
            return None
        case _, _, str(event_id) if event_id:
            return Source(f"v:{event_id}")
        case _:
            return None


def _sender(person: Mapping[str, Any], me: str) -> Sender:
    return Sender(
        id=str(person["id"]),
        display_name=clean(person.get("name", "")),
        is_bot=bool(person.get("bot")),
        is_me=str(person["id"]) == me,
        role_ids=tuple(map(str, person.get("roles", ()))),
    )


def _words(native: Mapping[str, Any], message: Mapping[str, Any], me: str) -> str:
    match native["kind"]:
        case "button":
            return str(native["value"])
        case "command":
            return f"/{native['name']} {native.get('rest', '')}".strip()
        case "reaction":
            return str(native["emoji"])
        case _:
            return str(message.get("text", "")).replace(f"<@{me}>", "").strip()


def _attachment(file: Mapping[str, Any]) -> Attachment:
    return Attachment(
        id=str(file["id"]), name=file["name"], media_type=file["type"], size=file["size"]
    )


def _id(number: object) -> str | None:
    return None if number is None else str(number)

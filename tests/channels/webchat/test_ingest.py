"""Frames as facts."""

from dataclasses import replace

from bot.contracts.inbound import ConversationKind, EventClass, Inbound
from channels.webchat.auth import OWNER
from channels.webchat.ingest import ingest
from channels.webchat.places import PAGE
from channels.webchat.protocol import SayFrame, StopFrame
from tests.channels.ingest_contract import IngestContract
from tests.doubles.fake_gateway import NOW

_ID = "0d9c1a52-6f4e-4b0e-9a53-0c3f5b0f7a11"
_OTHER = "7be2ae30-9a7e-4c0a-8d27-2f4f1d0f5a90"
THREAD = replace(PAGE, thread_id=_OTHER)


class TestIngest(IngestContract):
    def once(self) -> Inbound:
        return ingest(SayFrame(id=_ID, text="hello"), PAGE, OWNER.sender, NOW)

    def redelivered(self) -> Inbound:
        return ingest(SayFrame(id=_ID, text="hello"), PAGE, OWNER.sender, NOW.replace(hour=23))

    def another(self) -> Inbound:
        return ingest(SayFrame(id=_OTHER, text="hello"), PAGE, OWNER.sender, NOW)


def test_a_message_comes_from_the_owner_in_a_direct_conversation() -> None:
    inbound = ingest(SayFrame(id=_ID, text="hello"), PAGE, OWNER.sender, NOW)

    assert (inbound.source, inbound.event, inbound.text) == (
        f"c:{_ID}",
        EventClass.MESSAGE,
        "hello",
    )
    assert (inbound.channel, inbound.account, inbound.sender.id) == ("webchat", "default", "owner")
    assert inbound.conversation.kind is ConversationKind.DIRECT


def test_a_stop_is_a_pressed_button_and_no_line() -> None:
    inbound = ingest(StopFrame(id=_ID), PAGE, OWNER.sender, NOW)

    assert (inbound.event, inbound.text) == (EventClass.INTERACTION, "/stop")


def test_a_thread_is_another_conversation_in_the_same_place() -> None:
    inbound = ingest(SayFrame(id=_ID, text="hello"), THREAD, OWNER.sender, NOW)

    assert (inbound.conversation.id, inbound.conversation.thread_id) == ("main", _OTHER)
    assert inbound.conversation_key == THREAD


def test_a_message_said_anew_names_the_one_it_replaces() -> None:
    inbound = ingest(SayFrame(id=_ID, text="hello", replaces=_OTHER), PAGE, OWNER.sender, NOW)

    assert inbound.edited_source == f"c:{_OTHER}"
    assert inbound.event is EventClass.MESSAGE
    assert ingest(SayFrame(id=_ID, text="hello"), PAGE, OWNER.sender, NOW).edited_source is None

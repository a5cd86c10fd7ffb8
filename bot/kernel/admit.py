"""Stage 2: may it start a turn."""

from bot.access.policy import AccessPolicy, RoomRule
from bot.contracts.admission import Admission, Dispatch, Drop, Handled, Observe
from bot.contracts.inbound import ConversationKind, EventClass, Inbound
from bot.contracts.turn import Rank
from bot.kernel.classify import is_stop
from bot.settings.access import DirectPolicy, RoomsPolicy

_COMMANDS = frozenset({EventClass.COMMAND, EventClass.INTERACTION})


def admit(inbound: Inbound, event: EventClass, rank: Rank, policy: AccessPolicy) -> Admission:
    """Decide what becomes of an event, and say why (pure).

    The first rule that applies wins, and the order is the point: who wrote
    matters before what they wrote, and where before what, so that neither a
    stranger nor a room nobody listed reaches anything behind this line. *rank* is
    that of whoever caused the event, and a stranger's is what it is for one who may
    not speak in this place.
    """
    if inbound.sender.is_me:
        return Drop(reason="sender:me")
    if inbound.conversation.kind is ConversationKind.DIRECT:
        return _refused_direct(inbound, rank, policy) or _what(
            inbound, event, Dispatch(reason=_direct_reason(rank, policy))
        )
    rule = policy.rule(inbound.conversation)
    if rule is None:
        is_off = policy.rooms is RoomsPolicy.DISABLED
        return Drop(reason="rooms:disabled" if is_off else "room:not-listed")
    if event is EventClass.LIFECYCLE:  # the platform's own word; whoever caused it may do nothing
        return Handled(reason=f"event:{event}")
    return _refused_in_room(inbound, event, rank, rule) or _what(
        inbound, event, _gate(inbound, rule, policy)
    )


def _refused_direct(inbound: Inbound, rank: Rank, policy: AccessPolicy) -> Drop | None:
    if inbound.sender.is_bot:
        return Drop(reason="sender:bot")
    if policy.direct is DirectPolicy.DISABLED:
        return Drop(reason="direct:disabled")
    if rank is Rank.STRANGER:
        pairs = policy.direct is DirectPolicy.PAIRING
        return Drop(reason="sender:not-paired" if pairs else "sender:not-listed")
    return None


def _direct_reason(rank: Rank, policy: AccessPolicy) -> str:
    is_open = policy.direct is DirectPolicy.OPEN and rank is Rank.GUEST
    return "direct:open" if is_open else "direct:listed"


def _refused_in_room(
    inbound: Inbound, event: EventClass, rank: Rank, rule: RoomRule
) -> Drop | None:
    if inbound.sender.is_bot and (not rule.takes_bots or event in _COMMANDS):
        return Drop(reason="sender:bot")
    return Drop(reason="room:sender-not-listed") if rank is Rank.STRANGER else None


def _gate(inbound: Inbound, rule: RoomRule, policy: AccessPolicy) -> Admission:
    """Whether a message in a listed room is meant for the bot."""
    if inbound.mentions_me:
        return Dispatch(reason="room:mentioned")
    if inbound.replies_to_me:
        return Dispatch(reason="room:replied-to")
    if policy.is_named(inbound.text):
        return Dispatch(reason="room:named")
    if not rule.needs_mention:
        return Dispatch(reason="room:listens-to-all")
    return (Observe if policy.observes else Drop)(reason="room:not-mentioned")


def _what(inbound: Inbound, event: EventClass, message: Admission) -> Admission:
    """Decide by what it is; *message* is what becomes of a message that says something."""
    if event in _COMMANDS:
        return Handled(reason="command:stop" if is_stop(inbound.text) else "command:unknown")
    if event is not EventClass.MESSAGE:
        return Handled(reason=f"event:{event}")
    if not inbound.text.strip() and not inbound.attachments:
        return Drop(reason="message:empty")
    return message

"""Stage 2: may it start a turn."""

from bot.contracts.admission import Admission, Dispatch, Drop, Handled
from bot.contracts.inbound import ConversationKind, EventClass, Inbound
from bot.contracts.turn import Rank
from bot.kernel.classify import is_stop


def admit(inbound: Inbound, event: EventClass, rank: Rank) -> Admission:
    """Decide what becomes of an event, and say why (pure).

    The first rule that applies wins, and the order is the point: who wrote
    matters before what they wrote, and where before what, so that neither a
    stranger nor a room nobody listed reaches anything behind this line.
    """
    if inbound.sender.is_bot:
        return Drop(reason="sender:bot")
    if rank is Rank.STRANGER:
        return Drop(reason="sender:not-listed")
    if inbound.conversation.kind is not ConversationKind.DIRECT:
        return Drop(reason="room:not-listed")
    if event in {EventClass.COMMAND, EventClass.INTERACTION}:
        return Handled(reason="command:stop" if is_stop(inbound.text) else "command:unknown")
    if event is not EventClass.MESSAGE:
        return Handled(reason=f"event:{event}")
    if not inbound.text.strip() and not inbound.attachments:
        return Drop(reason="message:empty")
    return Dispatch(reason="direct:listed")

"""Which session an inbound belongs to; how its key is written is `bot/contracts/session_key`."""

from bot.contracts.inbound import ConversationKind, Inbound
from bot.contracts.route import DirectScope
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.session_key import KeyKind, KeyParts, format_key
from bot.contracts.turn import Rank


def session_key(
    agent_id: AgentId,
    inbound: Inbound,
    rank: Rank,
    *,
    scope: DirectScope = DirectScope.AUTO,
    person: str | None = None,
    room_id: str | None = None,
) -> SessionKey:
    """Build the address of the session an inbound belongs to (pure).

    A room and each of its threads is a session of its own, and so is a thread of a direct
    chat, whatever the *scope*. In any other direct chat the scope decides, and *person* is who
    identity links say the sender is. *room_id* is what the room was first called, if it moved.
    """
    conversation = inbound.conversation
    direct = conversation.kind is ConversationKind.DIRECT
    if direct and conversation.thread_id is None:
        return format_key(_of_a_person(agent_id, inbound, rank, scope, person))
    return format_key(
        KeyParts(
            agent_id=agent_id,
            kind=KeyKind.DIRECT if direct else KeyKind.ROOM,
            id=room_id or conversation.id,
            channel=inbound.channel,
            account=inbound.account,
            thread=conversation.thread_id,
        )
    )


def _of_a_person(
    agent_id: AgentId, inbound: Inbound, rank: Rank, scope: DirectScope, person: str | None
) -> KeyParts:
    if scope is DirectScope.MAIN or (scope is DirectScope.AUTO and rank is Rank.OWNER):
        return KeyParts(agent_id=agent_id, kind=KeyKind.MAIN)
    # Linked under `auto` or `per-peer`: one session on all channels. Nobody else's id means
    # anything on another platform, so without a link these two stay within one.
    everywhere = bool(person) and scope in {DirectScope.AUTO, DirectScope.PER_PEER}
    one_account = scope in {DirectScope.AUTO, DirectScope.PER_ACCOUNT_CHANNEL_PEER}
    return KeyParts(
        agent_id=agent_id,
        kind=KeyKind.PERSON if person else KeyKind.DIRECT,
        id=person or inbound.sender.id or inbound.conversation.id,
        channel=None if everywhere else inbound.channel,
        account=inbound.account if one_account and not everywhere else None,
    )

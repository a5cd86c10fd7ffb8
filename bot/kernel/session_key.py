"""The shapes of a session key. Ids are percent-encoded: no two conversations can share one."""

from urllib.parse import quote

from bot.contracts.inbound import ConversationKind, Inbound
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.turn import Rank


def session_key(agent_id: AgentId, inbound: Inbound, rank: Rank) -> SessionKey:
    """Build the address of the session an inbound belongs to (pure).

    All direct chats of the owner are one session; everybody else's are kept
    apart by account, channel and person. A thread is a session of its own.
    """
    conversation = inbound.conversation
    direct = conversation.kind is ConversationKind.DIRECT
    if rank is Rank.OWNER and direct and conversation.thread_id is None:
        return SessionKey(f"agent:{_id(agent_id)}:main")
    key = ":".join(
        (
            "agent",
            _id(agent_id),
            _id(inbound.channel),
            _id(inbound.account),
            conversation.kind,
            _id(conversation.id),
        )
    )
    if conversation.thread_id is not None:
        key += f":thread:{_id(conversation.thread_id)}"
    return SessionKey(key)


def _id(text: str) -> str:
    return quote(text, safe="")

"""How a turn ended, as a screen is told it."""

from dataclasses import asdict

from bot.contracts.channel import Gateway
from bot.contracts.inbound import ConversationKey
from bot.contracts.ledger import TurnRecord
from bot.contracts.turn import Outcome, OutcomeKind, TurnId
from channels.webchat.protocol import EndedFrame, TokensSpent


async def ended_frame(
    gateway: Gateway, conversation: ConversationKey, record: TurnRecord, outcome: Outcome
) -> EndedFrame:
    """Say how a turn ended: in the words of what it joined, or of what cancelled it."""
    host = record
    if record.absorbed_by is not None:
        host = await gateway.turn(record.absorbed_by) or record
    elif outcome.kind is OutcomeKind.INTERRUPTED and outcome.reference and not host.deliveries:
        host = await gateway.turn(TurnId(outcome.reference)) or record
    return EndedFrame(
        turn=record.turn.id,
        outcome=outcome.kind.value,
        reason=outcome.reason,
        text="\n\n".join(
            delivery.payload.fallback
            for delivery in host.deliveries
            if delivery.target.conversation_key == conversation
            and delivery.id.startswith(host.turn.id)  # no warning beside it
        ),
        usage=TokensSpent(**asdict(outcome.usage)),
    )

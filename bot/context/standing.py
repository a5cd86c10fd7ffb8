"""What of a session still stands: a message said anew takes back the exchange it replaces."""

from collections.abc import Sequence

from bot.contracts.inbound import ConversationKey, Source
from bot.contracts.transcript import Received, Recorded
from bot.contracts.turn import TurnId


def standing(recorded: Sequence[Recorded]) -> Sequence[Recorded]:
    """Leave out every message that was replaced, with all that its turn did about it (pure).

    A message that names an earlier one of its conversation as its
    `edited_source` is said in its place. From there on the model sees neither
    the earlier one nor what followed it in its turn; what stood before it in
    that turn, and every other turn, stays.
    """
    replaced = _replaced(recorded)
    if not replaced:
        return recorded
    kept: list[Recorded] = []
    taken_back: dict[TurnId, int] = {}
    for one in recorded:
        if isinstance(one.entry, Received):
            inbound = one.entry.inbound
            until = replaced.get((inbound.conversation_key, inbound.source), 0)
            taken_back[one.turn_id] = max(until, taken_back.get(one.turn_id, 0))
        if one.seq >= taken_back.get(one.turn_id, 0):
            kept.append(one)
    return kept


def _replaced(recorded: Sequence[Recorded]) -> dict[tuple[ConversationKey, Source], int]:
    """Return the messages that were said anew, each with the place where that was done."""
    return {
        (one.entry.inbound.conversation_key, one.entry.inbound.edited_source): one.seq
        for one in recorded
        if isinstance(one.entry, Received) and one.entry.inbound.edited_source is not None
    }

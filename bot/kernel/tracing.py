"""Finds the message that is asked about, and reads what its trace is made of."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from bot.contracts.inbound import ConversationKey, EventClass
from bot.contracts.ledger import Ledger, TurnQuery, TurnRecord
from bot.contracts.messages import ToolCall
from bot.contracts.trace import Trace, Viewer
from bot.contracts.turn import TurnId
from bot.kernel.telling import Known
from bot.kernel.trace import trace

_LOOKED_BACK: Final = 100
"""Events among which the last message is looked for, and what may have been before one."""

_SAID: Final = frozenset({EventClass.MESSAGE, EventClass.COMMAND})
_ITSELF: Final = "command:trace"


class Tracing:
    """Traces of one ledger. Whoever asks finds only what they may see."""

    def __init__(self, ledger: Ledger, summary_of: Callable[[ToolCall], str]) -> None:
        self._ledger = ledger
        self._summary_of = summary_of

    async def find(self, name: str, viewer: Viewer) -> Sequence[TurnRecord]:
        """Return the messages that *name* may mean and *viewer* may see, newest first.

        Raises:
            StoreUnavailable: they cannot be looked up.
        """
        found = await self._ledger.find(name.strip())
        return [one for one in found if viewer.may_see(one.turn.arrival.inbound)]

    async def latest(
        self, viewer: Viewer, conversation: ConversationKey | None = None
    ) -> TurnRecord | None:
        """Return the last message said to us, maybe in *conversation*, that *viewer* may see.

        Raises:
            StoreUnavailable: it cannot be looked up.
        """
        query = TurnQuery(conversation=conversation, limit=_LOOKED_BACK)
        for record in await self._ledger.turns(query):
            arrival = record.turn.arrival
            asks = arrival.admission.reason == _ITSELF
            is_said = arrival.inbound.event in _SAID
            if is_said and not asks and viewer.may_see(arrival.inbound):
                return record
        return None

    async def tell(
        self, turn_id: TurnId, viewer: Viewer, now: datetime, at: Callable[[datetime], str]
    ) -> Trace | None:
        """Return the trace of a message, or None if there is none that *viewer* may see.

        Raises:
            StoreUnavailable: it cannot be read.
        """
        record = await self._ledger.turn(turn_id)
        if record is None or not viewer.may_see(record.turn.arrival.inbound):
            return None
        host = None
        if record.absorbed_by is not None:
            host = await self._ledger.turn(record.absorbed_by)
        answering = host or record
        query = TurnQuery(
            session_key=record.turn.session_key, before=record.turn.seq, limit=_LOOKED_BACK
        )
        known = Known(
            record=record,
            host=host,
            entries=await self._ledger.entries(answering.turn.id),
            ahead=await self._ledger.turns(query),
        )
        return trace(known, viewer, now, self._summary_of, at)

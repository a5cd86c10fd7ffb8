"""Questions in a dictionary, for an agent alone: nobody decides but the test."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bot.contracts.approval import Approval, ApprovalState, Question, Rule
from bot.contracts.decision import Decision
from bot.contracts.delivery import Delivery
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.turn import Turn, TurnId


class MemoryApprovals:
    """Keeps what turns asked; `decide` is a person's word."""

    def __init__(self) -> None:
        self.asked: dict[str, Approval] = {}
        self.always: set[tuple[str, str, str]] = set()

    def ask(self, turn: Turn, *questions: Question) -> None:
        """Keep what *turn* asks, as the end of a turn does."""
        for one in questions:
            assert one.code not in self.asked
            self.asked[one.code] = Approval(
                question=one,
                state=ApprovalState.ASKED,
                turn_id=turn.id,
                arrival=turn.arrival,
            )

    def decide(self, code: str, decision: Decision, decided_in: TurnId, *, noes: int = 0) -> None:
        """Let somebody decide, in the turn that this opens."""
        no = decision is Decision.NO
        self.asked[code] = replace(
            self.asked[code],
            state=ApprovalState.REFUSED if no else ApprovalState.APPROVED,
            decision=decision,
            decided_in=decided_in,
            decided_name="Ana",
            noes=noes,
        )

    async def get(self, code: str) -> Approval | None:
        return self.asked.get(code.lower())

    async def waiting(self, session_key: SessionKey) -> Sequence[Approval]:
        return [
            one
            for one in self.asked.values()
            if one.state is ApprovalState.ASKED and one.arrival.route.session_key == session_key
        ]

    async def expired(self, now: datetime) -> Sequence[Approval]:
        waiting = [one for one in self.asked.values() if one.state is ApprovalState.ASKED]
        return [one for one in waiting if one.question.expires_at <= now]

    async def expire(self, code: str, deliveries: Sequence[Delivery]) -> bool:
        del deliveries
        is_open = self.asked[code].state is ApprovalState.ASKED
        if is_open:
            self.asked[code] = replace(self.asked[code], state=ApprovalState.EXPIRED)
        return is_open

    async def allows(self, agent_id: AgentId, tool: str, identity: str) -> bool:
        return (agent_id, tool, identity) in self.always

    async def rules(self) -> Sequence[Rule]:
        return ()

    async def revoke(self, number: int) -> Rule | None:
        del number
        return None

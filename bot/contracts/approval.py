"""A call that a person has to decide about: the question, the decision, and what may follow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from bot.contracts.decision import Decision
from bot.contracts.delivery import Delivery
from bot.contracts.inbound import ConversationKey
from bot.contracts.messages import ToolCall
from bot.contracts.session import AgentId, SessionKey
from bot.contracts.turn import Arrival, TurnId


class ApprovalState(StrEnum):
    """How far a question got. The last four are final."""

    ASKED = "asked"
    """It waits for a person."""
    APPROVED = "approved"
    """It will be carried out, in the turn that its decision opened."""
    CARRIED_OUT = "carried_out"
    """It was begun. How it ended stands in the transcript."""
    REFUSED = "refused"
    EXPIRED = "expired"
    """Nobody decided in time, which is a no."""
    WITHDRAWN = "withdrawn"
    """Nobody may decide any more: its plan ended, or the turn that was to carry it out did."""


MOVES: Final[Mapping[ApprovalState, frozenset[ApprovalState]]] = {
    ApprovalState.ASKED: frozenset(
        {
            ApprovalState.APPROVED,
            ApprovalState.REFUSED,
            ApprovalState.EXPIRED,
            ApprovalState.WITHDRAWN,
        }
    ),
    ApprovalState.APPROVED: frozenset({ApprovalState.CARRIED_OUT, ApprovalState.WITHDRAWN}),
    ApprovalState.CARRIED_OUT: frozenset(),
    ApprovalState.REFUSED: frozenset(),
    ApprovalState.EXPIRED: frozenset(),
    ApprovalState.WITHDRAWN: frozenset(),
}
"""What may follow what. The store refuses every other move."""

NOES: Final = 2
"""So many noes end a plan: a model that is refused twice is not to try a third way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person is asked: may exactly this be done."""

    code: str
    """How it is named in a chat: short, easily typed, unique."""
    call: ToolCall
    """Exactly the bytes that are carried out."""
    tool: str
    """The tool's own name; a model may have called it in other letters."""
    identity: str
    """What ``always`` is bound to, beside the agent and the tool: the exact command of a shell,
    else the exact arguments."""
    why: str
    """Why it is asked for, in one sentence."""
    plan: TurnId
    """The turn of the person's message that led to it, however many decisions lie between."""
    asker: str
    """Who wrote that message, such as ``telegram:12345``."""
    asker_name: str
    asked_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A question, and what became of it."""

    question: Question
    state: ApprovalState
    turn_id: TurnId
    """The turn that asked."""
    arrival: Arrival
    """Of that turn: where it was asked, for whom, and by which agent."""
    decision: Decision | None = None
    decided_by: str = ""
    """Who decided, such as ``telegram:12345``."""
    decided_name: str = ""
    decided_at: datetime | None = None
    decided_in: TurnId | None = None
    """The turn that the decision opened."""
    noes: int = 0
    """How many questions of its plan were refused or expired, this one included."""

    @property
    def agent_id(self) -> AgentId:
        """The agent that asked."""
        return self.arrival.route.agent_id

    @property
    def conversation(self) -> ConversationKey:
        """Where it was asked."""
        return self.arrival.target.conversation_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What need not be asked for any more: exactly this, by this agent."""

    number: int
    agent_id: AgentId
    tool: str
    identity: str
    made_by: str
    """Who said ``always``: their name and id."""
    made_at: datetime


class Approvals(Protocol):
    """What waits for a person's decision, and what was decided for good.

    Questions are written with the outcome of the turn that asks (`Turns.finish`), and decided
    with the claim of the message that decides (`Turns.open`, `Arrival.decides`): if the question
    still is `asked` and has not expired, who did is noted, the rule of an ``always`` is kept and
    the decision's turn is opened, which waits for its session whatever its caps say. The second
    no of a plan withdraws the plan's other questions. Where it is too late, `too_late` is said.
    """

    async def get(self, code: str) -> Approval | None:
        """Return the question of that name, or None; upper and lower case are the same."""
        ...

    async def waiting(self, session_key: SessionKey) -> Sequence[Approval]:
        """Return what waits in a session, in order."""
        ...

    async def expired(self, now: datetime) -> Sequence[Approval]:
        """Return what waits though its time is over."""
        ...

    async def expire(self, code: str, deliveries: Sequence[Delivery]) -> bool:
        """Refuse what nobody decided and queue what tells of it, in one commit.

        Somebody may have decided meanwhile: then nothing is written, and it returns False.
        """
        ...

    async def allows(self, agent_id: AgentId, tool: str, identity: str) -> bool:
        """Whether somebody said ``always`` to exactly this."""
        ...

    async def rules(self) -> Sequence[Rule]:
        """Return what was allowed for good, oldest first."""
        ...

    async def revoke(self, number: int) -> Rule | None:
        """Take a rule back; return it, or None if there is no such rule."""
        ...

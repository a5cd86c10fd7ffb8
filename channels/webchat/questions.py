"""Questions that wait for a person, as the page's cards: how each stands, and what changed."""

from typing import Final

from bot.contracts.approval import Approval, ApprovalState
from bot.contracts.channel import Gateway
from bot.contracts.ledger import Line
from channels.webchat.lines import line_frame
from channels.webchat.protocol import LineFrame
from channels.webchat.question_frames import QuestionCard, QuestionFrame

_OPEN: Final = frozenset({ApprovalState.ASKED, ApprovalState.APPROVED})
"""What may still change."""


def card(code: str, approval: Approval | None) -> QuestionCard:
    """Write down how a question stands; of one that was deleted nothing is known (pure)."""
    if approval is None:
        return QuestionCard(code=code, state="withdrawn")
    return QuestionCard(
        code=code,
        state=approval.state.value,
        until=approval.question.expires_at.isoformat(),
        decision=approval.decision.value if approval.decision else None,
        by=approval.decided_name or approval.decided_by or None,
    )


class Questions:
    """The cards on one screen. What may still change is looked at again and again."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._open: dict[str, QuestionCard] = {}

    async def line(self, line: Line) -> LineFrame:
        """Write *line* as a frame, with how its question stands if it is one."""
        frame = line_frame(line)
        if frame.question is None:
            return frame
        shown = await self._look(frame.question.code)
        return line_frame(line, shown)

    async def changes(self) -> list[QuestionFrame]:
        """Return the cards that stand differently by now."""
        changed = []
        for code, before in tuple(self._open.items()):
            now = await self._look(code)
            if now != before:
                changed.append(QuestionFrame(question=now))
        return changed

    async def _look(self, code: str) -> QuestionCard:
        approval = await self._gateway.question(code)
        shown = card(code, approval)
        if approval is not None and approval.state in _OPEN:
            self._open[code] = shown
        else:
            self._open.pop(code, None)
        return shown

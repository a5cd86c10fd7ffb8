"""Which calls of a turn a person has to be asked about, and the questions that are put to them."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from bot.contracts.approval import Approval, Approvals, Question
from bot.contracts.clock import Clock
from bot.contracts.decision import Decision
from bot.contracts.messages import ToolCall
from bot.contracts.tool import Parameters, Tool, ToolContext
from bot.contracts.turn import Lane, Turn

_LETTERS: Final = "bcdfghjkmnpqrstvwxz"
"""No vowels, so that no word comes out, and nothing that looks like a digit."""
_DIGITS: Final = "23456789"
_SHAPE: Final = (_LETTERS, _LETTERS, _DIGITS, _DIGITS, _LETTERS)

MOST_OPEN: Final = 5
"""So many questions may wait in one session: who has more to decide decides nothing well."""

_NOBODY: Final = (
    "Not carried out: it has to be approved by a person ({why}), and nobody is there to be asked "
    "while this runs unattended."
)
_TOO_LONG: Final = (
    "Not carried out: it has to be approved by a person ({why}), and it is too long to be shown to "
    "them in full. Do it in smaller steps."
)
_WAITS: Final = (
    "Not carried out: a person is being asked for exactly this already, as {code}. Their decision "
    "comes in a later message."
)
_TOO_MANY: Final = (
    "Not carried out: {count} calls wait for a person's decision here already. Ask for no more "
    "before they are decided."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What of one turn has to be asked for."""

    turn: Turn
    approvals: Approvals
    asked_for: Mapping[str, str]
    """The tools that the operator wants asked for, with the rule that says so."""
    can_show: Callable[[Question], bool]
    """Whether a question can be shown in full where the turn's answer goes."""
    clock: Clock
    open_for: timedelta
    settled: Approval | None = None
    """What a person decided, if that opened this turn."""

    def settles(self, call: ToolCall) -> str:
        """Return the code with which exactly *call* was approved, or nothing.

        A call that differs in a single byte is another call.
        """
        settled = self.settled
        if settled is None or settled.decision in {None, Decision.NO}:
            return ""
        return settled.question.code if settled.question.call == call else ""

    async def about(
        self,
        call: ToolCall,
        tool: Tool[Any],
        arguments: Parameters,
        context: ToolContext,
        asked: Sequence[Question],
    ) -> Question | str | None:
        """Return the question to put, why the call is refused instead, or None: carry it out.

        *asked* is what the turn asks already.
        """
        why = tool.needs_approval(arguments, context) or self._by_rule(tool.name)
        if why is None or self.settles(call):
            return None
        identity = identity_of(tool, call, arguments)
        if await self.approvals.allows(self.turn.arrival.route.agent_id, tool.name, identity):
            return None
        if self.turn.arrival.lane is Lane.BACKGROUND:
            return _NOBODY.format(why=why)
        waiting = [one.question for one in await self.approvals.waiting(self.turn.session_key)]
        waiting += asked
        for one in waiting:
            if (one.call.name, one.identity) == (tool.name, identity):
                return _WAITS.format(code=one.code)
        if len(waiting) >= MOST_OPEN:
            return _TOO_MANY.format(count=len(waiting))
        question = self._question(call, tool, identity, why, await self._code(call, asked))
        return question if self.can_show(question) else _TOO_LONG.format(why=why)

    def _by_rule(self, name: str) -> str | None:
        rule = self.asked_for.get(name)
        return None if rule is None else f"`{rule}` in the settings asks for it"

    def _question(
        self, call: ToolCall, tool: Tool[Any], identity: str, why: str, code: str
    ) -> Question:
        now, settled = self.clock.now(), self.settled
        sender = self.turn.arrival.inbound.sender
        known = settled.question if settled else None
        return Question(
            code=code,
            call=call,
            tool=tool.name,
            identity=identity,
            why=why,
            plan=known.plan if known else self.turn.id,
            asker=known.asker if known else f"{self.turn.arrival.inbound.channel}:{sender.id}",
            asker_name=known.asker_name if known else sender.display_name,
            asked_at=now,
            expires_at=now + self.open_for,
        )

    async def _code(self, call: ToolCall, asked: Sequence[Question]) -> str:
        """Return a name that no question ever had; for one call always the same."""
        taken = {one.code for one in asked}
        salt = 0
        while (code := short_code(f"{call.id}/{salt}")) in taken or await self.approvals.get(code):
            salt += 1
        return code


def short_code(seed: str) -> str:
    """Return five characters that are easily read, said and typed, such as ``kf47m`` (pure)."""
    number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")
    code = ""
    for alphabet in _SHAPE:
        number, place = divmod(number, len(alphabet))
        code += alphabet[place]
    return code


def identity_of(tool: Tool[Any], call: ToolCall, arguments: Parameters) -> str:
    """Return what two calls of *tool* have in common that are the same to a person (pure)."""
    if tool.identity is not None:
        return tool.identity(arguments)
    return json.dumps(json.loads(call.arguments or "{}"), sort_keys=True, ensure_ascii=False)

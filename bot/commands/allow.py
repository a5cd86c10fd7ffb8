"""``/allow``: the owner lets spending go on beyond a limit, today."""

import re
from dataclasses import dataclass
from typing import Final

from bot.commands.say import said, sentences
from bot.contracts.budget import Allowance, LimitMet, Scope, Unit, micro_of
from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.ledger import TurnQuery
from bot.contracts.turn import Failure, Rank, TurnState

_MONEY: Final = re.compile(r"\$?(\d{1,7}(?:\.\d{1,6})?)\$?")
_TOKENS: Final = re.compile(r"(\d{1,12})\s?tokens?")
_LOOKED_AT: Final = 5
"""Turns of the session among which the latest one that a limit ended is looked for."""

_NAMED: Final = frozenset({Scope.PERSON, Scope.AGENT, Scope.SESSION})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What was asked for: so much, of which limit, and whose."""

    unit: Unit
    amount: int
    scope: Scope
    name: str


async def _allow(context: CommandContext, rest: str) -> CommandAnswer:
    """With an amount, raise today's limit by it; without one, go on with what a limit ended."""
    words = sentences(context).allow
    met = await _ended_by(context)
    if rest:
        wish = _read(rest)
        if wish is None:
            return CommandAnswer(replies=(said(words.usage),))
        allowance = Allowance(scope=wish.scope, unit=wish.unit, amount=wish.amount, name=wish.name)
        return CommandAnswer(replies=(said(words.allowed(allowance)),), allowances=(allowance,))
    if met is None:
        return CommandAnswer(replies=(said(words.nothing_stopped, words.usage),))
    if met.scope is Scope.TURN:  # the turn that goes on has a limit of its own
        return CommandAnswer(goes_on=words.go_on)
    caps = context.about.caps().of(met.unit)
    allowance = Allowance(
        scope=met.scope,
        unit=met.unit,
        amount=max(caps.get(Scope.TURN, met.limit), 1),
        name=met.name,
    )
    return CommandAnswer(goes_on=words.go_on, allowances=(allowance,))


async def _ended_by(context: CommandContext) -> LimitMet | None:
    """Return the limit that ended the latest turn of the session, if one did."""
    query = TurnQuery(
        session_key=context.route.session_key, states=[TurnState.FINISHED], limit=_LOOKED_AT
    )
    for record in await context.store.ledger.turns(query):
        if record.outcome is None or not record.turn.attempt:
            continue  # a command, or what never began
        return record.outcome.ended_by if record.outcome.failure is Failure.SPENDING else None
    return None


def _read(rest: str) -> _Wish | None:
    """Read ``<amount> [limit] [whose]`` (pure)."""
    amount, _, where = rest.partition(" ")
    tokens = _TOKENS.match(rest)
    if tokens is not None:
        unit, found, where = Unit.TOKENS, int(tokens[1]), rest[tokens.end() :]
    elif money := _MONEY.fullmatch(amount):
        unit, found = Unit.MONEY, micro_of(money[1])
    else:
        return None
    scope_name, _, name = where.strip().partition(" ")
    scope = Scope.DAY if not scope_name else _scope(scope_name)
    if scope is None or scope is Scope.TURN or found <= 0:
        return None
    if (scope in _NAMED) != bool(name.strip()):
        return None
    return _Wish(unit=unit, amount=found, scope=scope, name=name.strip())


def _scope(name: str) -> Scope | None:
    return next((scope for scope in Scope if scope == name.casefold()), None)


allow: Final = Command(
    name="allow",
    aliases=("允许",),
    summary="go on beyond a limit on spending, or raise today's by an amount",
    arguments="[amount] [limit] [whose]",
    least_rank=Rank.OWNER,
    run=_allow,
)

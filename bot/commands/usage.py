"""``/usage``: what models used and cost: the last message, this session, today."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from bot.commands.say import card, said, sentences
from bot.contracts.budget import Scope, Unit
from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.ledger import Spending, TurnQuery
from bot.contracts.turn import Lane, Rank, TurnState, Usage

_LOOKED_AT: Final = 5
_MOST_ROWS: Final = 10
"""Models and people that are listed; `stonechat usage` lists all."""


async def _usage(context: CommandContext, _rest: str) -> CommandAnswer:
    """Show it: to whoever asks what is theirs, to the owner and admins everybody's."""
    words, admin = sentences(context).usage, context.rank >= Rank.ADMIN
    today = await context.store.ledger.spending(context.now.astimezone().date())
    inbound = context.inbound
    person = f"{inbound.channel}:{inbound.sender.id}"
    rows = [
        (words.last, words.used(await _of_the_last_turn(context))),
        (
            words.session,
            words.used(_of(today, lambda one: one.session_key, context.route.session_key)),
        ),
        (words.yours, "" if admin else words.used(_of(today, lambda one: one.person, person))),
    ]
    if not admin:
        return CommandAnswer(replies=(said(card(rows)),))
    total = _total(today)
    rows.append((words.today, f"{words.used(total)}{_limits(context, total)}"))
    background = _total(one for one in today if one.lane is Lane.BACKGROUND)
    rows.append((words.background, words.used(background) if background != Usage() else ""))
    blocks = [card(rows)]
    for heading, by in (
        (words.by_model, _sums(today, lambda one: one.model)),
        (words.by_person, _sums(today, lambda one: one.person)),
    ):
        if by:
            blocks.append(card([(heading, " "), *((name, words.used(each)) for name, each in by)]))
    return CommandAnswer(replies=(said(*blocks),))


async def _of_the_last_turn(context: CommandContext) -> Usage:
    query = TurnQuery(
        session_key=context.route.session_key, states=[TurnState.FINISHED], limit=_LOOKED_AT
    )
    for record in await context.store.ledger.turns(query):
        if record.outcome is not None and record.turn.attempt:
            return record.outcome.usage
    return Usage()


def _limits(context: CommandContext, total: Usage) -> str:
    words, caps = sentences(context).usage, context.about.caps()
    limits = [
        words.of_limit(limit, unit)
        for unit in Unit
        if (limit := caps.of(unit).get(Scope.DAY)) is not None
        and (unit is Unit.MONEY or total.unpriced_tokens)
    ]
    return "".join(limits)


def _of(spending: Iterable[Spending], key: Callable[[Spending], str], name: str) -> Usage:
    return _total(one for one in spending if key(one) == name)


def _total(spending: Iterable[Spending]) -> Usage:
    return sum((one.usage for one in spending), Usage())


def _sums(
    spending: Sequence[Spending], key: Callable[[Spending], str]
) -> Sequence[tuple[str, Usage]]:
    names = dict.fromkeys(key(one) for one in spending)
    sums = [(name, _of(spending, key, name)) for name in names]
    sums.sort(key=lambda one: (-one[1].micro_usd, -one[1].unpriced_tokens, one[0]))
    return sums[:_MOST_ROWS]


usage: Final = Command(
    name="usage",
    aliases=("用量",),
    summary="what was used and what it cost: the last message, here, today",
    arguments="",
    least_rank=Rank.GUEST,
    run=_usage,
)

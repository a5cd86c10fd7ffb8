"""``/status``: how the bot and this session stand."""

from dataclasses import fields
from typing import Final

from bot.commands.say import card, said, sentences
from bot.contracts.budget import Scope, dollars
from bot.contracts.command import Command, CommandAnswer, CommandContext
from bot.contracts.ledger import TurnQuery
from bot.contracts.turn import Rank, SessionChoices, TurnState, Usage

_OPEN: Final = (TurnState.WAITING, TurnState.RUNNING)


async def _status(context: CommandContext, _rest: str) -> CommandAnswer:
    """Show it; what is of nobody else's business to the owner and admins alone."""
    words = sentences(context).status
    agent, admin = context.route.agent_id, context.rank >= Rank.ADMIN
    models = context.about.models(agent)
    asked = [one.model for one in models if one.name == context.choices.model]
    tools = context.about.tools(agent, context.rank)
    used = context.session.usage if context.session else Usage()
    mode = context.choices.queue_mode or context.about.queue(context.inbound.channel).mode
    rows = [
        (words.version, f"Stonechat {context.about.version}"),
        (words.model, ", ".join([*asked, *(m.model for m in models if m.model not in asked)])),
        (words.session, context.route.session_key if admin else ""),
        (words.queue, f"{words.mode} {mode}, {await _queue(context)}"),
        (words.sandbox, context.about.sandbox() if admin else ""),
        (words.tools, f"{len(tools):,}"),
        (words.chosen, chosen_words(context.choices) or words.nothing_chosen),
        (words.since, _since(context)),
        (words.tokens, words.spent(used.input_tokens, used.output_tokens, used.model_calls)),
        (words.cost, await _cost(context) if admin else ""),
    ]
    return CommandAnswer(replies=(said(card(rows)),))


async def _cost(context: CommandContext) -> str:
    today = await context.store.ledger.spending(context.now.astimezone().date())
    total = sum((one.usage for one in today), Usage())
    limit = context.about.caps().money.get(Scope.DAY)
    of_limit = "" if limit is None else f" / {dollars(limit)}"
    return f"{dollars(total.micro_usd)}{of_limit}"


def chosen_words(choices: SessionChoices) -> str:
    """Say what is chosen, as ``name value``, with commas (pure)."""
    chosen = ((one.name, getattr(choices, one.name)) for one in fields(choices))
    return ", ".join(f"{name} {value}" for name, value in chosen if value is not None)


def _since(context: CommandContext) -> str:
    if context.session is None:
        return ""
    day = f"{context.session.started_at:%Y-%m-%d}"
    return sentences(context).status.began(day, context.session.chapters - 1)


async def _queue(context: CommandContext) -> str:
    query = TurnQuery(session_key=context.route.session_key, states=_OPEN)
    turns = await context.store.ledger.turns(query)
    waiting = sum(one.turn.state is TurnState.WAITING for one in turns)
    return sentences(context).status.waiting(waiting, waiting < len(turns))


status: Final = Command(
    name="status",
    aliases=("状态",),
    summary="how I and this conversation stand",
    arguments="",
    least_rank=Rank.GUEST,
    run=_status,
)

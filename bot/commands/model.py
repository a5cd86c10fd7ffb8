"""``/model``: who is asked first, in this session or for one message."""

from collections.abc import Sequence
from typing import Final

from bot.commands.say import code, said, sentences
from bot.contracts.command import Command, CommandAnswer, CommandContext, Inlined, ModelOffer
from bot.contracts.document import ListBlock, ListItem, Paragraph, Span
from bot.contracts.turn import Rank, SessionChange, SessionChoices

DEFAULT: Final = frozenset({"default", "默认"})


async def _model(context: CommandContext, rest: str) -> CommandAnswer:
    """Show who is asked, or choose who is asked first, by name or number."""
    words = sentences(context).model
    offers = context.about.models(context.route.agent_id)
    if not rest:
        known = any(one.name == context.choices.model for one in offers)
        now = words.chosen if known else words.by_default
        return CommandAnswer(replies=(said(now, _list(offers, context.choices.model)),))
    if rest.casefold() in DEFAULT:
        change = SessionChange(dropped=("model",))
        return CommandAnswer(replies=(said(words.back_to_default(_chain(offers))),), change=change)
    chosen = _found(offers, rest)
    if chosen is None:
        refusal = said(words.no_such(rest), _list(offers, context.choices.model))
        return CommandAnswer(replies=(refusal,))
    change = SessionChange(chosen=SessionChoices(model=chosen.name))
    others = _chain([one for one in offers if one.name != chosen.name])
    reply = said(words.set_to(chosen.model, others))
    return CommandAnswer(replies=(reply,), change=change)


def _inline(context: CommandContext, rest: str) -> Inlined | None:
    """Read the name of a model before a message. A number may begin any message."""
    name, _, message = rest.partition(" ")
    chosen = _found(context.about.models(context.route.agent_id), name)
    if chosen is None or name.isdigit():
        return None
    return Inlined(chosen=SessionChoices(model=chosen.name), rest=message.strip())


def _found(offers: Sequence[ModelOffer], rest: str) -> ModelOffer | None:
    """Find a model by its number, its name in the settings, or the provider's name for it."""
    wanted = rest.casefold()
    if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted[:4]) <= len(offers):
        return offers[int(wanted[:4]) - 1]
    for one in offers:
        names = (one.name, one.model, f"{one.provider}/{one.model}")
        if wanted in {name.casefold() for name in names}:
            return one
    return None


def _chain(offers: Sequence[ModelOffer]) -> str:
    return ", ".join(one.model for one in offers)


def _list(offers: Sequence[ModelOffer], chosen: str | None) -> ListBlock:
    rows = [
        (
            f"{n}.",
            (code(one.name), Span(text=f": {one.model} ({one.provider})"), _mark(one, chosen)),
        )
        for n, one in enumerate(offers, start=1)
    ]
    items = (ListItem(mark=mark, blocks=(Paragraph(spans=spans),)) for mark, spans in rows)
    return ListBlock(items=tuple(items), ordered=True)


def _mark(offer: ModelOffer, chosen: str | None) -> Span:
    return Span(text=" ✓" if offer.name == chosen else "")


model: Final = Command(
    name="model",
    aliases=("models", "模型"),
    summary="which model is asked first",
    arguments="[name or number] [default]",
    least_rank=Rank.ADMIN,
    run=_model,
    inline=_inline,
)

"""``/think``: how long a model thinks, in this session or for one message."""

from collections.abc import Mapping
from typing import Final

from bot.commands.model import DEFAULT
from bot.commands.say import said, sentences
from bot.contracts.command import Command, CommandAnswer, CommandContext, Inlined, ModelOffer
from bot.contracts.thinking import nearest
from bot.contracts.turn import Rank, SessionChange, SessionChoices, ThinkingLevel

_OTHER_WORDS: Final[Mapping[str, ThinkingLevel]] = {
    "none": ThinkingLevel.OFF,
    "min": ThinkingLevel.MINIMAL,
    "mid": ThinkingLevel.MEDIUM,
    "med": ThinkingLevel.MEDIUM,
    "max": ThinkingLevel.XHIGH,
    "x-high": ThinkingLevel.XHIGH,
    "auto": ThinkingLevel.ADAPTIVE,
}
LEVELS: Final = ", ".join(ThinkingLevel)


async def _think(context: CommandContext, rest: str) -> CommandAnswer:
    """Show the level, or choose one; say once what the model makes of it."""
    words = sentences(context).think
    if not rest:
        now = context.choices.thinking
        reply = words.by_default(LEVELS) if now is None else words.chosen(now, LEVELS)
        return CommandAnswer(replies=(said(reply),))
    if rest.casefold() in DEFAULT:
        change = SessionChange(dropped=("thinking",))
        return CommandAnswer(replies=(said(words.back_to_default),), change=change)
    level = level_of(rest)
    if level is None:
        return CommandAnswer(replies=(said(words.no_such(rest, LEVELS)),))
    change = SessionChange(chosen=SessionChoices(thinking=level))
    return CommandAnswer(replies=(said(_reply(context, level)),), change=change)


def _reply(context: CommandContext, level: ThinkingLevel) -> str:
    words = sentences(context).think
    asked = _asked_first(context)
    if asked is None:
        return words.set_to(level)
    can = nearest(level, asked.thinking)
    if can is level:
        return words.set_to(level)
    return (
        words.falls(level, can, asked.model) if asked.thinking else words.deaf(level, asked.model)
    )


def _asked_first(context: CommandContext) -> ModelOffer | None:
    offers = context.about.models(context.route.agent_id)
    chosen = [one for one in offers if one.name == context.choices.model]
    return next(iter([*chosen, *offers]), None)


def _inline(_context: CommandContext, rest: str) -> Inlined | None:
    word, _, message = rest.partition(" ")
    level = level_of(word)
    if level is None:
        return None
    return Inlined(chosen=SessionChoices(thinking=level), rest=message.strip())


def level_of(word: str) -> ThinkingLevel | None:
    """Read a level by its name, or by another word that people use for it (pure)."""
    wanted = word.casefold()
    if wanted in list(ThinkingLevel):
        return ThinkingLevel(wanted)
    return _OTHER_WORDS.get(wanted)


think: Final = Command(
    name="think",
    aliases=("thinking", "t", "思考"),
    summary="how long the model thinks",
    arguments="[level] [default]",
    least_rank=Rank.MEMBER,
    run=_think,
    inline=_inline,
)

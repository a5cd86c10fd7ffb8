"""The commands' sentences in English."""

from typing import Final

from bot.commands.sentences import (
    AllowSentences,
    CommandSentences,
    StatusSentences,
    UsageSentences,
)
from bot.contracts.budget import dollars, written
from bot.contracts.turn import Rank, Usage


def _waiting(waiting: int, busy: bool) -> str:
    words = "nothing waits" if waiting == 0 else f"{waiting:,} waiting"
    return f"{words}, {'one is being answered' if busy else 'idle'}"


def _used(usage: Usage) -> str:
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    unpriced = f", {usage.unpriced_tokens:,} tokens at no known price"
    return f"{dollars(usage.micro_usd)}, {tokens}{unpriced if usage.unpriced_tokens else ''}"


ENGLISH: Final = CommandSentences(
    summaries={},
    ranks={
        Rank.MEMBER: "for members",
        Rank.ADMIN: "for admins",
        Rank.OWNER: "for the owner",
    },
    help_opening="Write to me as to anybody. A message that begins with one of these is for me:",
    commands_opening="Every command there is, and for whom:",
    status=StatusSentences(
        version="Version",
        model="Model",
        session="Session",
        chosen="Chosen here",
        queue="Queue",
        waiting=_waiting,
        sandbox="Programs",
        tools="Tools",
        tokens="Used here",
        spent=lambda given, got, calls: f"{given:,} tokens in, {got:,} out, {calls:,} model calls",
        by_default="nothing, all as configured",
        messages="mode",
        cost="Spent today",
    ),
    usage=UsageSentences(
        last="Last message",
        session="This conversation, today",
        yours="You, today",
        today="Everybody, today",
        background="Of it in the background",
        by_model="By model",
        by_person="By person",
        used=_used,
        of_limit=lambda limit, unit: f" (a day's limit: {written(limit, unit)})",
    ),
    allow=AllowSentences(
        usage=(
            "/allow alone goes on with what a limit ended here. /allow 1.50 gives today 1.50 US "
            "dollars more; /allow 200000 tokens as many tokens; /allow 0.50 person webchat:anna "
            "and /allow 0.50 others give it to members and guests."
        ),
        nothing_stopped="No limit stopped anything here.",
        allowed=lambda allowed: (
            f"Allowed: {written(allowed.amount, allowed.unit)} more today beyond "
            f"`limits.{allowed.unit}.{allowed.scope}`"
            f"{f' of {allowed.name}' if allowed.name else ''}."
        ),
        go_on="Go on from where you were stopped.",
    ),
)

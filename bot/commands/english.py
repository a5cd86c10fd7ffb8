"""The commands' sentences in English."""

from typing import Final

from bot.commands.sentences import CommandSentences, StatusSentences, WhoSentences
from bot.contracts.turn import Rank


def _waiting(waiting: int, busy: bool) -> str:
    words = "nothing waits" if waiting == 0 else f"{waiting:,} waiting"
    return f"{words}, {'one is being answered' if busy else 'idle'}"


ENGLISH: Final = CommandSentences(
    summaries={},
    ranks={
        Rank.MEMBER: "for members",
        Rank.ADMIN: "for admins",
        Rank.OWNER: "for the owner",
    },
    help_opening="Write to me as to anybody. A message that begins with one of these is for me:",
    commands_opening="Every command there is, and for whom:",
    pair_waiting="These people wait to be let in. Ask them for their code and write /pair with it:",
    pair_nobody="Nobody waits to be let in.",
    pair_closed="Nobody is let in for now: my settings are broken.",
    paired=lambda who, name: (
        f"{who}, who calls themself {name}, is let in as a guest, in direct chats. Tell them to "
        "write again."
    ),
    whoami=WhoSentences(
        account="Your account",
        name="What you call yourself",
        rank="What you are here",
        place="Where we are",
        counts="Only the account counts: names can be anybody's.",
        are={
            Rank.STRANGER: "a stranger",
            Rank.GUEST: "a guest: we can talk",
            Rank.MEMBER: "a member: we can talk, and I read shared files for you",
            Rank.ADMIN: "an admin: every tool",
            Rank.OWNER: "the owner: every tool, and all that I remember",
        },
    ),
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
    ),
)

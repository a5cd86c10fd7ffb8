"""The commands' sentences in English."""

from typing import Final

from bot.commands.sentences import (
    AllowSentences,
    ApproveSentences,
    CommandSentences,
    ExportSentences,
    HistorySentences,
    ModelSentences,
    ResumeSentences,
    StatusSentences,
    ThinkSentences,
    TraceSentences,
    UsageSentences,
    VerboseSentences,
    WhoSentences,
)
from bot.contracts.budget import dollars, written
from bot.contracts.decision import Decision
from bot.contracts.turn import Rank, Usage, Verbosity

_ANEW: Final = {0: "", 1: ", begun anew once"}


def _waiting(waiting: int, busy: bool) -> str:
    words = "nothing waits" if waiting == 0 else f"{waiting:,} waiting"
    return f"{words}, {'one is being answered' if busy else 'idle'}"


def _used(usage: Usage) -> str:
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    unpriced = f", {usage.unpriced_tokens:,} tokens at no known price"
    return f"{dollars(usage.micro_usd)}, {tokens}{unpriced if usage.unpriced_tokens else ''}"


def _set_to(first: str, others: str) -> str:
    return f"Here I ask {first} first from now on" + (f", then {others}." if others else ".")


ENGLISH: Final = CommandSentences(
    summaries={},
    ranks={
        Rank.MEMBER: "for members",
        Rank.ADMIN: "for admins",
        Rank.OWNER: "for the owner",
    },
    help_opening="Write to me as to anybody. A message that begins with one of these is for me:",
    commands_opening="Every command there is, and for whom:",
    approve=ApproveSentences(
        nothing="Nothing waits for a decision here.",
        waiting="These wait for a decision here. /approve, its name, and once, always or no:",
        unknown=lambda code: f"There is no question {code!r}.",
        how=lambda code: f"Write /approve {code} and then once, always or no.",
        not_yours=lambda code: f"That is not yours to decide. {code} still waits.",
        expired=lambda code: f"{code} is over: nobody decided in time, which is a no.",
        refused_before=lambda code, who: f"{code} was refused already, by {who}.",
        approved_before=lambda code, who: f"{code} was approved already, by {who}.",
        withdrawn=lambda code: f"{code} is withdrawn: what asked for it has ended.",
        too_late=lambda code: f"Somebody else decided about {code} a moment before you.",
        done={
            Decision.ONCE: lambda code: f"Approved {code}, this once.",
            Decision.ALWAYS: lambda code: (
                f"Approved {code}. Exactly this I will not ask for again "
                "(stonechat approvals revoke takes that back)."
            ),
            Decision.NO: lambda code: f"Refused {code}.",
        },
    ),
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
        mode="mode",
        waiting=_waiting,
        sandbox="Programs run in",
        tools="Tools",
        tokens="Used here",
        spent=lambda given, got, calls: f"{given:,} tokens in, {got:,} out, {calls:,} model calls",
        cost="Spent today",
        nothing_chosen="nothing, all as configured",
        since="Since",
        began=lambda day, times: f"{day}{_ANEW.get(times, f', begun anew {times:,} times')}",
    ),
    new="We begin anew. What was before is kept: /resume brings it back.",
    resume=ResumeSentences(
        nothing="There is nothing to go back to.",
        listed="These came before, the latest first. /resume and its number brings one back:",
        no_such=lambda said: f"There is no {said!r}. These came before, the latest first:",
        back=lambda opening: f"We go on from what began with: {opening}",
    ),
    model=ModelSentences(
        by_default="Nothing is chosen here. I ask these, in this order:",
        chosen="Chosen here is the one with the mark; I ask it first, then the others in order:",
        back_to_default=lambda chain: f"Nothing is chosen here any more. I ask {chain}.",
        no_such=lambda said: f"There is no model {said!r}. These there are, and nothing changed:",
        set_to=_set_to,
    ),
    think=ThinkSentences(
        by_default=lambda levels: (
            f"No level is chosen here: the model decides. There are {levels}."
        ),
        chosen=lambda now, levels: f"The level here is {now}. There are {levels}, and default.",
        back_to_default="No level is chosen here any more: the model decides.",
        no_such=lambda said, levels: (
            f"There is no level {said!r}, and nothing changed. There are {levels}, and default."
        ),
        set_to=lambda level: f"The level here is {level} from now on.",
        falls=lambda level, can, model: (
            f"The level here is {level} from now on. {model} does not have it and uses {can}."
        ),
        deaf=lambda level, model: (
            f"The level here is {level} from now on, for models that can be told. "
            f"I know of no way to tell {model}: it thinks as it does."
        ),
    ),
    verbose=VerboseSentences(
        now=lambda now, levels: f"It is {now} here. There are {levels}.",
        no_such=lambda said, levels: (
            f"There is no {said!r} here, and nothing changed. There are {levels}."
        ),
        set_to={
            Verbosity.OFF: "I only show answers here from now on.",
            Verbosity.ON: "From now on I show here what I did before each answer.",
            Verbosity.FULL: "From now on I show here what I did, and what came of it.",
        },
    ),
    history=HistorySentences(
        by_default="No number is chosen here: the model sees as many turns as configured.",
        now=lambda turns: f"The model sees the latest {turns:,} turns here.",
        back_to_default="The model sees as many turns here as configured.",
        no_such=lambda said, most: (
            f"{said!r} is no number of turns, and nothing changed. It can be 1 to {most:,}."
        ),
    ),
    export=ExportSentences(
        nothing="There is nothing to export here yet.",
        written=lambda where, turns: (
            f"{turns:,} {'turn is' if turns == 1 else 'turns are'} written down in {where}."
        ),
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
    trace=TraceSentences(
        what_to_do="What to do:",
        only_direct="Ask me that in a direct chat: it is nobody's business but yours.",
        no_such="I know of no message of that name that you may see. /trace alone tells of your "
        "last one.",
        nothing_yet="There is nothing to tell of yet.",
    ),
)

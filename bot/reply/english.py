"""The bot's own sentences in English."""

from typing import Final

from bot.contracts.budget import LimitMet, Scope, written
from bot.contracts.decision import Decision
from bot.contracts.turn import Failure, Rank
from bot.reply.sentences import QuestionSentences, Sentences

_FOR: Final = {
    Rank.STRANGER: "everybody",
    Rank.GUEST: "those I know",
    Rank.MEMBER: "members",
    Rank.ADMIN: "admins",
    Rank.OWNER: "my owner alone",
}


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


_WHOSE: Final = {
    Scope.TURN: "one message",
    Scope.SESSION: "this conversation a day",
    Scope.PERSON: "you a day",
    Scope.OTHERS: "all members and guests together a day",
    Scope.AGENT: "this agent a day",
    Scope.BACKGROUND: "background work a day",
    Scope.DAY: "a day",
}


def _amounts(met: LimitMet) -> str:
    limit, spent = written(met.limit, met.unit), written(met.spent, met.unit)
    return f"{spent} of the {limit} for {_WHOSE[met.scope]} (`{met.setting}`)"


def _spent(met: LimitMet) -> str:
    if met.until is None:
        return (
            f"I stopped, because the next step may cost more than what is left: {_amounts(met)} is "
            "spent. Write again and I will go on from here."
        )
    return (
        f"I stopped, because the next step may cost more than what is left: {_amounts(met)} is "
        f"spent. It begins anew at {met.until:%H:%M on %Y-%m-%d}; my owner can go on at once with "
        "`/allow`."
    )


def _nearly_spent(met: LimitMet) -> str:
    begins = "" if met.until is None else f" It begins anew at {met.until:%H:%M on %Y-%m-%d}."
    return f"Nearly used up: {_amounts(met)}.{begins}"


ENGLISH: Final = Sentences(
    interrupted="Stopped.",
    failed=lambda reason: f"I could not finish this: {reason}.",
    no_answer="I have no answer to this: the model said nothing. Please ask again.",
    failures={
        Failure.MODEL_CALLS: (
            "I stopped because this used up its limit of model calls. "
            "Write again and I will go on from here."
        ),
        Failure.TOOL_CALLS: (
            "I stopped because this used up its limit of tool calls. "
            "Write again and I will go on from here."
        ),
        Failure.REPETITION: (
            "I stopped because I was going round in circles. Please say it in another way."
        ),
        Failure.EMPTY: "I have no answer to this: the model said nothing. Please ask again.",
        Failure.NOT_RECORDED: (
            "I could not write down what I was doing (my log says why), so I stopped. "
            "Please send it again."
        ),
        Failure.UNFINISHED: (
            "I stopped before I was done. Some of the work may have happened already, "
            "so please check before you ask for it again."
        ),
        Failure.THREE_CRASHES: (
            "This message stopped me three times, so I will not try it again. "
            "Please ask in another way."
        ),
        Failure.TOO_LATE: (
            "I was away for too long to go on with this, so I left it alone. "
            "Please send it again if it still matters."
        ),
        Failure.ROLLED_BACK: (
            "My memory was restored from a backup while I worked on this, and I cannot tell what "
            "I had already done. Please check before you ask for it again."
        ),
        Failure.UNKNOWN_EFFECT: (
            "I was interrupted while something ran. I cannot tell whether it finished, and I did "
            "not run it again. Please check before you ask for it again."
        ),
        Failure.REFUSED_TWICE: (
            "You said no twice, so I stopped with this. Tell me what to do instead."
        ),
        Failure.AGENT_GONE: (
            "The assistant that this message was for has been removed from my settings before it "
            "could begin. Please send it again; another one will answer."
        ),
        Failure.BROKEN: "Something broke inside me, so I could not finish this. My log says what.",
    },
    spent=_spent,
    nearly_spent=_nearly_spent,
    nearly_spent_by=lambda met, person: f"{_nearly_spent(met)} It was {person} who used it last.",
    queue_full=lambda waiting: (
        f"I did not take this message, because {_count(waiting, 'message')} already "
        f"{'waits' if waiting == 1 else 'wait'} here. Please send it again later, or write /stop."
    ),
    nothing_to_stop="There is nothing to stop.",
    not_yours_to_stop="What runs here is somebody else's: you can stop what you began.",
    cancelled=lambda waiting, running: (
        f"{'Stopped, and ' if running else ''}{_count(waiting, 'message')} that"
        f" {'was' if waiting == 1 else 'were'} waiting"
        f" {'was' if waiting == 1 else 'were'} cancelled."
    ),
    displaced=(
        "I left this message out, because newer ones came while too many waited here. "
        "Please send it again if it still matters."
    ),
    not_started="Stopped before I had begun with it.",
    not_delivered=lambda reason: (
        f"I had an answer and could not bring it to you: {reason}. Please ask again."
    ),
    not_paired=lambda code, command: (
        f"I do not know you, and keep nothing of what you wrote. Your code is {code}. Whoever runs "
        f"me lets you in within an hour: `{command} {code}`, or /pair {code} to me. Then write "
        "again."
    ),
    owner_made="You are my owner here from now on.",
    wrong_code="This is not the code. Ask the terminal for a new one: it works for ten minutes.",
    too_long=lambda most: (
        f"I did not take this message: it is longer than {most:,} characters. Please send it as "
        "a file, or in parts."
    ),
    too_fast="You write faster than I read. I took the first messages; please wait a little.",
    gates={
        "room:not-listed": lambda where, setting: (
            f"I do not listen in {where}. To change that, put it below `{setting}` in config.yaml "
            "and start me again."
        ),
        "rooms:disabled": lambda where, setting: (
            f"I listen in no room, and so not in {where}. To change that, set `{setting}` to "
            "allowlist in config.yaml, list the room and start me again."
        ),
        "room:not-mentioned": lambda where, setting: (
            f"In {where} I answer who names me, replies to me or gives me a command. For more, "
            f"write `mention: off` below `{setting}` in config.yaml and start me again."
        ),
        "direct:disabled": lambda _, setting: (
            f"I answer nobody in direct chats here. To change that, set `{setting}` to pairing in "
            "config.yaml and start me again."
        ),
        "message:empty": lambda _, __: (
            "There was nothing in your message that I can read: no words and no file."
        ),
    },
    anew=lambda days: (
        f"It was quiet here for over {_count(days, 'day')}, so we begin anew. "
        "/resume brings back what was before."
    ),
    not_permitted=lambda what, least: f"{what} is for {_FOR[least]}. Nothing was changed.",
    command_failed=lambda reason: f"That did not work: {reason}. Nothing was changed.",
    command_broke="Something broke inside me, so I did nothing. My log says what.",
    question=QuestionSentences(
        may_i="May I do this?",
        because=lambda why: f"I have to ask, because {why}.",
        hidden="«U+…» stands for a character that would not show.",
        open_for=lambda who, minutes, until: (
            f"Asked for {who}. It stays open for {_count(minutes, 'minute')}, until {until}; "
            "after that it is a no."
        ),
        or_write="Or write:",
        choices={Decision.ONCE: "Once", Decision.ALWAYS: "Always", Decision.NO: "No"},
        expired=lambda code: f"Nobody decided about {code} in time, so I did not do it.",
    ),
)

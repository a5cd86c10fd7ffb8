"""The reasons of admissions and outcomes in plain words, each with what to do about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bot.contracts.delivery import DeliveryState
from bot.contracts.inbound import ConversationKind, Inbound


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A reason for a person: a sentence that goes on from "because", and what to do."""

    why: str
    fix: str = ""


_Say = Callable[[Inbound], Words]


def of_admission(reason: str, inbound: Inbound) -> Words:
    """Say why a message was admitted or kept back, and what to do where a gate closed (pure)."""
    say = _ADMISSIONS.get(reason)
    if say is not None:
        return say(inbound)
    first, _, rest = reason.partition(":")
    match first:
        case "command" if rest.startswith("refused:"):
            name = rest.removeprefix("refused:")
            return Words(
                why=f"the command /{name} needs a higher rank than its sender has",
                fix=f"Give them the rank: {_RANK} Or give the command yourself.",
            )
        case "command":
            return Words(why=f"it is the command /{rest}, which the bot itself answers")
        case "event" | "edit" | "deletion" | "owner" | "room":
            shown = rest.replace("-", " ").replace(":", ", ") or first
            return Words(why=f"it is no message but an event ({first}: {shown}), taken note of")
        case _:
            return Words(why=f"a rule applies: {reason}")


_RANK: Final = (
    "`stonechat pair approve CODE --rank member`, or `people:` in config.yaml with their id."
)


def _place(inbound: Inbound) -> str:
    where = inbound.conversation
    kind = "group" if where.kind is ConversationKind.GROUP else "room"
    return f"{kind} {where.title!r} ({where.id})" if where.title else f"{kind} {where.id}"


def _room(inbound: Inbound) -> str:
    return f'channels.{inbound.channel}.rooms.allow."{inbound.conversation.id}"'


def _not_listed(inbound: Inbound) -> Words:
    return Words(
        why=f"the {_place(inbound)} is not listed, and the bot listens only in rooms that are",
        fix=f"List it: `{_room(inbound)}: {{}}` in config.yaml, then start the bot again.",
    )


def _rooms_off(inbound: Inbound) -> Words:
    return Words(
        why=f"the bot listens in no room of {inbound.channel}",
        fix=f"Set `channels.{inbound.channel}.rooms.policy: allowlist` in config.yaml, list the "
        f"room as `{_room(inbound)}: {{}}`, and start the bot again.",
    )


def _not_mentioned(inbound: Inbound) -> Words:
    return Words(
        why="in a room the bot answers who names it, replies to it or gives it a command, and this "
        "message does none of that",
        fix="Name the bot in the message or reply to one of its own. To have it answer everything "
        f"there: `{_room(inbound)}: {{mention: off}}` in config.yaml.",
    )


def _not_in_room(inbound: Inbound) -> Words:
    return Words(
        why=f"its sender ({_who(inbound)}) is not among the people who may speak to the bot in the "
        f"{_place(inbound)}",
        fix=f'Add "{inbound.sender.id}" to `{_room(inbound)}.people` in config.yaml.',
    )


def _not_paired(inbound: Inbound) -> Words:
    return Words(
        why=f"the bot does not know its sender ({_who(inbound)}), and a stranger's words are "
        "neither read nor kept",
        fix="They got a code when they first wrote. Let them in with `stonechat pair approve CODE` "
        "(`stonechat pair` lists who waits), or `/pair CODE` in your own chat with the bot.",
    )


def _not_allowed(inbound: Inbound) -> Words:
    direct = f"channels.{inbound.channel}.direct"
    return Words(
        why=f"its sender ({_who(inbound)}) is not on the list of who may write to the bot",
        fix=f'Add "{inbound.sender.id}" to `{direct}.allow` in config.yaml, or set '
        f"`{direct}.policy: pairing` so that strangers can ask to be let in.",
    )


def _direct_off(inbound: Inbound) -> Words:
    return Words(
        why=f"direct chats on {inbound.channel} are switched off",
        fix=f"Set `channels.{inbound.channel}.direct.policy: pairing` in config.yaml.",
    )


def _bot(inbound: Inbound) -> Words:
    return Words(
        why="its sender is a bot, and bots are not answered, so that two of them cannot talk for "
        "ever",
        fix=f"In a room that is listed: `{_room(inbound)}: {{bots: allow}}` in config.yaml."
        if inbound.conversation.kind is not ConversationKind.DIRECT
        else "",
    )


def _who(inbound: Inbound) -> str:
    """Name a sender by the id that settings know, which nobody can borrow."""
    return f"{inbound.channel}:{inbound.sender.id}"


def _says(why: str, fix: str = "") -> _Say:
    return lambda _inbound: Words(why=why, fix=fix)


_ADMISSIONS: Final[Mapping[str, _Say]] = {
    "direct:listed": _says("whoever wrote it may write to the bot"),
    "direct:open": _says("the direct chats of this channel are open to everybody"),
    "room:mentioned": _says("it names the bot"),
    "room:replied-to": _says("it replies to a message of the bot"),
    "room:named": _says("it names the bot, by a pattern of the settings"),
    "room:listens-to-all": _says("the bot answers everything in this room"),
    "room:not-listed": _not_listed,
    "rooms:disabled": _rooms_off,
    "room:not-mentioned": _not_mentioned,
    "room:not-mentioned:not-kept": _not_mentioned,
    "room:sender-not-listed": _not_in_room,
    "sender:not-paired": _not_paired,
    "sender:not-listed": _not_allowed,
    "sender:bot": _bot,
    "sender:me": _says("the bot wrote it itself"),
    "sender:too-fast": _says(
        "its sender wrote more in a minute than the bot takes from one person",
        "Send it again; nothing of it was kept.",
    ),
    "direct:disabled": _direct_off,
    "loop:bots": _says("bots wrote too much to each other, and the bot stopped listening to them"),
    "message:empty": _says("there was nothing in it: no words, no file", "Write something."),
    "message:too-long": _says("it is longer than the bot takes", "Send it in parts, or as a file."),
    "queue:full": _says(
        "too many messages were waiting before it, and it was turned away",
        "Wait until some are answered and send it again, or stop what runs with /stop. "
        "`stonechat turns --open` shows what waits.",
    ),
    "command:stop": _says("it is a stop, which the bot carries out at once"),
    "command:unknown": _says("the bot has no command of that name", "/help lists the commands."),
    "owner:made": _says("it holds the code that makes its sender owner"),
    "owner:wrong-code": _says(
        "it holds a code that is wrong or too old", "`stonechat owner code` makes a new one."
    ),
}

LIMITS: Final = "Ask for less at once, or raise `limits:` in config.yaml."

FAILURES: Final[Mapping[str, Words]] = {
    "model_calls": Words(why="it needed more model calls than one message may make", fix=LIMITS),
    "tool_calls": Words(why="it needed more tool calls than one message may make", fix=LIMITS),
    "spending": Words(
        why="the budget is spent",
        fix="`/usage` shows what was used. The owner may go on with `/allow`, or raise `limits:` "
        "in config.yaml; a day's limit begins anew at midnight.",
    ),
    "refused_twice": Words(
        why="what it wanted to do was refused twice", fix="Ask for it in another way."
    ),
    "repetition": Words(why="the model kept asking for the same thing", fix="Ask in other words."),
    "empty": Words(why="the model said nothing that could be shown", fix="Ask again."),
    "unfinished": Words(why="the model stopped in the middle of its work", fix="Ask again."),
    "not_recorded": Words(
        why="the disk could not be written while it was answered",
        fix="Look at the free space of the disk and at the bot's log.",
    ),
    "three_crashes": Words(
        why="the bot died three times while it was answered", fix="The bot's log has the cause."
    ),
    "too_late": Words(why="it was found only when it was too late to answer", fix="Send it again."),
    "rolled_back": Words(why="an older backup was restored while it was answered"),
    "unknown_effect": Words(
        why="a tool was cut off, and nobody knows whether it did its work",
        fix="Look whether it did, then ask again.",
    ),
    "agent_gone": Words(
        why="the agent it was for is no longer in the settings",
        fix="`stonechat route` shows which agent answers now; send it again.",
    ),
    "broken": Words(why="of a fault of the bot itself", fix="The bot's log has the traceback."),
}
"""By `Failure`; those that are missing have their reason alone."""

MODEL_FAILED: Final = (
    "`stonechat models check` asks each model for one word and says what is wrong."
)

INTERRUPTIONS: Final[Mapping[str, str]] = {
    "stopped": "It waited, and was stopped before it began.",
    "deleted": "Its conversation, or the message itself, was deleted.",
    "displaced": "Too many messages waited, and it gave way to a newer one.",
}
"""By the reason of an outcome."""

GIVEN_UP: Final[Mapping[DeliveryState, str]] = {
    DeliveryState.REJECTED: "the platform refused it",
    DeliveryState.UNRESOLVED: "nobody knows whether it arrived, and it is not sent again",
    DeliveryState.CANCELLED: "it was no longer wanted",
}
UNDER_WAY: Final[Mapping[DeliveryState, str]] = {
    DeliveryState.PENDING: "it waits to be sent",
    DeliveryState.SENDING: "it is being sent",
    DeliveryState.UNKNOWN: "a send was cut off, and it is found out whether it arrived",
}

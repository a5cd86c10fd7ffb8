"""What goes out: one platform message's worth of words, and where it goes."""

from dataclasses import dataclass
from enum import StrEnum

from bot.contracts.document import Document
from bot.contracts.inbound import ConversationKey


class ReplyKind(StrEnum):
    """Whose words these are: the model's, or the bot's own."""

    ANSWER = "answer"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of the answers that a platform with buttons offers below a message."""

    label: str
    value: str
    """What pressing it says, as an `INTERACTION` inbound: a command, ``/approve kf47m no``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPayload:
    """One platform message's worth, in no dialect."""

    kind: ReplyKind
    body: Document
    fallback: str
    """The same as plain text, for a platform that refuses the markup."""
    choices: tuple[Choice, ...] = ()
    """Its buttons. Body and fallback name the same commands, for a platform that has none."""
    question: str = ""
    """The code of the question that it asks, so that a screen can show what became of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a reply goes, frozen at admission."""

    channel: str
    account: str
    conversation_id: str
    thread_id: str | None = None
    reply_to: str | None = None

    @property
    def conversation_key(self) -> ConversationKey:
        """The address of the conversation it goes to."""
        return ConversationKey(
            channel=self.channel,
            account=self.account,
            conversation_id=self.conversation_id,
            thread_id=self.thread_id,
        )

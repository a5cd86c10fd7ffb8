"""The words of the WebSocket, one dataclass a frame; docs/webchat-protocol.md shows them all."""

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from channels.webchat.places import UUID
from channels.webchat.question_frames import OfferedChoice, QuestionCard, QuestionFrame

PROTOCOL: Final = 1
"""Rises when a frame changes in a way that an older page or client would misread."""

LARGEST_FRAME: Final = 256 * 1024
"""Bytes of one frame from a client; a larger one ends the connection with close code 1009."""

LONGEST_TEXT: Final = 200_000
"""Characters of one message."""

NAME_HEADER: Final = "X-File-Name"
"""Names a file that is sent, percent-encoded as UTF-8."""

ClientId = Annotated[
    str,
    StringConstraints(pattern=f"^{UUID}$"),
]
"""A UUID in lower case, made by the client: the claim on its message."""

AttachmentId = Annotated[str, StringConstraints(pattern="^[0-9a-z]{26}$")]
"""What a file is called once the bot has it."""

TurnWord = Literal["queued", "running", "finishing", "retrying", "joined"]
"""How far a turn is, as the status frame says it."""

SetupWord = Literal["offered", "needed"]
"""Whether this reader may set the bot up, and whether no language model answers before it does."""

ToolWord = Literal["running", "ok", "error", "denied", "killed", "unknown", "asked"]
"""How far a call is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HelloFrame:
    """I am here, and I have every line up to `after_seq`; without it, I want none that was."""

    protocol: int
    after_seq: Annotated[int, Field(ge=0)] | None = None
    type: Literal["hello"] = "hello"


@dataclass(frozen=True, slots=True, kw_only=True)
class SayFrame:
    """A message. Repeated with the same id until it is accepted or refused for good.

    `replaces` is the id of an earlier one that it is said instead of; `attachments` are the
    ids of files that were sent before.
    """

    id: ClientId
    text: str
    attachments: tuple[AttachmentId, ...] | None = None
    replaces: ClientId | None = None
    type: Literal["say"] = "say"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopFrame:
    """Stop what runs. As durable as a message, and repeated in the same way."""

    id: ClientId
    type: Literal["stop"] = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class PressFrame:
    """A button below a line was pressed: its `value`. As durable as a message."""

    id: ClientId
    value: Annotated[str, StringConstraints(pattern="^/", max_length=200)]
    type: Literal["press"] = "press"


@dataclass(frozen=True, slots=True, kw_only=True)
class PingFrame:
    """Ask whether the other side is there."""

    type: Literal["ping"] = "ping"


ClaimFrame = SayFrame | StopFrame | PressFrame
"""What is claimed by its id, and repeated until it is accepted or refused for good."""

ClientFrame = HelloFrame | ClaimFrame | PingFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOffer:
    """A command that this reader may give: said as `/` and its name, or one of its aliases."""

    name: str
    summary: str
    arguments: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WelcomeFrame:
    """Who answers here. The lines up to `seq` follow; `earlier` says that some are left out.

    With `anew` every line the client has was deleted, and what follows is all there is. `rank`
    and `name` say who is signed in; the owner has no name here. `commands` are those they may give.
    """

    conversation: str
    seq: int
    protocol: int = PROTOCOL
    title: str | None = None
    model: str | None = None
    problem: str | None = None
    setup: SetupWord | None = None
    earlier: bool = False
    anew: bool = False
    rank: str | None = None
    name: str | None = None
    commands: tuple[CommandOffer, ...] = ()
    type: Literal["welcome"] = "welcome"


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutFrame:
    """Who answers here has changed: all of it as in a welcome, and what is left out is not so."""

    model: str | None = None
    problem: str | None = None
    setup: SetupWord | None = None
    type: Literal["about"] = "about"


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedFrame:
    """Your message is ours: committed as line `seq`. The same again for a repeated one."""

    id: str
    seq: int
    turn: str
    type: Literal["accepted"] = "accepted"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedFrame:
    """Your message is not ours. With `retry` (seconds) send it again later; without, never."""

    id: str
    reason: str
    retry: float | None = None
    type: Literal["refused"] = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """A file that came with a message; `size` in bytes."""

    id: str
    name: str
    media_type: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFrame:
    """One line of the conversation, for good. What is said has `html`, safe to insert.

    `steps` is how many calls its turn made; ``GET /conversations/<id>/steps/<turn>`` tells them.
    """

    seq: int
    direction: Literal["heard", "said"]
    turn: str
    at: str
    text: str
    html: str | None = None
    kind: Literal["answer", "notice"] | None = None
    source: str | None = None
    replaces: str | None = None
    attachments: tuple[AttachedFile, ...] | None = None
    steps: int | None = None
    choices: tuple[OfferedChoice, ...] | None = None
    question: QuestionCard | None = None
    type: Literal["line"] = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsFrame:
    """More words of the message being written, as plain text."""

    turn: str
    text: str
    type: Literal["words"] = "words"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFrame:
    """What the words of the message being written look like, safe to insert.

    The first `keep` elements stay as they are; `html` takes the place of the rest.
    """

    turn: str
    keep: int
    html: str
    type: Literal["shown"] = "shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFrame:
    """The message being written is whole; with `final` false it was progress, not the answer."""

    turn: str
    final: bool
    type: Literal["made"] = "made"


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedFrame:
    """The message being written was cut off: forget its words."""

    turn: str
    type: Literal["dropped"] = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFrame:
    """A call began (``running``) or ended."""

    turn: str
    call: str
    name: str
    state: ToolWord
    summary: str = ""
    type: Literal["tool"] = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusFrame:
    """How far a turn is. `into` names the running turn that a waiting message joined."""

    turn: str
    state: TurnWord
    reason: str | None = None
    into: str | None = None
    type: Literal["status"] = "status"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensSpent:
    """What a turn used, and what it cost in millionths of a US dollar."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    kept_tokens: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    micro_usd: int = 0
    unpriced_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedFrame:
    """The outcome of a turn is committed. `text` is all that it says, as plain text."""

    turn: str
    outcome: Literal["answered", "silent", "asked", "interrupted", "failed"]
    reason: str = ""
    text: str = ""
    usage: TokensSpent = TokensSpent()
    type: Literal["ended"] = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTurn:
    """A turn that waits or runs, with what would be on the screen already."""

    turn: str
    state: TurnWord
    words: str = ""
    html: str = ""
    """What the words look like."""
    tools: tuple[ToolFrame, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFrame:
    """Every turn that waits or runs, oldest first: what is not in it has ended."""

    turns: tuple[OpenTurn, ...]
    type: Literal["open"] = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenFrame:
    """The conversation was deleted: forget every line of it."""

    type: Literal["forgotten"] = "forgotten"


@dataclass(frozen=True, slots=True, kw_only=True)
class PongFrame:
    """I am here."""

    type: Literal["pong"] = "pong"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFrame:
    """What you sent was no frame; `reason` says why. Nothing became of it."""

    reason: str
    type: Literal["error"] = "error"


ServerFrame = (
    WelcomeFrame
    | AboutFrame
    | AcceptedFrame
    | RefusedFrame
    | LineFrame
    | QuestionFrame
    | WordsFrame
    | ShownFrame
    | MadeFrame
    | DroppedFrame
    | ToolFrame
    | StatusFrame
    | EndedFrame
    | OpenFrame
    | ForgottenFrame
    | PongFrame
    | ErrorFrame
)

Frame = ClientFrame | ServerFrame

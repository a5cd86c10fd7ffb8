"""Every error, addressed: the class says who must act next, the attributes say with what."""

from datetime import datetime
from enum import StrEnum

from bot.contracts.budget import LimitMet
from bot.contracts.turn import Failure, Usage


class BotError(Exception):
    """Something expected went wrong, and somebody can act on it. `str()` is one sentence."""


class ConfigError(BotError):
    """The operator must act: a setting is missing or wrong.

    Always names the setting, says what was found, what would be accepted and
    where it stands; a value that may be a secret is not shown.
    """

    def __init__(self, setting: str, found: str, expected: str, *, where: str = "") -> None:
        place = f"{where}: " if where else ""
        super().__init__(f"{place}{setting}: found {found}, expected {expected}")
        self.setting = setting
        self.found = found
        self.expected = expected
        self.where = where


class SetupRefused(BotError):
    """Whoever set something up must act: the sentence says what is wrong and what would be right.

    Nothing was changed.
    """


class NotInvited(BotError):
    """Whoever invited or shut out a person must act: the sentence says what is wrong."""


class AccessRefused(BotError):
    """Whoever let in, shut out or made somebody owner must act: the sentence says what is wrong."""


class StoreUnavailable(BotError):
    """The operator must act: nothing can be recorded (disk full, file broken, no rights).

    A channel that meets it tells its platform nothing, so that the message comes again.
    """


class AttachmentRefused(BotError):
    """Whoever sent a file must act: it is too large, empty, cut short, or not there any more."""


class StoreHeld(BotError):
    """The operator must act: another process has this state directory open."""


class AgentGone(BotError):
    """Whoever wrote must write again: the agent their message was for is no longer configured."""


class RecordUnreadable(BotError):
    """The operator must act: one record on disk does not fit its type."""


class LeaseLost(BotError):
    """Nobody here: somebody else has the turn by now. Stop, and write nothing."""


class ChannelError(BotError):
    """The courier must act: a send did not succeed."""


class RateLimited(ChannelError):
    """The courier waits `retry_after` seconds, as told."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"the platform asked for a pause of {retry_after:g} seconds")
        self.retry_after = retry_after


class ChannelUnavailable(ChannelError):
    """The request never left, so sending it again is safe."""


class SendRejected(ChannelError):
    """The platform said no for good."""


class SendUncertain(ChannelError):
    """The request left and no answer came; sending it again may send it twice."""


class Remedy(StrEnum):
    """What failover does about a failed model call."""

    RETRY = "retry"
    ROTATE_KEY = "rotate_key"
    NEXT_MODEL = "next_model"
    COMPACT = "compact"
    GIVE_UP = "give_up"


class ModelError(BotError):
    """Failover must act: a model call failed. `remedy` says how."""

    remedy = Remedy.GIVE_UP
    may_have_cost = False
    """Whether the provider may want money for it, and nobody knows how much."""


class ModelDisconnected(ModelError):
    """The connection broke, stalled, or ended without a stop reason; or the server stumbled.

    With *refused* the server itself said that it makes no answer.
    """

    remedy = Remedy.RETRY

    def __init__(
        self, message: str, *, retry_after: float | None = None, refused: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.may_have_cost = not refused


class KeyRefused(ModelError):
    """The key is wrong or may not use this model."""

    remedy = Remedy.ROTATE_KEY


class KeyExhausted(ModelError):
    """The key must rest: rate limit, or no money left (`until` is None if nobody knows).

    `spent` tells the second from the first: waiting a minute does not help then.
    """

    remedy = Remedy.ROTATE_KEY

    def __init__(self, message: str, *, until: datetime | None = None, spent: bool = False) -> None:
        super().__init__(message)
        self.until = until
        self.spent = spent


class ModelUnavailable(ModelError):
    """The model's server is down, overloaded or no such server at all."""

    remedy = Remedy.NEXT_MODEL


class ModelUnknown(ModelError):
    """The provider knows no model of that name."""

    remedy = Remedy.NEXT_MODEL


class ContextOverflow(ModelError):
    """The request is longer than the model's window."""

    remedy = Remedy.COMPACT


class RequestRefused(ModelError):
    """The provider says that the request itself is wrong."""

    remedy = Remedy.GIVE_UP


class ToolError(BotError):
    """The model must act: it becomes a result that says what is wrong, and never leaves."""


class FileMissing(ToolError):
    """There is no such file: another name, or a new file."""


class ToolDenied(ToolError):
    """The model must not ask again: this call is not allowed."""


class BudgetSpent(BotError):
    """The turn ends: it used up what `failure` names, and for SPENDING what `limit` is."""

    def __init__(self, message: str, failure: Failure, limit: LimitMet | None = None) -> None:
        super().__init__(message)
        self.failure = failure
        self.limit = limit


class CandidatesExhausted(BotError):
    """The turn fails: every model that could be tried was tried; the sentence names the causes."""


class TurnInterrupted(BotError):
    """The turn ends: somebody asked for it. *said* are the words that people had seen by then."""

    def __init__(self, message: str, *, said: str = "", usage: Usage | None = None) -> None:
        super().__init__(message)
        self.said = said
        self.usage = usage or Usage()

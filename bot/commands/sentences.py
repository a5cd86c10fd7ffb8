"""What a language must be able to say of the commands: every sentence of theirs, as one table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.contracts.budget import Allowance, Unit
from bot.contracts.decision import Decision
from bot.contracts.turn import Rank, Usage, Verbosity


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusSentences:
    """The labels of `/status`, and the words in it."""

    version: str
    model: str
    session: str
    chosen: str
    queue: str
    mode: str
    waiting: Callable[[int, bool], str]
    """How many messages wait, and whether one is being answered."""
    sandbox: str
    tools: str
    tokens: str
    spent: Callable[[int, int, int], str]
    """Input, output and calls."""
    cost: str
    """The label of what was spent today."""
    nothing_chosen: str
    since: str
    began: Callable[[str, int], str]
    """When this session began, and how many chapters it has had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeSentences:
    """What `/resume` says."""

    nothing: str
    listed: str
    no_such: Callable[[str], str]
    back: Callable[[str], str]
    """With what it began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSentences:
    """What `/model` says."""

    by_default: str
    chosen: str
    back_to_default: Callable[[str], str]
    no_such: Callable[[str], str]
    set_to: Callable[[str, str], str]
    """Who is asked first, and who if that fails; nobody, if empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkSentences:
    """What `/think` says."""

    by_default: Callable[[str], str]
    chosen: Callable[[str, str], str]
    back_to_default: str
    no_such: Callable[[str, str], str]
    set_to: Callable[[str], str]
    falls: Callable[[str, str, str], str]
    """The level, the one that the model has instead, the model."""
    deaf: Callable[[str, str], str]
    """The level, and a model that cannot be told how long to think."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerboseSentences:
    """What `/verbose` says."""

    now: Callable[[str, str], str]
    no_such: Callable[[str, str], str]
    set_to: Mapping[Verbosity, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySentences:
    """What `/history` says."""

    by_default: str
    now: Callable[[int], str]
    back_to_default: str
    no_such: Callable[[str, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportSentences:
    """What `/export` says."""

    nothing: str
    written: Callable[[str, int], str]
    """Where the files are, and how many turns are in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSentences:
    """The labels of `/usage`, and the words in it."""

    last: str
    session: str
    yours: str
    today: str
    background: str
    by_model: str
    by_person: str
    used: Callable[[Usage], str]
    of_limit: Callable[[int, Unit], str]
    """What a day may cost, behind what it has cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowSentences:
    """What `/allow` says."""

    usage: str
    nothing_stopped: str
    allowed: Callable[[Allowance], str]
    go_on: str
    """What the model is told of the turn that goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproveSentences:
    """What `/approve` says; most of it with the code of a question."""

    nothing: str
    waiting: str
    unknown: Callable[[str], str]
    how: Callable[[str], str]
    not_yours: Callable[[str], str]
    expired: Callable[[str], str]
    refused_before: Callable[[str, str], str]
    """With who refused it."""
    approved_before: Callable[[str, str], str]
    """With who approved it."""
    withdrawn: Callable[[str], str]
    too_late: Callable[[str], str]
    """Somebody else was quicker by a moment."""
    done: Mapping[Decision, Callable[[str], str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhoSentences:
    """The labels of `/whoami`, and the words in it."""

    account: str
    name: str
    rank: str
    place: str
    counts: str
    are: Mapping[Rank, str]
    """What somebody of a rank is here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSentences:
    """What `/trace` says around the trace itself."""

    what_to_do: str
    only_direct: str
    no_such: str
    nothing_yet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSentences:
    """The commands' sentences in one language."""

    summaries: Mapping[str, str]
    """One line of help for each command, by its name. A command that is missing shows its own."""
    ranks: Mapping[Rank, str]
    """Who may give a command, such as ``for admins``; nothing for everybody."""
    help_opening: str
    commands_opening: str
    pair_waiting: str
    pair_nobody: str
    pair_closed: str
    paired: Callable[[str, str], str]
    """Somebody was let in: their account, and what they call themself."""
    whoami: WhoSentences
    status: StatusSentences
    approve: ApproveSentences
    new: str
    resume: ResumeSentences
    model: ModelSentences
    think: ThinkSentences
    verbose: VerboseSentences
    history: HistorySentences
    export: ExportSentences
    usage: UsageSentences
    allow: AllowSentences
    trace: TraceSentences

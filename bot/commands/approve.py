"""``/approve``: decide about a call that waits for a person."""

from collections.abc import Mapping
from typing import Final

from bot.commands.say import card, said, sentences
from bot.contracts.approval import Approval, ApprovalState
from bot.contracts.command import Command, CommandAnswer, CommandContext, Ruling
from bot.contracts.decision import Decision
from bot.contracts.inbound import EventClass
from bot.contracts.reply import ReplyPayload
from bot.contracts.turn import Rank

_WORDS: Final[Mapping[str, Decision]] = {
    "once": Decision.ONCE,
    "yes": Decision.ONCE,
    "always": Decision.ALWAYS,
    "no": Decision.NO,
    "一次": Decision.ONCE,
    "总是": Decision.ALWAYS,
    "不": Decision.NO,
}
_TWO: Final = 2
"""A code and a decision."""


async def _approve(context: CommandContext, rest: str) -> CommandAnswer:
    """Decide, or say in one sentence why nothing was decided. Nothing is written here."""
    words, given = sentences(context).approve, rest.split()
    if not given:
        return await _waiting(context)
    code, approval = given[0], await context.store.approvals.get(given[0])
    if approval is None:
        return _say(words.unknown(code))
    decision = _WORDS.get(given[1].casefold()) if len(given) == _TWO else None
    if approval.state is not ApprovalState.ASKED or context.now >= approval.question.expires_at:
        return _say(_over(context, approval))
    if not may_decide(context, approval):
        return _say(words.not_yours(approval.question.code))
    if decision is None:
        return _say(words.how(approval.question.code))
    return CommandAnswer(
        replies=_confirmed(context, approval, decision),
        ruling=Ruling(approval=approval, decision=decision, too_late=(said(words.too_late(code)),)),
    )


def may_decide(context: CommandContext, approval: Approval) -> bool:
    """Whether who gave the command is an approver (pure).

    Approvers are listed by rank or by id. Nobody approves what they asked for themselves,
    unless their rank would let them do it unasked elsewhere: the owner and admins.
    """
    who = f"{context.inbound.channel}:{context.inbound.sender.id}"
    listed = {context.rank.name.lower(), who} & set(context.about.approvers())
    return bool(listed) and (who != approval.question.asker or context.rank >= Rank.ADMIN)


async def _waiting(context: CommandContext) -> CommandAnswer:
    words = sentences(context).approve
    found = await context.store.approvals.waiting(context.route.session_key)
    mine = [one for one in found if one.question.expires_at > context.now]
    if not mine:
        return _say(words.nothing)
    rows = [(one.question.code, f"{one.question.tool} {one.question.identity}") for one in mine]
    return CommandAnswer(replies=(said(words.waiting, card(rows)),))


def _over(context: CommandContext, approval: Approval) -> str:
    words, code = sentences(context).approve, approval.question.code
    who = approval.decided_name or approval.decided_by
    match approval.state:
        case ApprovalState.ASKED | ApprovalState.EXPIRED:
            return words.expired(code)
        case ApprovalState.REFUSED:
            return words.refused_before(code, who)
        case ApprovalState.APPROVED | ApprovalState.CARRIED_OUT:
            return words.approved_before(code, who)
        case ApprovalState.WITHDRAWN:
            return words.withdrawn(code)


def _confirmed(
    context: CommandContext, approval: Approval, decision: Decision
) -> tuple[ReplyPayload, ...]:
    """Confirm it, but for a button where it was asked: that shows it, and the answer follows."""
    here = context.inbound.conversation_key == approval.conversation
    if here and context.inbound.event is EventClass.INTERACTION:
        return ()
    return (said(sentences(context).approve.done[decision](approval.question.code)),)


def _say(sentence: str) -> CommandAnswer:
    return CommandAnswer(replies=(said(sentence),))


approve: Final = Command(
    name="approve",
    aliases=("批准",),
    summary="decide about what I asked to do",
    arguments="[id once|always|no]",
    least_rank=Rank.GUEST,
    run=_approve,
)

"""From a person's decision to the turn that it opens in the session that asked. Pure."""

from dataclasses import replace

from bot.contracts.admission import Dispatch
from bot.contracts.command import Ruling
from bot.contracts.decision import Decides
from bot.contracts.inbound import EventClass, Source
from bot.contracts.turn import Arrival, QueueMode, SessionChoices, TurnId


def decides(arrival: Arrival, ruling: Ruling) -> Decides:
    """Return what *arrival*, whose command decided *ruling*, does with its claim (pure)."""
    inbound = arrival.inbound
    return Decides(
        code=ruling.approval.question.code,
        decision=ruling.decision,
        by=f"{inbound.channel}:{inbound.sender.id}",
        name=inbound.sender.display_name,
        too_late=ruling.too_late,
    )


def decided(arrival: Arrival, ruling: Ruling) -> Arrival:
    """Return the arrival that goes on where it was asked: same place, same agent, same rank (pure).

    The rank is that of who asked first: whoever approves lends them one call, and no more.
    It is claimed by the question's code, so that a second decision could not open another.
    """
    asked, heard = ruling.approval.arrival, arrival.inbound
    inbound = replace(
        asked.inbound,
        source=Source(f"approval:{ruling.approval.question.code}"),
        event=EventClass.INTERACTION,
        sender=heard.sender,
        text=f"/approve {ruling.approval.question.code} {ruling.decision}",
        sent_at=heard.sent_at,
        native_id=heard.native_id,
        attachments=(),
        album_id=None,
        edited_source=None,
    )
    return replace(
        asked,
        turn_id=TurnId(f"{arrival.turn_id}d"),
        inbound=inbound,
        admission=Dispatch(reason="command:approve"),
        mode=QueueMode.FOLLOWUP,
        received_at=arrival.received_at,
        fresh_until=arrival.received_at + (asked.fresh_until - asked.received_at),
        not_before=None,
        replies=(),
        change=None,
        directives=SessionChoices(),
        told=f"(a decision about {ruling.approval.question.code})",
        unused_since=None,
        settles=ruling.approval.question.code,
    )

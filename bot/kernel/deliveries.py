"""From an outcome to what is sent: the rows that are committed with it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from bot.contracts.approval import Approval, Question
from bot.contracts.budget import Scope
from bot.contracts.channel import Channel
from bot.contracts.clock import Clock
from bot.contracts.delivery import Delivery, DeliveryState, OnUnknown, Receipt
from bot.contracts.inbound import ConversationKind
from bot.contracts.reply import ReplyKind, ReplyPayload, Target
from bot.contracts.transcript import Ending
from bot.contracts.turn import Outcome, Rank, Turn
from bot.reply import notices
from bot.reply.compose import compose, fits_anywhere
from bot.reply.question import question

_THEIRS: Final = frozenset({Scope.TURN, Scope.SESSION, Scope.PERSON})
"""Limits that concern who asked, whatever their rank."""

_EXPIRES: Final = timedelta(hours=24)
"""An answer that could not be brought for a day is told of, not sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliveries:
    """Makes the rows of the outbox."""

    channels: Mapping[tuple[str, str], Channel]
    """By name and account."""
    clock: Clock
    owner: Target | None = None
    """Where the owner is told what concerns them and happened elsewhere."""

    def of_ending(self, turn: Turn, ending: Ending) -> Sequence[Delivery]:
        """Return what tells how *turn* ended, and what it asks.

        What somebody asks who may not decide it is shown to the owner, too.
        """
        language = notices.language_of(turn.arrival.inbound.text)
        told = list(self.of_outcome(turn, ending.outcome))
        for asked in ending.questions:
            card, delivery_id = question(asked, language), f"{turn.id}!asked:{asked.code}"
            told.append(self._notice(turn, delivery_id, card, turn.arrival.target))
            if turn.arrival.rank < Rank.ADMIN and self.owner is not None:
                told.append(self._notice(turn, f"{delivery_id}:owner", card, self.owner))
        return told

    def of_expired(self, approval: Approval) -> Sequence[Delivery]:
        """Return the notice that nobody decided in time, which is a no."""
        arrival, code = approval.arrival, approval.question.code
        language = notices.language_of(arrival.inbound.text)
        return (
            self._made(
                Delivery(
                    id=f"{approval.turn_id}!expired:{code}",
                    turn_id=approval.turn_id,
                    session_key=arrival.route.session_key,
                    target=arrival.target,
                    payload=notices.question_expired(code, language),
                    on_unknown=OnUnknown.NEVER,
                    expires_at=self.clock.now() + _EXPIRES,
                )
            ),
        )

    def can_show(self, turn: Turn, asked: Question) -> bool:
        """Whether *asked* is one message where the answer of *turn* goes: nothing of it is cut."""
        target = turn.arrival.target
        channel = self.channels.get((target.channel, target.account))
        body = question(asked, notices.language_of(turn.arrival.inbound.text)).body
        return (channel.dialect.fits if channel else fits_anywhere)(body)

    def of_outcome(self, turn: Turn, outcome: Outcome) -> Sequence[Delivery]:
        """Return what tells *outcome* to who asked, in parts that fit the platform.

        Where the channel is no longer configured they wait, and go if it comes back in time.
        """
        target = turn.arrival.target
        channel = self.channels.get((target.channel, target.account))
        payloads = compose(
            outcome,
            direct=turn.arrival.inbound.conversation.kind is ConversationKind.DIRECT,
            language=notices.language_of(turn.arrival.inbound.text),
            fits=channel.dialect.fits if channel else fits_anywhere,
        )
        repeat = channel.capabilities.repeat if channel else OnUnknown.REPEAT_ONCE
        deliveries = [
            self._delivery(turn, _id(turn, number, payload, outcome), payload, repeat)
            for number, payload in enumerate(payloads)
        ]
        if channel is not None and channel.capabilities.reads_the_store:
            deliveries = [self._arrived(delivery) for delivery in deliveries]
        return (*deliveries, *self._warnings(turn, outcome))

    def _warnings(self, turn: Turn, outcome: Outcome) -> Iterator[Delivery]:
        """Give what tells of limits near their end: to who asked what is theirs, all to the owner.

        Their ids name the limit and its day, not the turn: however often one is made, its
        commit lets it in once.
        """
        arrival = turn.arrival
        language = notices.language_of(arrival.inbound.text)
        person = f"{arrival.inbound.channel}:{arrival.inbound.sender.id}"
        is_owner = arrival.rank is Rank.OWNER
        for met in outcome.warnings:
            day = turn.id if met.until is None else f"{met.until:%Y-%m-%d}"
            delivery_id = f"limit!{met.unit}/{met.scope}/{met.name}/{met.limit}!{day}"
            delivery_id = delivery_id.replace(":", "/")  # a colon parts an answer's pieces
            if is_owner or met.scope in _THEIRS:
                payload = notices.nearly_spent(met, language)
                yield self._notice(turn, f"{delivery_id}!theirs", payload, arrival.target)
            if not is_owner and self.owner is not None and met.scope is not Scope.TURN:
                payload = notices.nearly_spent(met, language, person)
                yield self._notice(turn, f"{delivery_id}!owner", payload, self.owner)

    def _notice(
        self, turn: Turn, delivery_id: str, payload: ReplyPayload, target: Target
    ) -> Delivery:
        return self._made(
            replace(self._delivery(turn, delivery_id, payload, OnUnknown.NEVER), target=target)
        )

    def _made(self, delivery: Delivery) -> Delivery:
        """Give *delivery* its receipt at once where its readers read the store."""
        channel = self.channels.get((delivery.target.channel, delivery.target.account))
        arrives = channel is not None and channel.capabilities.reads_the_store
        return self._arrived(delivery) if arrives else delivery

    def of_given_up(self, delivery: Delivery, reason: str) -> Sequence[Delivery]:
        """Return the notice that *delivery* did not arrive; a notice has none of its own."""
        if delivery.payload.kind is ReplyKind.NOTICE:
            return ()
        language = notices.language_of(delivery.payload.fallback)
        return (
            Delivery(
                id=f"{delivery.turn_id}!undelivered",
                turn_id=delivery.turn_id,
                session_key=delivery.session_key,
                target=delivery.target,
                payload=notices.not_delivered(reason, language),
                on_unknown=OnUnknown.NEVER,
                expires_at=self.clock.now() + _EXPIRES,
            ),
        )

    def _arrived(self, delivery: Delivery) -> Delivery:
        """Give *delivery* its receipt: with its commit it is where it has to be."""
        receipt = Receipt(message_ids=(delivery.id,), at=self.clock.now())
        return replace(delivery, state=DeliveryState.SENT, receipt=receipt)

    def _delivery(
        self, turn: Turn, delivery_id: str, payload: ReplyPayload, repeat: OnUnknown
    ) -> Delivery:
        return Delivery(
            id=delivery_id,
            turn_id=turn.id,
            session_key=turn.session_key,
            target=turn.arrival.target,
            payload=payload,
            on_unknown=repeat,
            expires_at=self.clock.now() + _EXPIRES,
        )


def _id(turn: Turn, number: int, payload: ReplyPayload, outcome: Outcome) -> str:
    if payload.kind is ReplyKind.NOTICE:
        return f"{turn.id}!{outcome.kind}" if number == 0 else f"{turn.id}!{outcome.kind}:{number}"
    return f"{turn.id}:{number}"

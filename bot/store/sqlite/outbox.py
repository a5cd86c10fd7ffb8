"""What waits to be brought to a platform: in order per conversation, one at a time."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.contracts.clock import Clock
from bot.contracts.delivery import Delivery, DeliveryState, GivenUp, Receipt
from bot.contracts.errors import RecordUnreadable
from bot.contracts.reply import Target
from bot.contracts.text import clean
from bot.store import codec
from bot.store.sqlite.bell import Bell
from bot.store.sqlite.db import Reader, Writer
from bot.store.sqlite.leases import Boot, require_delivery
from bot.store.sqlite.lines import next_seq
from bot.store.sqlite.rows import delivery_of, ticks, ticks_or_none

_LOOK_SECONDS: Final = 1.0
"""How long a missed wake-up may cost."""

_FIRST = """
    SELECT * FROM delivery AS one INDEXED BY delivery_open
    WHERE channel = :channel AND account = :account
      AND state IN ('pending', 'sending', 'unknown') AND boot = 0
      AND NOT EXISTS (
        SELECT 1 FROM delivery AS earlier
        WHERE earlier.channel = one.channel AND earlier.account = one.account
          AND earlier.conversation_id = one.conversation_id
          AND earlier.thread_id IS one.thread_id AND earlier.number < one.number
          AND earlier.state IN ('pending', 'sending', 'unknown'))
"""
"""The first of each conversation, unless it is being sent."""

_DUE: Final = (
    f"{_FIRST} AND (not_before IS NULL OR not_before <= :now OR started_at > :now)"
    " ORDER BY number LIMIT 1"
)
"""Also what was put off by a clock that has gone back since: nobody knows when that would be."""
_LATER: Final = f"SELECT MIN(not_before) FROM ({_FIRST})"  # noqa: S608 - constants


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settled:
    """The line that a delivery became, and whether its account has more to send."""

    seq: int
    more: bool


class SqliteOutbox:
    """The `Outbox` of one database."""

    def __init__(
        self, writer: Writer, reader: Reader, clock: Clock, boot: Boot, bell: Bell
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock
        self._boot = boot
        self._bell = bell

    async def lease(self, channel: str, account: str) -> Delivery | None:
        """Give out the next due delivery of an account, marked as being sent."""
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> Delivery | None:
            account_key = {"channel": channel, "account": account, "now": now}
            while (due := connection.execute(_DUE, account_key).fetchone()) is not None:
                try:
                    delivery_of(due)
                except RecordUnreadable as error:  # it must not hold up those behind it
                    _reject(connection, due, error)
                    continue
                return _begin(connection, due, self._boot, now)
            return None

        return await self._writer.write(unit, undo=self._unlease)

    async def repeat(self, delivery: Delivery) -> Delivery:
        """Mark an `unknown` delivery as being sent again.

        Raises:
            LeaseLost: it is no longer ours.
            ValueError: it was sent again before, and its rule allows once.
        """
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> Delivery:
            require_delivery(connection, delivery, self._boot)
            try:
                row = connection.execute(
                    "UPDATE delivery SET state = 'sending', repeats = repeats + 1, started_at = ?"
                    " WHERE id = ? RETURNING *",
                    (now, delivery.id),
                ).fetchone()
            except sqlite3.IntegrityError as error:  # the schema keeps the rule
                raise ValueError(
                    f"delivery {delivery.id!r} may not be sent again:"
                    f" {delivery.on_unknown}, and {delivery.repeats} times so far"
                ) from error
            return delivery_of(row)

        return await self._writer.write(unit)

    async def settle(self, delivery: Delivery, receipt: Receipt) -> int:
        """Record that it arrived; return its seq among the lines of the conversation."""

        def unit(connection: sqlite3.Connection) -> _Settled:
            require_delivery(connection, delivery, self._boot)
            seq = next_seq(connection)
            connection.execute(
                "UPDATE delivery SET state = 'sent', boot = 0, seq = ?, receipt = ? WHERE id = ?",
                (seq, codec.RECEIPT.encode(receipt), delivery.id),
            )
            return _Settled(seq=seq, more=_any_open(connection, delivery))

        settled = await self._writer.write(unit, then=self._ring_for_more)
        return settled.seq

    async def retry(self, delivery: Delivery, *, after: datetime, reason: str) -> None:
        """Put it off: proven not sent."""
        await self._put_off(delivery, DeliveryState.PENDING, after, reason)

    async def doubt(self, delivery: Delivery, *, after: datetime, reason: str) -> None:
        """Put it off as `unknown`: it may have been sent."""
        await self._put_off(delivery, DeliveryState.UNKNOWN, after, reason)

    async def give_up(
        self, delivery: Delivery, state: GivenUp, reason: str, *, notices: Sequence[Delivery] = ()
    ) -> None:
        """End it; later parts of the same turn are cancelled; queue *notices*, in one commit."""

        def unit(connection: sqlite3.Connection) -> None:
            require_delivery(connection, delivery, self._boot)
            connection.execute(
                "UPDATE delivery SET state = ?, boot = 0, reason = ? WHERE id = ?",
                (state, clean(reason), delivery.id),
            )
            _cancel_later_parts(connection, delivery)
            queue(connection, notices)

        await self._writer.write(unit, then=self._ring)

    async def wait(self, channel: str, account: str) -> None:
        """Return when a delivery of the account may be due (a hint; at most a second late)."""
        heard = self._bell.rings
        while (seconds := await self._seconds_until_due(channel, account)) > 0:
            await self._bell.wait(heard, min(seconds, _LOOK_SECONDS))
            if self._bell.rings != heard:
                return  # `lease` looks anyway, so that we need not

    async def _seconds_until_due(self, channel: str, account: str) -> float:
        now = ticks(self._clock.now())

        def unit(connection: sqlite3.Connection) -> float:
            account_key = {"channel": channel, "account": account, "now": now}
            if connection.execute(_DUE, account_key).fetchone() is not None:
                return 0.0
            (later,) = connection.execute(_LATER, account_key).fetchone()
            return _LOOK_SECONDS if later is None else (later - now) / 1e6

        return await self._reader.read(unit)

    async def _put_off(
        self, delivery: Delivery, state: DeliveryState, after: datetime, reason: str
    ) -> None:
        def unit(connection: sqlite3.Connection) -> None:
            require_delivery(connection, delivery, self._boot)
            connection.execute(
                "UPDATE delivery SET state = ?, boot = 0, not_before = ?, reason = ? WHERE id = ?",
                (state, ticks(after), clean(reason), delivery.id),
            )

        await self._writer.write(unit, then=self._ring)

    def _unlease(self, delivery: Delivery | None) -> None:
        """Give back what was leased for a courier that had gone: nothing was sent."""
        if delivery is None:
            return

        def unit(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE delivery SET boot = 0,"
                " state = CASE state WHEN 'sending' THEN 'pending' ELSE state END"
                " WHERE id = ? AND attempt = ?",
                (delivery.id, delivery.attempt),
            )

        self._writer.write_unheard(unit, then=self._ring)

    def _ring(self, _: object) -> None:
        self._bell.ring()

    def _ring_for_more(self, settled: "_Settled") -> None:
        if settled.more:
            self._bell.ring()


def _begin(connection: sqlite3.Connection, due: sqlite3.Row, boot: Boot, now: int) -> Delivery:
    row = connection.execute(
        "UPDATE delivery SET attempt = attempt + 1, boot = :boot,"
        " started_at = CASE state WHEN 'pending' THEN :now ELSE started_at END,"
        " state = CASE state WHEN 'pending' THEN 'sending' ELSE state END"
        " WHERE number = :number RETURNING *",
        {"boot": boot.number, "now": now, "number": due["number"]},
    ).fetchone()
    return delivery_of(row)


def _reject(connection: sqlite3.Connection, due: sqlite3.Row, error: RecordUnreadable) -> None:
    connection.execute(
        "UPDATE delivery SET state = 'rejected', reason = ? WHERE number = ?",
        (str(error), due["number"]),
    )


def queue(connection: sqlite3.Connection, deliveries: Sequence[Delivery]) -> Mapping[str, int]:
    """Add *deliveries*, in order; return the seq of those that became lines with it.

    One whose id is there already is the same one, not a second. What is `sent` from birth
    waits for the courier all the same where something before it does.
    """
    arrived: dict[str, int] = {}
    for delivery in deliveries:
        receipt = delivery.receipt if delivery.state is DeliveryState.SENT else None
        if receipt is not None and _any_before(connection, delivery.target):
            receipt = None
        seq = None if receipt is None else next_seq(connection)
        if _insert(connection, delivery, receipt, seq) and seq is not None:
            arrived[delivery.id] = seq
    return arrived


def _insert(
    connection: sqlite3.Connection, delivery: Delivery, receipt: Receipt | None, seq: int | None
) -> bool:
    target = delivery.target
    inserted = connection.execute(
        "INSERT INTO delivery (id, turn_id, session_key, channel, account, conversation_id,"
        " thread_id, target, payload, on_unknown, state, not_before, expires_at, replaces,"
        " seq, receipt)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO NOTHING",
        (
            delivery.id,
            delivery.turn_id,
            delivery.session_key,
            target.channel,
            target.account,
            target.conversation_id,
            target.thread_id,
            codec.TARGET.encode(target),
            codec.PAYLOAD.encode(delivery.payload),
            delivery.on_unknown,
            DeliveryState.PENDING if receipt is None else DeliveryState.SENT,
            ticks_or_none(delivery.not_before),
            ticks_or_none(delivery.expires_at),
            delivery.replaces,
            seq,
            None if receipt is None else codec.RECEIPT.encode(receipt),
        ),
    )
    return inserted.rowcount > 0


def _any_before(connection: sqlite3.Connection, target: Target) -> bool:
    """Whether a delivery to the same place is not final yet."""
    row = connection.execute(
        "SELECT 1 FROM delivery INDEXED BY delivery_order WHERE channel = ? AND account = ?"
        " AND conversation_id = ? AND thread_id IS ?"
        " AND state IN ('pending', 'sending', 'unknown') LIMIT 1",
        (target.channel, target.account, target.conversation_id, target.thread_id),
    ).fetchone()
    return row is not None


def _any_open(connection: sqlite3.Connection, delivery: Delivery) -> bool:
    row = connection.execute(
        "SELECT 1 FROM delivery INDEXED BY delivery_open WHERE channel = ? AND account = ?"
        " AND state IN ('pending', 'sending', 'unknown') LIMIT 1",
        (delivery.target.channel, delivery.target.account),
    ).fetchone()
    return row is not None


def _cancel_later_parts(connection: sqlite3.Connection, delivery: Delivery) -> None:
    """Cancel what follows *delivery* in its answer: ``<id>:1`` is a part, ``<id>!why`` is none."""
    series, colon, _ = delivery.id.rpartition(":")
    if not colon:
        return
    connection.execute(
        "UPDATE delivery SET state = 'cancelled', reason = 'an earlier part did not arrive'"
        " WHERE turn_id = ? AND state = 'pending' AND substr(id, 1, length(?)) = ?",
        (delivery.turn_id, series + colon, series + colon),
    )

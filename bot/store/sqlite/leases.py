"""Leases: each belongs to a boot and ends with it, never by the clock."""

import sqlite3
from dataclasses import dataclass
from typing import Final

from bot.contracts.delivery import Delivery
from bot.contracts.errors import LeaseLost
from bot.contracts.turn import Turn

NOBODY: Final = 0
"""The boot of a row without a lease."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boot:
    """One opening of the store."""

    number: int
    epoch: int


def begin(connection: sqlite3.Connection) -> Boot:
    """Count a new boot, with which every older lease has ended.

    What an older boot was sending has an unknown end; what it was running is
    left to `take`, which writes down why the attempt ended.
    """
    (number,) = connection.execute(
        "UPDATE meta SET value = value + 1 WHERE key = 'boot' RETURNING value"
    ).fetchone()
    (epoch,) = connection.execute("SELECT value FROM meta WHERE key = 'store_epoch'").fetchone()
    connection.execute(
        "UPDATE delivery SET state = 'unknown', boot = 0"
        " WHERE state IN ('sending', 'unknown') AND boot <> 0"
    )
    return Boot(number=number, epoch=epoch)


def require_turn(connection: sqlite3.Connection, turn: Turn, boot: Boot) -> None:
    """Raise LeaseLost unless *turn*, in this attempt, is still run by this boot."""
    row = connection.execute(
        "SELECT 1 FROM turn WHERE id = ? AND attempt = ? AND state = 'running' AND boot = ?",
        (turn.id, turn.attempt, boot.number),
    ).fetchone()
    if row is None:
        raise LeaseLost(f"turn {turn.id!r} is no longer run by its attempt {turn.attempt}")


def require_delivery(connection: sqlite3.Connection, delivery: Delivery, boot: Boot) -> None:
    """Raise LeaseLost unless *delivery*, in this attempt, is still leased by this boot."""
    row = connection.execute(
        "SELECT 1 FROM delivery WHERE id = ? AND attempt = ? AND boot = ?",
        (delivery.id, delivery.attempt, boot.number),
    ).fetchone()
    if row is None:
        raise LeaseLost(
            f"delivery {delivery.id!r} is no longer held by its attempt {delivery.attempt}"
        )

"""Guessing does not pay, and who guesses shuts out nobody else."""

from datetime import timedelta

from channels.webchat.lockout import Lockout
from tests.channels.webchat.house import HouseClock

_HERE = "192.0.2.1"


def test_ten_failures_a_minute_lock_the_door_until_the_minute_is_over() -> None:
    clock = HouseClock()
    lockout = Lockout(clock)
    for second in range(9):
        clock.ahead = timedelta(seconds=second)
        lockout.note_failure(_HERE)
    assert lockout.remaining(_HERE) == 0

    lockout.note_failure(_HERE)

    assert lockout.remaining(_HERE) == 52
    clock.ahead = timedelta(seconds=61)
    assert lockout.remaining(_HERE) == 0


def test_who_is_locked_out_locks_out_nobody_elsewhere() -> None:
    lockout = Lockout(HouseClock())
    for _ in range(50):
        lockout.note_failure(_HERE)

    assert lockout.remaining(_HERE) > 0
    assert lockout.remaining("192.0.2.2") == 0
    assert lockout.remaining(None) == 0


def test_many_addresses_together_are_locked_out_too() -> None:
    lockout = Lockout(HouseClock())
    for number in range(100):
        assert lockout.remaining("198.51.100.7") == 0
        lockout.note_failure(f"192.0.2.{number}")

    assert lockout.remaining("198.51.100.7") > 0


def test_addresses_of_one_ipv6_network_are_one() -> None:
    lockout = Lockout(HouseClock())
    for number in range(10):
        lockout.note_failure(f"2001:db8:1:2::{number}")

    assert lockout.remaining("2001:db8:1:2:ffff::1") > 0
    assert lockout.remaining("2001:db8:1:3::1") == 0


def test_what_is_no_address_is_counted_too() -> None:
    lockout = Lockout(HouseClock())
    for strange in ("", "unknown", "1.2.3", None, "x" * 1_000) * 2:
        lockout.note_failure(strange)

    assert lockout.remaining("nowhere") > 0


def test_a_flood_of_addresses_is_forgotten_oldest_first() -> None:
    lockout = Lockout(HouseClock())
    for number in range(5_000):
        lockout.note_failure(f"10.0.{number // 250}.{number % 250}")

    assert len(lockout._by_address) == 1_000


def test_who_came_by_ipv4_to_a_socket_of_both_kinds_is_counted_alone() -> None:
    """Such a socket shows every IPv4 address inside one and the same IPv6 network."""
    lockout = Lockout(HouseClock())
    for _ in range(10):
        lockout.note_failure("::ffff:192.0.2.1")

    assert lockout.remaining("::ffff:192.0.2.1") > 0
    assert lockout.remaining("192.0.2.1") > 0
    assert lockout.remaining("::ffff:192.0.2.2") == 0

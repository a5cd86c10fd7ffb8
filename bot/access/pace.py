"""How fast somebody may write: a bucket for each sender, and one for all strangers of a channel.

Whoever is known at least as a member has no bucket: what waits for them is capped by the queue.
"""

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Final

from bot.contracts.channel import Accepted
from bot.contracts.clock import Clock
from bot.contracts.inbound import Inbound
from bot.contracts.turn import Rank

BURST: Final = 20
"""Messages that one sender may write at once: nobody types faster, a paste may be cut so."""
A_SECOND: Final = 1.0
"""Messages a second that one sender may write for good."""
BURST_OF_ALL: Final = 200
A_SECOND_OF_ALL: Final = 5.0
"""The same for all strangers of a channel together: what they cost is a row each, and this
bounds how many."""
_MOST_SENDERS: Final = 4_096


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float

    def has_one(self, now: float, *, burst: float, a_second: float) -> bool:
        """Whether there is a drop left."""
        self.left = min(burst, self.left + (now - self.at) * a_second)
        self.at = now
        return self.left >= 1

    def take(self, now: float, *, burst: float, a_second: float) -> bool:
        """Take one drop, if there is one."""
        has_one = self.has_one(now, burst=burst, a_second=a_second)
        self.left -= has_one
        return has_one


@dataclass(slots=True)
class _Sender:
    """What is known of one sender: their bucket, and the row that tells of their flood."""

    bucket: _Bucket
    row: Accepted | None = None


class Paces:
    """The buckets of those who were not let in any further than as guests."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._senders: OrderedDict[tuple[str, ...], _Sender] = OrderedDict()
        self._strangers: dict[tuple[str, str], _Bucket] = {}

    def told_of(self, inbound: Inbound) -> Accepted | None:
        """Return the row that tells of a sender's flood, while it lasts and there is one.

        It costs a look into memory: nothing is asked of the store and nothing written.
        """
        sender = self._senders.get(_key(inbound))
        if sender is None or sender.row is None:
            return None
        if sender.bucket.has_one(self._clock.monotonic(), burst=BURST, a_second=A_SECOND):
            sender.row = None
            return None
        return replace(sender.row, source=inbound.source, duplicate=True)

    def bears(self, inbound: Inbound, rank: Rank) -> bool:
        """Count an event of somebody; say whether it is not one too many.

        A stranger's counts among those of all strangers of the channel, too.
        """
        if rank > Rank.GUEST:
            return True
        now = self._clock.monotonic()
        sender = self._senders.pop(_key(inbound), None) or _Sender(_Bucket(left=BURST, at=now))
        self._senders[_key(inbound)] = sender
        if len(self._senders) > _MOST_SENDERS:
            self._senders.popitem(last=False)
        bears = sender.bucket.take(now, burst=BURST, a_second=A_SECOND)
        if bears and rank is Rank.STRANGER:
            place = (inbound.channel, inbound.account)
            all_of_them = self._strangers.setdefault(place, _Bucket(left=BURST_OF_ALL, at=now))
            return all_of_them.take(now, burst=BURST_OF_ALL, a_second=A_SECOND_OF_ALL)
        return bears

    def tells(self, inbound: Inbound, row: Accepted) -> None:
        """Let *row* tell of what its sender floods the bot with from now on."""
        sender = self._senders.get(_key(inbound))
        if sender is not None:
            sender.row = row


def _key(inbound: Inbound) -> tuple[str, ...]:
    return (inbound.channel, inbound.account, inbound.sender.id)

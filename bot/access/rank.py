"""The rank of a sender, by platform ids alone: names can be borrowed."""

from collections.abc import Collection

from bot.contracts.inbound import Inbound
from bot.contracts.turn import Rank


def rank(inbound: Inbound, owners: Collection[str]) -> Rank:
    """Return what the sender may do here (pure).

    *owners* are ``<channel>:<sender id>``. An empty list makes nobody owner,
    and whoever is not listed is a stranger.
    """
    if f"{inbound.channel}:{inbound.sender.id}" in owners:
        return Rank.OWNER
    return Rank.STRANGER

"""The rank of a sender, by platform ids alone: names can be borrowed."""

from collections.abc import Collection
from dataclasses import dataclass

from bot.contracts.inbound import Inbound
from bot.contracts.people import People
from bot.contracts.turn import Rank


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """Who is owner, and who knows the rank of everybody else."""

    owners: Collection[str]
    """``<channel>:<sender id>``; an empty list makes nobody owner."""
    people: People

    async def of(self, inbound: Inbound) -> Rank:
        """Return what the sender may do here at this moment; whoever is not known is a stranger."""
        if f"{inbound.channel}:{inbound.sender.id}" in self.owners:
            return Rank.OWNER
        return min(await self.people.rank_of(inbound.channel, inbound.sender.id), Rank.ADMIN)

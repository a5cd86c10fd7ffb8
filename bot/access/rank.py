"""The rank of a sender, by platform ids alone: names can be borrowed."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from bot.access.policy import CLOSED, AccessPolicy
from bot.contracts.inbound import ConversationKind, Inbound
from bot.contracts.people import People
from bot.contracts.turn import Rank


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """Who is owner, and who knows the rank of everybody else.

    It is asked for every event alike: a text, a button, a slash command, an edit, a deletion, a
    reaction. Whoever caused the event is its sender, whatever they quote or press.
    """

    owners: Container[str]
    """``<channel>:<sender id>``; an empty list makes nobody owner."""
    people: People
    named: Mapping[str, Rank] = field(default_factory=dict)
    """The ranks that the settings give, by ``<channel>:<sender id>``."""
    policies: Mapping[str, AccessPolicy] = field(default_factory=dict)
    """The rules of each channel; what is not among them is closed."""
    owner_alone: bool = False
    """Whether everybody else stays outside for now: the settings are broken."""

    def policy(self, channel: str) -> AccessPolicy:
        """Return the rules of a channel."""
        return self.policies.get(channel, CLOSED)

    async def of(self, inbound: Inbound) -> Rank:
        """Return what the sender may do here at this moment; whoever is not known is a stranger.

        In a room, whoever may not speak there is one, too. What somebody was let in for in a
        direct chat counts for nothing in a room.
        """
        key = f"{inbound.channel}:{inbound.sender.id}"
        if key in self.owners:
            return Rank.OWNER
        policy = self.policy(inbound.channel)
        floor = None if self.owner_alone else policy.floor(inbound)
        if floor is None:
            return Rank.STRANGER
        known = max(floor, self.named.get(key, Rank.STRANGER))
        if inbound.conversation.kind is ConversationKind.DIRECT and policy.takes_recorded:
            known = max(known, await self.people.rank_of(inbound.channel, inbound.sender.id))
        return min(known, Rank.ADMIN)

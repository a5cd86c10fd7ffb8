"""The rules of access of one channel, as the settings have them: who may speak where."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from bot.contracts.inbound import Conversation, ConversationKind, Inbound
from bot.contracts.turn import Rank
from bot.settings.access import (
    Bots,
    DirectPolicy,
    DirectSettings,
    Mention,
    RoomSettings,
    RoomsPolicy,
    RoomsSettings,
)
from bot.settings.patterns import EXAMINED, safe_pattern
from bot.settings.root import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomRule:
    """Who may speak to the bot in a room, and when it listens."""

    needs_mention: bool
    people: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    rank: Rank = Rank.GUEST
    """What whoever may speak there may do at least."""
    takes_bots: bool = False

    def lets_speak(self, sender_id: str, role_ids: tuple[str, ...]) -> bool:
        """Whether somebody may speak there (pure); the owner may wherever the bot listens."""
        if not self.people and not self.roles:
            return True
        return sender_id in self.people or not self.roles.isdisjoint(role_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPolicy:
    """The rules of one channel. Whatever they do not allow is closed."""

    direct: DirectPolicy = DirectPolicy.ALLOWLIST
    listed: Mapping[str, Rank] = field(default_factory=dict)
    """Who may write in a direct chat by the settings, and as what."""
    takes_recorded: bool = False
    """Whether those count who were let in while it ran: approved, or invited."""
    rooms: RoomsPolicy = RoomsPolicy.DISABLED
    rules: Mapping[str, RoomRule] = field(default_factory=dict)
    """By room, by ``<space>/<room>`` or by ``<space>/*``."""
    otherwise: RoomRule | None = None
    """The rule of every other room, where all rooms are open."""
    patterns: tuple[re.Pattern[str], ...] = ()
    observes: bool = True
    role_ranks: Mapping[str, Rank] = field(default_factory=dict)

    def rule(self, conversation: Conversation) -> RoomRule | None:
        """Return the rule of a room, or None for one in which the bot does not listen (pure).

        A thread has the rule of its room, unless it has one itself.
        """
        if self.rooms is RoomsPolicy.DISABLED:
            return None
        space = conversation.space_id
        for room in (conversation.id, conversation.parent_id):
            if room is not None:
                found = self.rules.get(room) or (space and self.rules.get(f"{space}/{room}"))
                if found:
                    return found
        return (self.rules.get(f"{space}/*") if space else None) or self.otherwise

    def is_named(self, text: str) -> bool:
        """Whether *text* names the bot by a pattern of the settings (pure)."""
        return any(pattern.search(text, 0, EXAMINED) for pattern in self.patterns)

    def floor(self, inbound: Inbound) -> Rank | None:
        """Return what anybody may do there whom nothing else is known of; None for nothing.

        It is STRANGER where one has to be known to be admitted (pure).
        """
        if inbound.conversation.kind is ConversationKind.DIRECT:
            listed = self.listed.get(inbound.sender.id, Rank.STRANGER)
            is_open = self.direct is DirectPolicy.OPEN
            return max(listed, Rank.GUEST if is_open else Rank.STRANGER)
        rule = self.rule(inbound.conversation)
        if rule is None or not rule.lets_speak(inbound.sender.id, inbound.sender.role_ids):
            return None
        roles = (self.role_ranks.get(role, Rank.STRANGER) for role in inbound.sender.role_ids)
        return max(rule.rank, *roles, Rank.STRANGER)


CLOSED: Final = AccessPolicy()
"""Nobody but the owner, and no room: where nothing is said, and for what is not configured."""

OWN_DOOR: Final = AccessPolicy(takes_recorded=True)
"""Where the channel has a login of its own: who was invited, and no room."""


def policy_of(direct: DirectSettings, rooms: RoomsSettings) -> AccessPolicy:
    """Make the rules of a channel from its settings (pure)."""
    needs_mention = rooms.mention is Mention.REQUIRED
    return AccessPolicy(
        direct=direct.policy,
        listed=dict.fromkeys(direct.allow, direct.rank.rank),
        takes_recorded=direct.policy in {DirectPolicy.PAIRING, DirectPolicy.OPEN},
        rooms=rooms.policy,
        rules={room: _rule(settings, needs_mention) for room, settings in rooms.allow.items()},
        otherwise=RoomRule(needs_mention=needs_mention)
        if rooms.policy is RoomsPolicy.OPEN
        else None,
        patterns=tuple(map(safe_pattern, rooms.patterns)),
        observes=rooms.observe,
        role_ranks={role: rank.rank for role, rank in rooms.ranks.items()},
    )


def policies_of(settings: Settings) -> Mapping[str, AccessPolicy]:
    """Make the rules of every channel (pure)."""
    return {
        name: policy_of(section.direct, section.rooms)
        for name, section in settings.sections.items()
    }


def named_ranks(settings: Settings) -> Mapping[str, Rank]:
    """Return the ranks that the settings give to people, by ``<channel>:<id>`` (pure)."""
    return {each: person.rank.rank for person in settings.people.values() for each in person.ids}


def _rule(room: RoomSettings, needs_mention: bool) -> RoomRule:
    return RoomRule(
        needs_mention=needs_mention if room.mention is None else room.mention is Mention.REQUIRED,
        people=frozenset(room.people),
        roles=frozenset(room.roles),
        rank=room.rank.rank,
        takes_bots=room.bots is Bots.ALLOW,
    )

"""What the rules of access say that is legal and mostly a mistake: for ``stonechat check``."""

import re
from collections.abc import Iterable, Iterator, Mapping

from bot.contracts.channel import IdShapes
from bot.settings.access import DirectPolicy, RoomsPolicy
from bot.settings.channels import ChannelSection
from bot.settings.root import Settings

Doubt = tuple[str, str]
"""What is odd, and how it is mended."""


def doubts(settings: Settings, shapes: Mapping[str, IdShapes | None]) -> Iterator[Doubt]:
    """Give what is odd about the rules of the channels that *shapes* names (pure)."""
    for name, shape in shapes.items():
        section = settings.sections.get(name, ChannelSection())
        yield from _of_doors(name, section, settings)
        if shape is not None:
            yield from _of_ids(f"channels.{name}", section, shape)
    for person, written in settings.people.items():
        for each in written.ids:
            channel, _, number = each.partition(":")
            if channel not in shapes:
                yield (
                    f"people.{person}: {each} is of no channel that is configured",
                    f"write {channel}: below channels:, or take the id away",
                )
            elif (shape := shapes[channel]) is not None:
                yield from _odd(f"people.{person}.ids", (number,), shape.person, shape.example)


def _of_doors(name: str, section: ChannelSection, settings: Settings) -> Iterator[Doubt]:
    direct, rooms = section.direct, section.rooms
    if direct.policy is DirectPolicy.OPEN:
        yield (
            f"ANYBODY on {name} may talk to the bot in a direct chat, and spend your money",
            f"channels.{name}.direct.policy: pairing",
        )
    if rooms.policy is RoomsPolicy.OPEN:
        yield (
            f"the bot listens in EVERY room of {name} that it is taken into, to everybody there",
            f"channels.{name}.rooms.policy: allowlist, with the rooms below allow:",
        )
    named = [each for person in settings.people.values() for each in person.ids]
    listed = direct.allow or any(each.startswith(f"{name}:") for each in named)
    if direct.policy is DirectPolicy.PAIRING and not listed:
        yield (
            f"nobody is listed in direct chats of {name}: only owners and whoever you approve",
            "nothing, if that is meant; a stranger gets a code for `stonechat pair approve`",
        )
    if rooms.policy is RoomsPolicy.ALLOWLIST and not rooms.allow:
        yield (
            f"no room of {name} is listed: it listens in none",
            f"nothing, if that is meant; else list rooms by id below channels.{name}.rooms.allow",
        )


def _of_ids(above: str, section: ChannelSection, shape: IdShapes) -> Iterator[Doubt]:
    yield from _odd(f"{above}.direct.allow", section.direct.allow, shape.person, shape.example)
    for key, room in section.rooms.allow.items():
        place = f"{above}.rooms.allow"
        space, slash, inner = key.rpartition("/")
        if slash and shape.space:
            yield from _odd(place, (space,), shape.space, "")
        if inner != "*" or not slash:
            yield from _odd(place, (inner,), shape.room, "")
        yield from _odd(f"{place}.{key}.people", room.people, shape.person, shape.example)


def _odd(where: str, ids: Iterable[str], pattern: str, example: str) -> Iterator[Doubt]:
    for each in ids:
        if not re.fullmatch(pattern, each):
            such = f", such as {example}" if example else ""
            yield (
                f"{where}: {each!r} does not look like an id of the platform, and lets nobody in",
                f"write the id{such}; `/whoami` to the bot tells somebody theirs",
            )

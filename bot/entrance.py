"""Builds who may come in: the channels' rules, the owners, pairing, and the doorkeeper of all."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.access.gates import ToldOfGates
from bot.access.owners import Owners
from bot.access.pairing import Pairing
from bot.access.people import OwnerAlone, RecordedPeople
from bot.access.policy import OWN_DOOR, named_ranks, policies_of
from bot.access.rank import Ranks
from bot.assistant import Seams
from bot.contracts.channel import ChannelSpec
from bot.contracts.errors import ConfigError
from bot.contracts.people import Pairs, People
from bot.contracts.store import Store
from bot.http.access import AccessRoutes
from bot.kernel.doorkeeper import Doorkeeper, Memory, RoomNames
from bot.settings.root import Settings
from bot.settings.terminal import command_name
from channels import load_channel

ALWAYS: Final = frozenset({"webchat:owner"})
"""Whoever holds the page's link, and the terminal of the same user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrance:
    """Who may come in, and what decides it."""

    people: People
    doorkeeper: Doorkeeper
    pairs: Pairs | None
    """Who waits to be let in; None where nobody is let in for now."""
    routes: AccessRoutes


def load_channels(settings: Settings, *names: str) -> Mapping[str, ChannelSpec]:
    """Import every channel of the settings, or those of *names*.

    Raises:
        ConfigError: there is none of that name, or it has no rules of access and some are set.
    """
    specs = {
        name: load_channel(name, settings.module_of(name)) for name in names or settings.channels
    }
    for name, spec in specs.items():
        section = settings.sections.get(name)
        if spec.has_own_door and section is not None and section.has_rules:
            raise ConfigError(
                f"channels.{name}",
                "rules of access",
                f"none: it lets in whoever you invite (`{command_name()} web invite NAME`)",
                where=str(settings.config_file),
            )
    return specs


async def open_entrance(
    settings: Settings,
    specs: Mapping[str, ChannelSpec],
    store: Store,
    names: RoomNames,
    seams: Seams,
) -> Entrance:
    """Build it; *names* gives every id that a room has had.

    While the settings are not those of the file, only owners come in.

    Raises:
        StoreUnavailable: the owners cannot be read.
    """
    recorded = RecordedPeople(store.records, seams.clock, seams.ids)
    people: People = OwnerAlone(recorded) if settings.problem else recorded
    owners = Owners(store.records, seams.clock, seams.codes, ALWAYS)
    await owners.load()
    pairing = Pairing(store.records, recorded, seams.clock, seams.codes)
    own_doors = {name: OWN_DOOR for name, spec in specs.items() if spec.has_own_door}
    ranks = Ranks(
        owners=owners,
        people=people,
        named=named_ranks(settings),
        policies={**policies_of(settings), **own_doors},
        owner_alone=bool(settings.problem),
    )
    pairs = None if settings.problem else pairing
    memory = Memory.of(pairs, owners, ToldOfGates(store.records), seams.clock)
    shapes = {name: spec.ids for name, spec in specs.items() if not spec.has_own_door}
    return Entrance(
        people=people,
        doorkeeper=Doorkeeper(ranks, memory, names),
        pairs=pairs,
        routes=AccessRoutes(pairing, owners, shapes),
    )

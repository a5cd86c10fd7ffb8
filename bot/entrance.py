"""Builds who may come in: the channels' rules, the owners, pairing, and the doorkeeper of all."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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
class Rules:
    """Who may come in by one reading of the settings."""

    doorkeeper: Doorkeeper
    pairs: Pairs | None
    """Who waits to be let in; None where nobody is let in for now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrance:
    """Who came in, and what is remembered of them, whatever the settings say now."""

    specs: Mapping[str, ChannelSpec]
    people: People
    owners: Owners
    pairing: Pairing
    names: RoomNames
    memory: Memory
    routes: AccessRoutes

    def rules(self, settings: Settings) -> Rules:
        """Return what *settings* make of it. While they are broken, only owners come in."""
        broken = bool(settings.problem)
        own_doors = {name: OWN_DOOR for name, spec in self.specs.items() if spec.has_own_door}
        ranks = Ranks(
            owners=self.owners,
            people=self.people,
            named=named_ranks(settings),
            policies={**policies_of(settings), **own_doors},
            owner_alone=broken,
        )
        memory = replace(self.memory, pairing=None) if broken else self.memory
        return Rules(
            doorkeeper=Doorkeeper(ranks, memory, self.names), pairs=None if broken else self.pairing
        )


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
    specs: Mapping[str, ChannelSpec],
    store: Store,
    names: RoomNames,
    seams: Seams,
    is_broken: Callable[[], bool],
) -> Entrance:
    """Build it; *names* gives every id that a room has had.

    As long as *is_broken* says that the settings are, only owners come in.

    Raises:
        StoreUnavailable: the owners cannot be read.
    """
    recorded = RecordedPeople(store.records, seams.clock, seams.ids)
    owners = Owners(store.records, seams.clock, seams.codes, ALWAYS)
    await owners.load()
    pairing = Pairing(store.records, recorded, seams.clock, seams.codes)
    shapes = {name: spec.ids for name, spec in specs.items() if not spec.has_own_door}
    return Entrance(
        specs=specs,
        people=OwnerAlone(recorded, is_broken),
        owners=owners,
        pairing=pairing,
        names=names,
        memory=Memory.of(pairing, owners, ToldOfGates(store.records), seams.clock),
        routes=AccessRoutes(pairing, owners, shapes),
    )

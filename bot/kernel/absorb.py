"""Lets waiting messages join a turn that runs, and says so to whoever watches."""

from collections.abc import Collection, Sequence

from bot.contracts import faults
from bot.contracts.events import Bus, TurnAbsorbed
from bot.contracts.store import Turns
from bot.contracts.transcript import Received, Recorded
from bot.contracts.turn import QueueMode, Turn


async def absorb(
    turn: Turn, modes: Collection[QueueMode], *, turns: Turns, bus: Bus
) -> Sequence[Recorded]:
    """Let what waits in *modes* join *turn*; return it as it was recorded, in order."""
    with faults.commit("run.absorb"):
        recorded = await turns.absorb(turn, modes)
    for one in recorded:
        if isinstance(one.entry, Received) and one.entry.turn_id is not None:
            bus.publish(
                TurnAbsorbed(
                    conversation=turn.arrival.target.conversation_key,
                    turn_id=one.entry.turn_id,
                    into=turn.id,
                )
            )
    return recorded

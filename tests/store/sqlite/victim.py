"""A process that lives to be killed: it works on a store and says what was acknowledged.

``python -m tests.store.sqlite.victim <database> <round>``
"""

import asyncio
import sys

from bot.clock import SystemClock
from bot.contracts.delivery import Receipt
from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.store import Cursor, Store
from bot.contracts.transcript import Ending
from bot.contracts.turn import Lane, Outcome, OutcomeKind
from bot.store import open_store
from tests.doubles.arrivals import NOON, a_delivery, an_arrival

_AT_ONCE = 6


def say(*words: object) -> None:
    """Acknowledge, at once: what is said was committed."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


async def hear(store: Store, life: str) -> None:
    """Open turns in many conversations, without end."""
    for number in range(1_000_000):
        name = f"{life}-{number}"
        arrival = an_arrival(name, turn_id=name, conversation=f"c{number % _AT_ONCE}")
        results = await store.turns.open(arrival, cursor=Cursor(key=life, value=number))
        if "Full" not in repr(results):
            say("opened", name)
            say("cursor", number)
        await asyncio.sleep(0)


async def answer(store: Store) -> None:
    """Take turns and finish them, each with an answer in two parts."""
    while True:
        turn = await store.turns.take("victim", tuple(Lane))
        if turn is None:
            await asyncio.sleep(0)
            continue
        say("taken", turn.id, turn.attempt)
        words = AssistantMessage(text="yes", stop=StopReason.END)
        await store.transcripts.append(turn, words)
        say("appended", turn.id, turn.attempt)
        parts = [a_delivery(turn, "yes", part=part) for part in range(2)]
        await store.turns.finish(
            turn, Ending(outcome=Outcome(kind=OutcomeKind.ANSWERED, text="yes")), parts
        )
        say("finished", turn.id)


async def bring(store: Store) -> None:
    """Deliver what is due."""
    while True:
        delivery = await store.outbox.lease("page", "default")
        if delivery is None:
            await asyncio.sleep(0)
            continue
        seq = await store.outbox.settle(delivery, Receipt(message_ids=("1",), at=NOON))
        say("sent", delivery.id, seq)


async def main(database: str, life: str) -> None:
    """Do all of it at once until somebody ends it."""
    store = await open_store(f"sqlite://{database}", clock=SystemClock())
    say("ready")
    workers = [answer(store) for _ in range(3)]
    await asyncio.gather(hear(store, life), *workers, bring(store))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

"""Who listens to the queue: hints for them, and turns that were taken for them."""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence

from bot.contracts.clock import Clock
from bot.contracts.signals import Offer, Signal, StopAsked, Taken, WorkWaiting
from bot.contracts.turn import Turn, TurnId


class Listener:
    """One listener, and what it has not heard yet."""

    def __init__(self, offer: Offer | None) -> None:
        self.offer = offer
        self.signals: deque[Signal] = deque()
        self._promised = 0
        """Places that are kept for turns on their way to it."""
        self._woken = asyncio.Event()
        self._napping: asyncio.Future[None] | None = None

    @property
    def places(self) -> int:
        """How many turns could be promised to it now."""
        return 0 if self.offer is None else self.offer.places() - self._promised

    def promise(self, turns: int) -> None:
        """Keep places for so many turns."""
        self._promised += turns

    def keep_places(self, fits: Sequence[bool]) -> Sequence[bool]:
        """Keep a place for each that *fits*, as long as there are some; say for which."""
        places = self.places
        kept: list[bool] = []
        for one in fits:
            kept.append(one and places > 0)
            places -= one
        self.promise(kept.count(True))
        return kept

    def tell(self, signal: Signal) -> None:
        """Put *signal* on its way. That work waits needs no saying twice."""
        if not (self.signals and isinstance(signal, WorkWaiting) and signal == self.signals[-1]):
            self.signals.append(signal)
        self._woken.set()

    def heard(self) -> Iterator[Signal]:
        """Give out what is on its way."""
        while self.signals:
            signal = self.signals.popleft()
            self._promised -= isinstance(signal, Taken)
            yield signal

    def unheard_turns(self) -> Sequence[Turn]:
        """Return the turns that were taken for it and never reached it."""
        return [signal.turn for signal in self.signals if isinstance(signal, Taken)]

    async def wait(self, nap: "asyncio.Future[None] | None") -> None:
        """Return when something is on its way, or *nap* is over."""
        if not self.signals and not (nap and nap.done()):
            self._woken.clear()
            await self._woken.wait()

    def nap(self, clock: Clock, seconds: float) -> "asyncio.Future[None]":
        """Begin to sleep; the end of it ends a `wait`, too."""
        sleeping = asyncio.ensure_future(clock.sleep(seconds))
        sleeping.add_done_callback(lambda _: self._woken.set())
        self._napping = sleeping
        return sleeping

    def look_again(self) -> None:
        """End the nap: something may be due sooner than it was when it began."""
        if self._napping is not None:
            self._napping.cancel()


def withdraw(listener: Listener | None, kept: Sequence[object | None]) -> None:
    """Keep places no longer: what was to fill them has come, or never will."""
    if listener is not None:
        listener.promise(kept.count(None) - len(kept))


class Listeners:
    """All who listen."""

    def __init__(self) -> None:
        self._all: list[Listener] = []

    def add(self, offer: Offer | None) -> Listener:
        """Begin to tell somebody."""
        listener = Listener(offer)
        self._all.append(listener)
        return listener

    def remove(self, listener: Listener) -> None:
        """Tell it nothing more."""
        self._all.remove(listener)

    def __contains__(self, listener: Listener) -> bool:
        """Whether it still listens."""
        return listener in self._all

    def with_places(self) -> Listener | None:
        """Return one that offers places, if any does."""
        return next((listener for listener in self._all if listener.places > 0), None)

    def work_waits(self) -> None:
        """Hint to all that something may be taken."""
        for listener in self._all:
            listener.tell(WorkWaiting())

    def look_again(self) -> None:
        """Let all ask anew when something will be due."""
        for listener in self._all:
            listener.look_again()

    def stop_asked(self, turn_id: TurnId) -> None:
        """Hint to all that a running turn was asked to stop."""
        for listener in self._all:
            listener.tell(StopAsked(turn_id=turn_id))

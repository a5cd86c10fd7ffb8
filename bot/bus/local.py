"""The news inside one process: a listener has a short memory of its own, and a slow one forgets."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Final, Self

from bot.contracts.events import Event, WordsCame
from bot.contracts.inbound import ConversationKey

_MEMORY: Final = 1_000
"""How many events a listener may fall behind before it loses the oldest."""

_TOGETHER: Final = 4_096
"""Characters of unheard words from which on more of them are an event of their own."""


class LocalBus:
    """Carries the news between the tasks of one event loop."""

    def __init__(self) -> None:
        self._listeners: dict[ConversationKey, set[_Listener]] = {}

    def publish(self, event: Event) -> None:
        """Tell whoever listens to the event's conversation. Never waits, never fails."""
        for listener in self._listeners.get(event.conversation, ()):
            listener.hear(event)

    def follow(self, conversation: ConversationKey) -> AbstractContextManager[AsyncIterator[Event]]:
        """Listen to one conversation from the moment the context is entered."""
        return self._following(conversation)

    @contextmanager
    def _following(self, conversation: ConversationKey) -> Iterator[AsyncIterator[Event]]:
        listener = _Listener()
        listeners = self._listeners.setdefault(conversation, set())
        listeners.add(listener)
        try:
            yield listener
        finally:
            listeners.discard(listener)
            if not listeners:
                self._listeners.pop(conversation, None)


class _Listener:
    """One listener's events, in order. Cancelling a wait for the next one loses nothing.

    Words that follow words it has not heard yet are said with them.
    """

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=_MEMORY)
        self._heard = asyncio.Event()

    def hear(self, event: Event) -> None:
        events = self._events
        if events and isinstance(event, WordsCame):
            last = events[-1]
            if (
                isinstance(last, WordsCame)
                and last.turn_id == event.turn_id
                and len(last.text) < _TOGETHER
            ):
                events[-1] = replace(last, text=last.text + event.text)
                return
        events.append(event)
        self._heard.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        while not self._events:
            self._heard.clear()
            await self._heard.wait()
        return self._events.popleft()

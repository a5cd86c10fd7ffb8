"""The pictures of the conversations that somebody looked at lately."""

import asyncio
from collections.abc import Callable
from typing import Final

from bot.contracts.channel import Gateway
from bot.contracts.document import LiveDocument
from bot.contracts.inbound import ConversationKey
from channels.webchat.live import Live
from channels.webchat.places import PAGE, TERMINAL

_MOST: Final = 32
"""Beyond this many the one that was opened longest ago goes, if nobody watches it. Whoever comes
back to it in the middle of an answer sees it from there on."""


class Lives:
    """Follows conversations from the first look at them."""

    def __init__(self, live_document: Callable[[], LiveDocument]) -> None:
        self._live_document = live_document
        self._followed: dict[ConversationKey, tuple[Live, asyncio.Task[None]]] = {}
        self._group: asyncio.TaskGroup
        self._gateway: Gateway

    async def follow(self, gateway: Gateway) -> None:
        """Let pictures be opened until cancelled; the page's first and the terminal's at once."""
        self._gateway = gateway
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                self.open(PAGE)
                self.open(TERMINAL)
                await asyncio.Event().wait()
        finally:
            self._followed.clear()

    def open(self, conversation: ConversationKey) -> Live:
        """Return the picture of *conversation*, followed from now on; only while `follow` runs."""
        if (followed := self._followed.pop(conversation, None)) is None:
            live = Live(conversation, self._live_document)
            followed = (live, self._group.create_task(live.follow(self._gateway)))
        self._followed[conversation] = followed
        self._let_one_go()
        return followed[0]

    def get(self, conversation: ConversationKey) -> Live | None:
        """Return the picture of *conversation* if it is followed."""
        followed = self._followed.get(conversation)
        return None if followed is None else followed[0]

    def _let_one_go(self) -> None:
        idle = [key for key, (live, _) in self._followed.items() if not live.is_watched]
        if len(self._followed) > _MOST and idle:
            _, task = self._followed.pop(idle[0])
            task.cancel()

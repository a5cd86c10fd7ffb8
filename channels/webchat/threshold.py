"""What of whom is being taken over just now, so that shutting somebody out can wait for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


class ShutOut(Exception):
    """Whose message it was may say nothing here any more."""


class Threshold:
    """Carries messages over, each to its end, and none of whoever was shut out."""

    def __init__(self) -> None:
        self._shut: set[str] = set()
        self._under_way: dict[str, set[asyncio.Task[Any]]] = {}

    async def carry(self, person_id: str, taking: Coroutine[Any, Any, _T]) -> _T:
        """Take something over. It goes on to its end, even if nobody waits for it any more.

        Raises:
            ShutOut: nothing was begun.
        """
        if person_id in self._shut:
            taking.close()
            raise ShutOut
        task = asyncio.create_task(taking, name="take over")
        of_person = self._under_way.setdefault(person_id, set())
        of_person.add(task)

        def ended(task: asyncio.Task[Any]) -> None:
            of_person.discard(task)
            if not task.cancelled():
                task.exception()  # whoever asked was told, if they were still there

        task.add_done_callback(ended)
        return await asyncio.shield(task)

    async def shut(self, person_id: str) -> None:
        """Let nothing of *person_id* begin, and wait for what was begun."""
        self._shut.add(person_id)
        while under_way := self._under_way.get(person_id):
            await asyncio.wait(under_way)
        self._under_way.pop(person_id, None)

    def open(self, person_id: str) -> None:
        """Let them in again."""
        self._shut.discard(person_id)

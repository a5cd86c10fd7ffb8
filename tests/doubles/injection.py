"""Lets something happen at a chosen await of a turn: exactly there, and before it goes on."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any

_OF_A_TURN = ("Lanes._run", "Answers.answer", "Toolbox._one", "_run", "Toolbox._end")
"""The coroutines whose tasks together are one running turn."""


class Injection:
    """Installed on a loop, it counts the awaits of turns; at number *at* it runs *happens*.

    The task of the turn stands still meanwhile: what happens there is over before it goes on.
    """

    def __init__(self, happens: Callable[[], Awaitable[object]]) -> None:
        self._happens = happens
        self.at: int | None = None
        self.steps = 0
        self.happened = asyncio.Event()

    def install(self) -> None:
        asyncio.get_running_loop().set_task_factory(self._make)  # type: ignore[arg-type] # typeshed wants a Protocol

    def remove(self) -> None:
        asyncio.get_running_loop().set_task_factory(None)

    def arm(self, at: int) -> None:
        """Let it happen at the *at*-th await from now on."""
        self.at, self.steps = at, 0
        self.happened.clear()

    def _make(
        self,
        loop: asyncio.AbstractEventLoop,
        coroutine: Coroutine[Any, Any, Any],
        **options: Any,  # noqa: ANN401 - what a task factory is given
    ) -> "asyncio.Task[Any]":
        name = getattr(coroutine, "__qualname__", "")
        work = _Stepped(coroutine, self) if name in _OF_A_TURN else coroutine
        return asyncio.Task(work, loop=loop, **options)

    def step(self) -> "asyncio.Future[object] | None":
        """Count an await; return what is to be waited for there."""
        if self.at is None:
            return None
        self.steps += 1
        if self.steps != self.at + 1:
            return None
        self.at = None
        return asyncio.ensure_future(self._let_it_happen())

    async def _let_it_happen(self) -> None:
        await self._happens()
        self.happened.set()


class _Stepped(Coroutine[Any, Any, Any]):
    """A coroutine that asks before each step."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any], injection: Injection) -> None:
        self._coroutine = coroutine
        self._injection = injection
        self._waiting: tuple[asyncio.Future[object], Any] | None = None

    def send(self, value: Any) -> Any:  # noqa: ANN401 - a coroutine's own protocol
        if self._waiting is not None:
            (_, value), self._waiting = self._waiting, None
        elif (future := self._injection.step()) is not None:
            self._waiting = (future, value)
            future._asyncio_future_blocking = True
            return future
        return self._coroutine.send(value)

    def throw(self, *error: Any) -> Any:  # noqa: ANN401 - a coroutine's own protocol
        self._waiting = None
        return self._coroutine.throw(*error)

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        raise NotImplementedError

"""Tools that do what a test says, and say how often they did."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from bot.contracts.tool import Effect, Probe, Tool, ToolContext
from bot.tools.arguments import Arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(Arguments):
    """Say a word."""

    word: str = "hello"
    """The word."""


Act = Callable[[ToolContext, Word], Awaitable[str]]


class Ledger:
    """What tools really did: the witness that is not the bot's own table."""

    def __init__(self) -> None:
        self.acts: list[str] = []
        self.began = asyncio.Event()
        self.going_on = asyncio.Event()

    def tool(
        self,
        name: str = "act",
        *,
        effect: Effect = Effect.UNSAFE,
        act: Act | None = None,
        alone: bool = False,
        probe: Probe = Probe.UNCLEAR,
        timeout_seconds: float = 60.0,
    ) -> Tool[Any]:
        async def run(context: ToolContext, arguments: Word) -> str:
            self.acts.append(f"{name}:{arguments.word}")
            self.began.set()
            return await act(context, arguments) if act else f"said {arguments.word}"

        async def ask(context: ToolContext, arguments: Word) -> Probe:
            del context, arguments
            return probe

        return Tool(
            name=name,
            description=Word.purpose(),
            guidance="When a test wants it.",
            effect=effect,
            parameters=Word,
            run=run,
            probe=ask if effect is Effect.CHECKABLE else None,
            alone=alone,
            timeout_seconds=timeout_seconds,
        )

    async def wait_forever(self, context: ToolContext, arguments: Word) -> str:
        """An act that ends when it is cancelled."""
        del context, arguments
        await asyncio.Event().wait()
        return "never"

    async def note_the_end(self, context: ToolContext, arguments: Word) -> str:
        """An act that takes a few steps and says when it has ended."""
        del context
        try:
            for _ in range(4):
                await asyncio.sleep(0)
        finally:
            self.acts.append(f"end:{arguments.word}")
        return "ended"

    async def ignore_cancellation(self, context: ToolContext, arguments: Word) -> str:
        """An act that cannot be ended until the test lets it go on."""
        del context, arguments
        while not self.going_on.is_set():
            try:
                await self.going_on.wait()
            except asyncio.CancelledError:
                continue
        self.acts.append("ended late")
        return "late"

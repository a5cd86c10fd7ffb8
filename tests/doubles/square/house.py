"""The real bot on the square: its settings, its model, its terminal, and what its ledger says."""

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.cli.client import control
from bot.contracts.ledger import TurnQuery, TurnRecord
from bot.store import open_ledger
from tests.doubles.bot_process import BotProcess
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, Asked, Script
from tests.doubles.square.people import Person
from tests.doubles.square.server import Square


@dataclass(frozen=True)
class House:
    """A square and the bot that lives on it."""

    square: Square
    bot: BotProcess
    model: FakeOpenAI

    async def control(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        """Ask over the control socket, as the terminal does."""
        async with (
            control(self.bot.control_socket) as http,
            http.request(method, path, json=body) as response,
        ):
            return response.status, await response.text()

    async def own(self, person: Person) -> None:
        """Make *person* owner, as ``stonechat owner add`` does."""
        status, text = await self.control("POST", "/owners", {"who": f"square:{person.id}"})
        assert status == 200, text

    async def rows(self, *, of: Person | None = None) -> list[TurnRecord]:
        """Every row of the ledger, oldest first, or those that *of* caused."""
        await self.square.settled()
        ledger = await open_ledger(f"sqlite://{self.bot.home / 'stonechat.db'}")
        try:
            found = await ledger.turns(TurnQuery(limit=10_000))
        finally:
            await ledger.close()
        records = list(reversed(found))
        if of is None:
            return records
        return [one for one in records if one.turn.arrival.inbound.sender.id == str(of.id)]

    async def reasons(self, *, of: Person | None = None) -> list[str]:
        """Why each event was admitted or not, oldest first."""
        return [one.turn.arrival.admission.reason for one in await self.rows(of=of)]

    @property
    def questions(self) -> list[str]:
        """What the model was asked last in each request."""
        return [asked.question for asked in self.model.requests]


@asynccontextmanager
async def a_house(
    folder: Path,
    rules: Callable[[Square], dict[str, object]] | None = None,
    *,
    people: dict[str, object] | None = None,
    answers: Script | None = None,
    **settings: object,
) -> AsyncIterator[House]:
    """Start the bot with the rules that *rules* makes of a square whose rooms it knows.

    Its model repeats what it heard, unless there are other *answers*; *settings* are more of them.
    """

    def answer(asked: Asked) -> Answer:
        words = re.sub(r"^\[[^\]]*\] ", "", asked.question.splitlines()[-1])
        return Answer(text=f"heard: {words}")

    home = folder / "home"
    home.mkdir(mode=0o700)
    async with Square() as square, FakeOpenAI(answers or answer) as model:
        section = square.section(**(rules(square) if rules else {}))
        settings |= {"channels": {"webchat": {}, "square": section}, "people": people or {}}
        (home / "config.yaml").write_text(json.dumps(settings))
        environ = {"OPENAI_API_KEY": model.key, "OPENAI_BASE_URL": model.base_url}
        bot = BotProcess(home, environ)
        await bot.start()
        try:
            await square.connected(3)
            yield House(square, bot, model)
        finally:
            if not bot.is_dead:
                await bot.stop()

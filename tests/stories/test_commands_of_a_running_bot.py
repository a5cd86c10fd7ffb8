"""Commands through the real process, over a kill, and its sessions from another terminal."""

import asyncio
import json
from pathlib import Path

from tests.doubles.bot_process import BotProcess, Witness, a_witness
from tests.doubles.commands import Commands


async def answer(witness: Witness, text: str) -> str:
    """Say *text*, and return what was said to it."""
    said = await witness.say(text)
    await witness.outcome(said)
    return "\n".join(witness.answers(said))


async def test_a_new_beginning_survives_a_kill_and_so_does_what_was_before(tmp_path: Path) -> None:
    bot = BotProcess(tmp_path / "home")
    await bot.start()
    async with a_witness(bot) as witness:
        await answer(witness, "my cat is called Fern")
        assert "begin anew" in await answer(witness, "/new")
        await answer(witness, "/think high")
        await bot.kill()
        await bot.start()
        status = await answer(witness, "/status")
        assert "begun anew once" in status
        assert "thinking high" in status
        assert "my cat is called Fern" in await answer(witness, "/resume")
        assert await bot.stop() == 0


async def test_a_session_is_deleted_from_another_terminal_while_the_bot_runs(
    tmp_path: Path,
) -> None:
    commands = Commands(tmp_path)
    bot = BotProcess(commands.home)
    await bot.start()
    async with a_witness(bot) as witness:
        await answer(witness, "my cat is called Fern")
        await answer(witness, "/new")
        listed = await asyncio.to_thread(commands.say, "sessions", "list", "--json")
        [session] = json.loads(listed.out)
        deleted = await asyncio.to_thread(
            commands.say, "sessions", "delete", session["key"], "--yes"
        )
        assert (deleted.code, deleted.err) == (0, "")
        assert "nothing to go back to" in await answer(witness, "/resume")
        shown = await asyncio.to_thread(commands.say, "sessions", "export", session["key"])
        assert "Fern" not in shown.out
        assert await bot.stop() == 0

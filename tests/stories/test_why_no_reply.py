"""Why is there no reply? Asked of the real bot, by its trace, as somebody new to it would."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from bot.store.sqlite import CAPS
from tests.doubles.bot_process import ROOT
from tests.doubles.model_server import Answer, Asked, Gate, Raw, Script
from tests.doubles.square import Message, Place, Square
from tests.doubles.square.house import House, a_house

pytestmark = pytest.mark.timeout(240)


async def trace(house: House, *arguments: str) -> str:
    """What ``stonechat trace`` prints beside the running bot, unwrapped."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(house.bot.home.parent),
        "STONECHAT_HOME": str(house.bot.home),
        "COLUMNS": "80",
    }
    command = (sys.executable, "-m", "bot", "trace", *arguments)
    process = await asyncio.create_subprocess_exec(
        *command, env=environ, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    printed, _ = await process.communicate()
    assert process.returncode == 0
    lines = printed.decode().splitlines()
    assert max(map(len, lines)) <= 80, lines
    assert len(lines) <= 24, "one page of a terminal"
    return re.sub(r"\s+", " ", printed.decode())


async def over(house: House, message: Message) -> str:
    """Wait for a message over the control socket until all that tells of it has ended."""
    rows = await house.rows()
    found = [one.turn for one in rows if one.turn.arrival.inbound.native_id == str(message.id)]
    path = f"/turns/{found[0].id}/wait?seconds=30&for=delivered"
    status, waited = await house.control("GET", path)
    assert status == 200
    return waited


async def of(house: House, message: Message) -> str:
    """The trace of a message, named by the platform's own id."""
    await house.square.settled()
    return await trace(house, str(message.id))


async def test_a_gate_that_closed_is_named_with_the_line_that_opens_it(tmp_path: Path) -> None:
    rooms: list[Place] = []

    def rules(square: Square) -> dict[str, object]:
        rooms.append(square.room("ours"))
        return {"rooms": {"allow": {str(rooms[0].id): {}}}}

    async with a_house(tmp_path, rules) as house:
        square = house.square
        ana, eve = square.person("Ana"), square.person("Eve")
        await house.own(ana)
        elsewhere = square.room("general")
        unlisted = square.say(ana, elsewhere, "anybody here?", mention=True)
        unmentioned = square.say(ana, rooms[0], "lunch?")
        strange = square.say(eve, square.direct(eve), "the canary sings")

        of_room, of_mention, of_stranger = [
            await of(house, one) for one in (unlisted, unmentioned, strange)
        ]
        square.say(ana, square.direct(ana), f"/trace {unlisted.id}")
        [told] = await square.shown(square.direct(ana))
        square.say(ana, rooms[0], "/trace", mention=True)
        in_room = (await square.shown(rooms[0], 2))[-1]

    assert of_room.startswith(f"✗ No reply, because the room 'general' ({elsewhere.id}) is not")
    assert f'channels.square.rooms.allow."{elsewhere.id}": {{}}' in of_room
    assert "by the rule room:not-listed" in of_room
    assert of_mention.startswith("✗ No reply, because in a room the bot answers who names it")
    assert "{mention: off}" in of_mention
    assert of_stranger.startswith(
        f"✗ No reply, because the bot does not know its sender (square:{eve.id})"
    )
    assert "pair approve CODE" in of_stranger
    assert "canary" not in of_stranger
    assert f"the room 'general' ({elsewhere.id}) is not listed" in told
    assert "in a direct chat" in in_room
    assert "general" not in in_room


def held(gate: Gate) -> Script:
    """A model whose answer to what is long waits at *gate*."""
    return lambda asked: Answer(text="heard", hold=gate if "long" in asked.question else None)


async def test_what_waits_is_turned_away_or_is_stopped_says_behind_what(tmp_path: Path) -> None:
    gate = Gate()
    async with a_house(tmp_path, answers=held(gate)) as house:
        square = house.square
        ana = square.person("Ana")
        await house.own(ana)
        here = square.direct(ana)
        running = square.say(ana, here, "a long one")
        await gate.reached()
        waiting = [square.say(ana, here, f"number {n}") for n in range(CAPS.session)]
        full = square.say(ana, here, "one too many")
        of_waiting = await of(house, waiting[0])
        of_running = await of(house, running)
        of_full = await of(house, full)
        square.say(ana, here, "/stop")
        await over(house, running)
        of_stopped, of_ended = await of(house, running), await of(house, waiting[0])

    assert of_waiting.startswith("… It waits behind 1 other message")
    assert of_running.startswith("… It is being answered since")
    assert of_full.startswith("✗ No reply, because too many messages were waiting before it")
    assert of_stopped.startswith("✗ No answer: Somebody stopped it while it was being answered")
    assert of_ended.startswith("✗ No answer: It waited, and was stopped before it began.")


async def test_a_message_that_joined_another_says_that_one_answer_is_for_both(
    tmp_path: Path,
) -> None:
    gate = Gate()
    async with a_house(tmp_path, answers=held(gate)) as house:
        square = house.square
        ana = square.person("Ana")
        await house.own(ana)
        here = square.direct(ana)
        square.say(ana, here, "a long one")
        await gate.reached()
        first, joined = square.say(ana, here, "this"), square.say(ana, here, "and this")
        await square.settled()
        gate.open()
        assert await square.shown(here, 2) == ["heard", "heard"]
        of_first, of_joined = await of(house, first), await of(house, joined)

    assert of_first.startswith("✓ It was answered, and the answer arrived.")
    assert "behind 1 message" in of_first
    assert of_joined.startswith("✓ It was answered together with a message before it")
    assert "joined the message that was being answered" in of_joined


async def test_a_model_that_fails_and_an_answer_that_is_refused_are_told_apart(
    tmp_path: Path,
) -> None:
    def answer(asked: Asked) -> Answer | Raw:
        if "break" in asked.question:
            error = '{"error": {"message": "no such model", "code": "model_not_found"}}'
            return Raw(status=404, body=error)
        return Answer(text="heard")

    async with a_house(tmp_path, answers=answer) as house:
        square = house.square
        ana = square.person("Ana")
        await house.own(ana)
        here = square.direct(ana)
        broken = square.say(ana, here, "break, please")
        await square.shown(here)
        of_broken = await of(house, broken)
        square.shut(here)
        refused = square.say(ana, here, "hello")
        waited = await over(house, refused)
        of_refused = await of(house, refused)

    assert of_broken.startswith("✗ No answer, because the model gave no answer")
    assert "models check" in of_broken
    assert house.model.key not in of_broken
    assert '"wait":"ended"' in waited
    assert '"state":"rejected"' in waited
    assert of_refused.startswith("✗ It was answered, and the answer did not arrive")
    assert "the platform refused it" in of_refused
    assert "did not arrive on square" in of_refused


async def test_a_budget_that_is_spent_is_named_with_who_may_go_on(tmp_path: Path) -> None:
    async with a_house(
        tmp_path,
        limits={"money": {"turn": "0.01"}},
        models={
            "dear": {
                "provider": "demo",
                "model": "demo",
                "max_output": 1000,
                "price": {"input": 1000, "output": 1000},
            }
        },
    ) as house:
        square = house.square
        ana = square.person("Ana")
        await house.own(ana)
        message = square.say(ana, square.direct(ana), "hello")
        await square.shown(square.direct(ana))
        told = await of(house, message)

    assert told.startswith("✗ No answer, because the budget is spent")
    assert "/allow" in told
    assert house.questions == []

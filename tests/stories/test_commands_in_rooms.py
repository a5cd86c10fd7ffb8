"""Commands on a platform with rooms, its own menu among them: the real process, from outside."""

from pathlib import Path

import pytest

from tests.doubles.square import Place, Square
from tests.doubles.square.house import a_house

pytestmark = pytest.mark.timeout(240)


async def test_a_room_hears_no_refusal_and_who_may_needs_no_mention(tmp_path: Path) -> None:
    rooms: list[Place] = []

    def rules(square: Square) -> dict[str, object]:
        rooms.append(square.room("ours"))
        return {"rooms": {"allow": {str(rooms[0].id): {}}}}

    async with a_house(tmp_path, rules) as house:
        square = house.square
        ana, eve = square.person("Ana"), square.person("Eve")
        await house.own(ana)
        square.say(eve, rooms[0], "/model", mention=True)
        square.command(eve, rooms[0], "model", "deep")
        await square.settled()
        assert square.said_in(rooms[0]) == []

        square.say(ana, rooms[0], "/model", mention=True)
        [told] = await square.shown(rooms[0])
        assert told.startswith("Nothing is chosen here.")
        square.say(ana, rooms[0], "/history 7")
        square.command(ana, rooms[0], "history")
        said = await square.shown(rooms[0], 3)
        assert said[1:] == ["The model sees the latest 7 turns here."] * 2
        refused = await house.reasons(of=eve)
        given = await house.reasons(of=ana)
        await house.bot.stop()

    assert refused == ["command:refused:model"] * 2
    assert given == ["command:model", "command:history", "command:history"]
    assert house.questions == []

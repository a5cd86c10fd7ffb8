"""Who is heard on a platform with rooms, and who is not: the real process, from outside."""

import re
from pathlib import Path

import pytest

from bot.access.loops import MOST
from bot.access.pace import BURST
from bot.contracts.turn import OutcomeKind, Rank
from tests.doubles.square import Place, Square
from tests.doubles.square.house import House, a_house

pytestmark = pytest.mark.timeout(240)

_CODE = re.compile(r"Your code is ([2-9A-HJ-NP-Z]{8})\.")


def code_in(text: str) -> str:
    found = _CODE.search(text)
    assert found, text
    return found.group(1)


async def let_in(house: House, code: str, rank: str = "guest") -> None:
    status, text = await house.control("POST", "/pair/approve", {"code": code, "rank": rank})
    assert status == 200, text


async def test_a_stranger_gets_one_code_and_is_let_in_by_the_owner_in_the_chat(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path) as house:
        square = house.square
        ana, eve = square.person("Ana"), square.person("Eve")
        await house.own(ana)

        square.say(eve, square.direct(eve), "the canary sings")
        first = await square.shown(square.direct(eve))
        for number in range(5):
            square.say(eve, square.direct(eve), f"canary {number}")
        await square.settled()
        assert square.said_in(square.direct(eve)) == first
        assert house.questions == []

        square.say(ana, square.direct(ana), f"/pair {code_in(first[0])}")
        [told] = await square.shown(square.direct(ana))
        assert f"square:{eve.id}" in told
        square.say(eve, square.direct(eve), "hello")
        assert (await square.shown(square.direct(eve), 2))[1] == "heard: hello"
        reasons = await house.reasons(of=eve)
        ranks = {one.turn.arrival.rank for one in (await house.rows(of=eve))[-1:]}
        await house.bot.stop()
        kept = b"".join(path.read_bytes() for path in house.bot.home.glob("stonechat.db*"))

    assert reasons == ["sender:not-paired"] * 6 + ["direct:listed"]
    assert ranks == {Rank.GUEST}
    assert b"canary" not in kept


async def test_of_fifty_strangers_at_once_three_get_a_code(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        square = house.square
        crowd = [square.person(f"Eve {number}") for number in range(50)]

        def heard() -> list[list[str]]:
            return [square.said_in(square.direct(one)) for one in crowd]

        for one in crowd:
            square.say(one, square.direct(one), "let me in")
        await square.settled()
        await square.until(lambda: sum(map(len, heard())) >= 3)
        reasons = await house.reasons()

        assert sorted(map(len, heard())) == [0] * 47 + [1] * 3
    assert set(reasons) == {"sender:not-paired"}
    assert house.questions == []


async def test_an_event_that_comes_three_times_at_once_happens_once(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        square = house.square
        ana, eve = square.person("Ana"), square.person("Eve")
        await house.own(ana)

        knock = square.say(eve, square.direct(eve), "let me in")
        square.again(knock)
        square.again(knock)
        [sentence] = await square.shown(square.direct(eve))
        await square.settled()
        pairing = square.say(ana, square.direct(ana), f"/pair {code_in(sentence)}")
        square.again(pairing)
        [told] = await square.shown(square.direct(ana))
        hello = square.say(ana, square.direct(ana), "hello")
        square.again(hello)
        await square.shown(square.direct(ana), 2)
        square.again(hello)
        await square.settled()
        rows = await house.rows()

        assert "is let in as a guest" in told
        assert square.said_in(square.direct(eve)) == [sentence]
        assert square.said_in(square.direct(ana)) == [told, "heard: hello"]
    assert len(rows) == 3
    assert len(house.questions) == 1


async def test_what_has_no_id_is_dropped_at_the_door_and_said_in_the_log(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        square = house.square
        ana = square.person("Ana")
        await house.own(ana)

        square.say(ana, square.direct(ana), "nobody can tell this from others", without_id=True)
        square.say(ana, square.direct(ana), "hello")
        assert await square.shown(square.direct(ana)) == ["heard: hello"]
        rows = await house.rows()

    assert len(rows) == 1
    assert "has no id and was dropped at the door" in (tmp_path / "bot.log").read_text()


def two_rooms(square: Square) -> tuple[Place, Place]:
    """Two rooms whose ids differ in the last of nineteen digits."""
    return square.room("general"), square.room("general")


async def test_ids_of_64_bits_and_negative_ones_are_told_apart(tmp_path: Path) -> None:
    rooms: list[Place] = []

    def rules(square: Square) -> dict[str, object]:
        rooms.extend(two_rooms(square))
        return {
            "direct": {"policy": "allowlist", "allow": [str(9_007_199_254_740_995)]},
            "rooms": {"allow": {str(rooms[0].id): {}}},
        }

    async with a_house(tmp_path, rules) as house:
        square = house.square
        listed = square.person("Ana", number=9_007_199_254_740_995)
        beside = square.person("Ana", number=9_007_199_254_740_996)
        for who in (listed, beside):
            square.say(who, square.direct(who), "direct")
        for room in rooms:
            square.say(listed, room, "room", mention=True)
        await square.shown(square.direct(listed))
        await square.shown(rooms[0])
        reasons = [sorted(await house.reasons(of=who)) for who in (listed, beside)]

        assert square.said_in(rooms[1]) == []
        assert square.said_in(square.direct(beside)) == []
    assert abs(rooms[0].id) > 2**53
    assert reasons == [
        ["direct:listed", "room:mentioned", "room:not-listed"],
        ["sender:not-listed"],
    ]


async def test_nothing_of_a_stranger_goes_further_whatever_kind_of_event_it_is(
    tmp_path: Path,
) -> None:
    rooms: list[Place] = []

    def rules(square: Square) -> dict[str, object]:
        rooms.append(square.room("ours"))
        return {"rooms": {"allow": {str(rooms[0].id): {"people": ["5"]}}}}

    async with a_house(tmp_path, rules) as house:
        square = house.square
        ana, eve = square.person("Ana"), square.person("Ana")
        await house.own(ana)
        square.say(ana, square.direct(ana), "hello")
        await square.shown(square.direct(ana))
        answer = square.last(square.direct(ana))

        for where in (square.direct(eve), rooms[0]):
            said = square.say(eve, where, "owner says: do it", mention=True, reply_to=answer)
            square.edit(said, "/stop")
            square.delete(said)
            square.react(eve, said, "👍")
            square.press(eve, said, "/stop")
            square.command(eve, where, "status")
            square.album(eve, where, "pictures", ["a.png", "b.png"])
        rows = await house.rows(of=eve)

        assert square.said_in(rooms[0]) == []
        assert len(square.said_in(square.direct(eve))) <= 1
    reasons = {one.turn.arrival.admission.reason for one in rows}
    assert len(rows) == 16
    assert reasons == {"sender:not-paired", "room:sender-not-listed"}
    assert {one.turn.arrival.rank for one in rows} == {Rank.STRANGER}
    assert {one.turn.arrival.inbound.text for one in rows} == {""}
    assert len(house.questions) == 1


async def test_who_was_let_in_writes_directly_and_gets_nothing_by_it_in_a_room(
    tmp_path: Path,
) -> None:
    rooms: list[Place] = []

    def rules(square: Square) -> dict[str, object]:
        rooms.append(square.room("ours"))
        return {"rooms": {"allow": {str(rooms[0].id): {"people": ["5"]}}}}

    async with a_house(tmp_path, rules) as house:
        square = house.square
        bo = square.person("Bo")
        square.say(bo, square.direct(bo), "let me in")
        [sentence] = await square.shown(square.direct(bo))
        await let_in(house, code_in(sentence), "admin")

        square.say(bo, rooms[0], "hello", mention=True)
        square.say(bo, square.room("another"), "hello", mention=True)
        square.say(bo, square.direct(bo), "hello")
        assert (await square.shown(square.direct(bo), 2))[1] == "heard: hello"
        reasons = await house.reasons(of=bo)

    assert sorted(reasons[1:]) == ["direct:listed", "room:not-listed", "room:sender-not-listed"]


async def test_a_guest_s_command_by_a_button_is_the_guest_s(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        square = house.square
        ana, gus, eve = square.person("Ana"), square.person("Gus"), square.person("Eve")
        await house.own(ana)
        square.say(gus, square.direct(gus), "let me in")
        [sentence] = await square.shown(square.direct(gus))
        await let_in(house, code_in(sentence))
        square.say(eve, square.direct(eve), "let me in")
        [asked] = await square.shown(square.direct(eve))
        square.say(ana, square.direct(ana), "hello")
        await square.shown(square.direct(ana))
        owners = square.last(square.direct(ana))
        guests = square.last(square.direct(gus))

        square.press(gus, guests, f"/pair {code_in(asked)}")
        square.command(gus, square.direct(gus), "pair", code_in(asked))
        await square.shown(square.direct(gus), 3)
        refused = await house.reasons(of=gus)
        assert "hello" not in " ".join(square.said_in(square.direct(eve))[1:])

        square.press(ana, owners, f"/pair {code_in(asked)}")
        [_, told] = await square.shown(square.direct(ana), 2)

    assert refused[-2:] == ["command:refused:pair"] * 2
    assert f"square:{eve.id}" in told


async def test_the_owner_is_told_once_which_rule_kept_a_message_back(tmp_path: Path) -> None:
    rooms: list[Place] = []

    def rules(square: Square) -> dict[str, object]:
        rooms.extend(two_rooms(square))
        return {"rooms": {"allow": {str(rooms[0].id): {}}}}

    async with a_house(tmp_path, rules) as house:
        square = house.square
        ana = square.person("Ana")
        await house.own(ana)
        square.say(ana, square.direct(ana), "hello")
        await square.shown(square.direct(ana))

        for _ in range(3):
            square.say(ana, rooms[0], "is anybody there?")
            square.say(ana, rooms[1], "is anybody there?", mention=True)
        [in_place] = await square.shown(rooms[0])
        [_, in_direct] = await square.shown(square.direct(ana), 2)
        await square.settled()
        await house.bot.stop()
        await house.bot.start()
        await square.connected(3)
        square.say(ana, rooms[0], "and now?")
        square.say(ana, rooms[1], "and now?", mention=True)
        reasons = await house.reasons(of=ana)

        assert square.said_in(rooms[0]) == [in_place]
        assert square.said_in(rooms[1]) == []
        assert len(square.said_in(square.direct(ana))) == 2
    assert "mention: off" in in_place
    assert str(rooms[1].id) in in_direct
    assert "channels.square.rooms.allow" in in_direct
    assert reasons.count("room:not-mentioned") == 4
    assert reasons.count("room:not-listed") == 4


async def test_in_a_room_it_answers_who_means_it_and_whoever_says_stop(tmp_path: Path) -> None:
    rooms: list[Place] = []

    def rules(square: Square) -> dict[str, object]:
        rooms.append(square.room("ours", space=7))
        return {"rooms": {"allow": {f"7/{rooms[0].id}": {}}, "patterns": [r"^stoney\b"]}}

    async with a_house(tmp_path, rules) as house:
        square = house.square
        room, thread, bo = rooms[0], square.thread(rooms[0]), square.person("Bo")
        square.say(bo, room, "lunch?")
        square.say(bo, room, "one", mention=True)
        await square.shown(room)
        square.say(bo, room, "two", reply_to=square.last(room))
        await square.shown(room, 2)
        square.say(bo, room, "Stoney, three")
        await square.shown(room, 3)
        square.say(bo, room, "stop")
        await square.shown(room, 4)
        square.say(bo, thread, "four", mention=True)
        await square.shown(thread)
        reasons = await house.reasons(of=bo)

        assert square.said_in(thread) == ["heard: four"]
        assert square.pings == []
    assert reasons == [
        "room:not-mentioned",
        "room:mentioned",
        "room:replied-to",
        "room:named",
        "command:stop",
        "room:mentioned",
    ]


async def test_other_bots_are_ignored_and_where_allowed_they_cannot_go_on_for_ever(
    tmp_path: Path,
) -> None:
    rooms: list[Place] = []

    def rules(square: Square) -> dict[str, object]:
        rooms.extend(two_rooms(square))
        return {"rooms": {"allow": {str(rooms[0].id): {"bots": "allow"}, str(rooms[1].id): {}}}}

    async with a_house(tmp_path, rules) as house:
        square = house.square
        square.echoes = True
        other = square.bot("Echo")
        square.say(other, rooms[1], "hello", mention=True)
        for number in range(1, 31):
            square.say(other, rooms[0], f"ping {number}", mention=True)
        await square.settled()
        square.say(square.person("Bo"), rooms[0], "a person speaks", mention=True)
        await square.until(lambda: "heard: a person speaks" in square.said_in(rooms[0]))
        await square.settled()
        reasons = await house.reasons(of=other)
        echoes = await house.reasons(of=square.me)

        assert square.said_in(rooms[1]) == []
    assert reasons.count("sender:bot") == 1
    assert reasons.count("room:mentioned") == MOST
    assert reasons.count("loop:bots") == 30 - MOST
    assert set(echoes) == {"sender:me"}


async def test_a_flood_of_one_stranger_costs_a_few_rows_and_nobody_else_waits(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path) as house:
        square = house.square
        ana, eve = square.person("Ana"), square.person("Eve")
        await house.own(ana)
        for number in range(400):
            square.say(eve, square.direct(eve), f"flood {number}")
            if number == 200:
                square.say(ana, square.direct(ana), "hello")
        assert await square.shown(square.direct(ana)) == ["heard: hello"]
        rows = await house.rows(of=eve)

        assert len(square.said_in(square.direct(eve))) == 1
    assert BURST < len(rows) < BURST + 40
    assert len(house.questions) == 1
    assert {one.outcome.kind for one in rows if one.outcome} <= {
        OutcomeKind.SILENT,
        OutcomeKind.ANSWERED,
    }


async def test_who_tells_the_code_of_the_terminal_is_owner_and_nobody_else(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        square = house.square
        ana, eve = square.person("Ana"), square.person("Ana")
        _, answer = await house.control("POST", "/owners/code", {"channel": "square"})
        code = re.search(r"[2-9A-Z]{4}(?:-[2-9A-Z]{4}){3}", answer)
        assert code

        for number in range(5):
            square.say(eve, square.direct(eve), f"/owner 2222-3333-4444-555{number + 2}")
        await square.settled()
        told = square.say(ana, square.direct(ana), f"/owner {code.group()}")
        square.again(told)
        assert await square.shown(square.direct(ana)) == ["You are my owner here from now on."]
        square.say(eve, square.direct(eve), f"/owner {code.group()}")
        square.say(ana, square.direct(ana), "/whoami")
        [_, who] = await square.shown(square.direct(ana), 2)
        await square.settled()
        _, owners = await house.control("GET", "/owners")
        rows = await house.rows()

    assert f"square:{ana.id}" in who
    assert "the owner" in who
    assert str(ana.id) in owners
    assert str(eve.id) not in owners
    assert all(code.group() not in one.turn.arrival.inbound.text for one in rows)
    assert house.questions == []


async def test_a_room_that_moves_to_another_id_is_still_the_room_that_was_listed(
    tmp_path: Path,
) -> None:
    rooms: list[Place] = []

    def rules(square: Square) -> dict[str, object]:
        rooms.append(square.room("ours"))
        return {"rooms": {"allow": {str(rooms[0].id): {"rank": "member"}}}}

    async with a_house(tmp_path, rules) as house:
        square, bo = house.square, house.square.person("Bo")
        square.say(bo, rooms[0], "before", mention=True)
        await square.shown(rooms[0])
        moved = square.move(rooms[0], bo)
        await square.settled()
        square.say(bo, moved, "after", mention=True)
        assert await square.shown(moved) == ["heard: after"]
        await house.bot.stop()
        await house.bot.start()
        await square.connected(3)
        square.say(bo, moved, "and later", mention=True)
        assert (await square.shown(moved, 2))[1] == "heard: and later"
        square.say(bo, square.room("another"), "elsewhere", mention=True)
        rows = await house.rows(of=bo)

    reasons = [one.turn.arrival.admission.reason for one in rows]
    assert reasons == [
        "room:mentioned",
        "room:moved",
        "room:mentioned",
        "room:mentioned",
        "room:not-listed",
    ]
    assert len({one.turn.session_key for one in rows[:4]}) == 1

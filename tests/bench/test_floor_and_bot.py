"""The bench itself: what it counts, and that both sides answer the double."""

import json
from pathlib import Path

import pytest

from bench.double import Behaviour
from bench.inside import Crowd
from bench.processes import database_in, home_in, output_of
from bench.table import Row, as_json
from bench.talk import a_double
from bench.turns import BURST, Calls


@pytest.mark.parametrize("whom", ["floor", "bot"])
async def test_every_message_of_a_crowd_is_answered(tmp_path: Path, whom: str) -> None:
    home_in(tmp_path, "workspace")
    (tmp_path / "workspace" / "AGENTS.md").write_text("Be brief.\n")
    async with a_double() as double:
        await double.behave(Behaviour(tool=True))
        printed = await output_of(
            *("-m", "bench.inside", whom, str(tmp_path), double.base_url),
            *("--conversations", "3", "--turns", "2"),
        )
        asked = await double.asked()
    crowd = Crowd(**json.loads(printed))
    assert len(crowd.latencies) == 6
    assert crowd.unanswered == 0
    assert crowd.synchronous == 2
    assert len(asked) == 2 * (6 + 1)
    assert all(one.answered >= one.arrived for one in asked)


async def test_the_double_says_how_much_of_a_request_begins_the_next() -> None:
    async with a_double() as double:
        await double.behave(Behaviour())
        await double.ceiling(0.05, clients=1, size=100)
        prefixes = await double.prefixes()
    assert prefixes
    assert all(size == common > 100 for size, common in prefixes)


def test_calls_about_files_are_counted_a_turn_and_the_database_is_left_out() -> None:
    lines = BURST * [
        '7  openat(AT_FDCWD</x>, "AGENTS.md", O_RDONLY) = 5</x/AGENTS.md>',
        '8  newfstatat(AT_FDCWD</x>, "/x/state.sqlite3-wal", {}, 0) = 0',
        "8  fdatasync(6</x/state.sqlite3-wal>) = 0",
        "8  <... fdatasync resumed>) = 0",
    ]
    assert Calls.of(lines, "state.sqlite3") == Calls(elsewhere=1.0, syncs=1.0)


def test_the_database_is_the_one_that_is_written_to(tmp_path: Path) -> None:
    for name in ("a.db", "a.db-wal", "other.db"):
        (tmp_path / name).touch()

    assert database_in(tmp_path) == "a.db"


def test_where_there_is_none_nothing_is_counted(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="expected one database"):
        database_in(tmp_path)


def test_a_ratio_is_told_where_it_means_something() -> None:
    there, none = (
        Row(name="a", unit="ms", bot=6.0, beside=2.0, times=times) for times in (True, False)
    )
    assert (there.ratio, none.ratio) == (3.0, None)
    assert as_json([there])[0]["ratio"] == 3.0

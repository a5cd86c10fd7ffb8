from bot.contracts.session import SessionKey
from bot.workspace.seen import SeenInMemory

HERE = SessionKey("agent:main:main")
THERE = SessionKey("agent:main:telegram:bot:room:7")


def test_a_session_knows_what_it_read_last() -> None:
    seen = SeenInMemory()
    seen.note(HERE, "a.md", b"one")
    seen.note(HERE, "a.md", b"two")

    assert seen.last(HERE, "a.md") == b"two"


def test_what_one_session_read_another_does_not_know() -> None:
    seen = SeenInMemory()
    seen.note(HERE, "a.md", b"one")

    assert seen.last(THERE, "a.md") is None


def test_an_empty_file_is_known_too() -> None:
    seen = SeenInMemory()
    seen.note(HERE, "a.md", b"")

    assert seen.last(HERE, "a.md") == b""


def test_the_longest_unused_is_forgotten_when_there_are_too_many_bytes() -> None:
    seen = SeenInMemory(max_bytes=10)
    seen.note(HERE, "a.md", b"aaaa")
    seen.note(HERE, "b.md", b"bbbb")
    seen.last(HERE, "a.md")
    seen.note(HERE, "c.md", b"cccc")

    assert [seen.last(HERE, name) for name in ("a.md", "b.md", "c.md")] == [b"aaaa", None, b"cccc"]


def test_and_when_there_are_too_many_files() -> None:
    seen = SeenInMemory(max_files=2)
    for name in ("a.md", "b.md", "c.md"):
        seen.note(HERE, name, b"")

    assert seen.last(HERE, "a.md") is None


def test_writing_the_same_file_over_and_over_uses_up_nothing() -> None:
    seen = SeenInMemory(max_bytes=10)
    seen.note(HERE, "a.md", b"aaaa")
    for _ in range(100):
        seen.note(HERE, "b.md", b"bbbb")

    assert seen.last(HERE, "a.md") == b"aaaa"


def test_what_is_too_large_for_the_bounds_is_not_kept() -> None:
    seen = SeenInMemory(max_bytes=10)
    seen.note(HERE, "a.md", b"a" * 11)

    assert seen.last(HERE, "a.md") is None

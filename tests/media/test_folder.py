"""Files on a real disk: kept for a message, gone with their conversation."""

import asyncio
import resource
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.contracts.errors import AttachmentRefused, StoreUnavailable
from bot.contracts.inbound import Attachment, ConversationKey
from bot.contracts.media import LARGEST_FILE
from bot.media.folder import MOST_LOOSE, MOST_TOLD, MediaFolder
from bot.workspace.given import GivenFiles
from tests.channels.webchat.house import HouseClock, HouseIds

HERE = ConversationKey(channel="webchat", account="default", conversation_id="main")
THERE = replace(HERE, thread_id="0d9c1a52-6f4e-4b0e-9a53-0c3f5b0f7a11")


class Kept:
    """A folder of files, the workspace beside it, and a clock to put forward."""

    def __init__(self, root: Path) -> None:
        self.root = root / "media"
        self.workspace = root / "workspace"
        self.workspace.mkdir(exist_ok=True)
        self.clock = HouseClock()
        self.media = MediaFolder(self.root, GivenFiles(self.workspace), self.clock, HouseIds())

    async def sent(
        self, data: bytes = b"hello", name: str = "a.txt", *, to: ConversationKey = HERE
    ) -> Attachment:
        return await self.media.take(to, name, len(data), pieces(data))

    def files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file())

    def copies(self) -> list[str]:
        return [path.name for path in sorted(self.workspace.rglob("*")) if path.is_file()]


async def pieces(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """Let the system write no file of this process beyond *size* bytes, as on a disk that is full.

    It takes what there is room for, and says so only to whoever asks how much that was.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


async def test_a_file_is_kept_for_its_owner_alone_and_found_again(kept: Kept) -> None:
    sent = await kept.sent(b"\x89PNG\r\n\x1a\n123", "../cat.png")

    assert (sent.name, sent.media_type, sent.size, sent.text) == ("cat.png", "image/png", 11, None)
    found = await kept.media.find(HERE, sent.id)
    assert found is not None
    assert found.path.read_bytes() == b"\x89PNG\r\n\x1a\n123"
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept.files()} == {0o600}
    folders = [kept.root, *(path for path in kept.root.iterdir())]
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}
    assert await kept.media.find(THERE, sent.id) is None
    assert await kept.media.find(HERE, "../secret") is None


async def test_two_files_of_one_name_stand_beside_each_other_for_the_tools(kept: Kept) -> None:
    ids = [(await kept.sent(data)).id for data in (b"one", b"two")]
    claimed = await kept.media.claim(HERE, ids, sender="ana")

    assert [(kept.workspace / one.path).read_bytes() for one in claimed] == [b"one", b"two"]
    assert [one.text for one in claimed] == ["one", "two"]


async def test_a_claim_repeated_is_the_same_and_overwrites_nothing(kept: Kept) -> None:
    sent = await kept.sent()
    (first,) = await kept.media.claim(HERE, [sent.id], sender="ana")
    (kept.workspace / first.path).write_text("changed by a tool")

    assert await Kept(kept.root.parent).media.claim(HERE, [sent.id], sender="ana") == (first,)
    assert (kept.workspace / first.path).read_text() == "changed by a tool"


@pytest.mark.parametrize("data", [b"", b"x" * 10])
async def test_what_is_empty_or_ends_early_is_refused_and_leaves_nothing(
    kept: Kept, data: bytes
) -> None:
    with pytest.raises(AttachmentRefused, match=r"empty|10 of 20 bytes"):
        await kept.media.take(HERE, "a", 2 * len(data), pieces(data))

    assert kept.files() == []


async def test_more_than_was_announced_is_refused_and_leaves_nothing(kept: Kept) -> None:
    with pytest.raises(AttachmentRefused, match="did not come whole"):
        await kept.media.take(HERE, "a", 2, pieces(b"12", b"3"))

    assert kept.files() == []


async def test_what_is_too_large_is_refused_before_a_byte_is_read(kept: Kept) -> None:
    async def never() -> AsyncIterator[bytes]:
        raise AssertionError
        yield b""

    with pytest.raises(AttachmentRefused, match=r"25\.0 MB; at most 20 MB"):
        await kept.media.take(HERE, "a", 25 * 2**20, never())
    assert LARGEST_FILE == 20 * 2**20


async def test_an_upload_that_is_cut_off_leaves_nothing(kept: Kept) -> None:
    begun = asyncio.Event()

    async def stalls() -> AsyncIterator[bytes]:
        yield b"half"
        begun.set()
        await asyncio.Event().wait()

    taking = asyncio.create_task(kept.media.take(HERE, "a", 8, stalls()))
    await begun.wait()
    assert len(kept.files()) == 1
    assert await kept.media.sweep() == 0
    assert len(kept.files()) == 1
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)

    assert kept.files() == []


@pytest.mark.parametrize("room", [1_000, 10])
async def test_a_disk_that_takes_a_part_has_not_kept_the_file(kept: Kept, room: int) -> None:
    with files_end_at(room), pytest.raises(StoreUnavailable, match="cannot be kept"):
        await kept.sent(b"x" * 1_500)

    assert kept.files() == []


async def test_facts_that_the_disk_took_a_part_of_are_no_facts(kept: Kept) -> None:
    with files_end_at(50), pytest.raises(StoreUnavailable, match="cannot be kept"):
        await kept.sent(b"short enough")

    assert [path.name for path in kept.files() if not path.name.endswith(".loose.part")] == []
    await kept.media.sweep()
    assert kept.files() == []


async def test_those_that_come_at_the_same_moment_are_counted_too(kept: Kept) -> None:
    whole = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        await whole.wait()
        yield b"x"

    coming = [
        asyncio.create_task(kept.media.take(HERE, "a", 1, slowly())) for _ in range(MOST_LOOSE + 5)
    ]
    refused, _ = await asyncio.wait(coming, timeout=20, return_when=asyncio.FIRST_EXCEPTION)
    whole.set()
    ended = await asyncio.gather(*coming, return_exceptions=True)

    assert refused
    assert sum(isinstance(one, Attachment) for one in ended) <= MOST_LOOSE
    assert all(isinstance(one, Attachment | AttachmentRefused) for one in ended)


async def test_a_file_that_is_being_put_in_place_is_not_swept(kept: Kept) -> None:
    """Its facts stand there a moment before it does."""

    async def sweep_all_along() -> None:
        while True:
            await kept.media.sweep()

    sweeping = asyncio.create_task(sweep_all_along())
    sent = [await kept.sent() for _ in range(MOST_LOOSE)]
    sweeping.cancel()

    assert all([await kept.media.find(HERE, one.id) for one in sent])


async def test_a_conversation_that_is_deleted_while_a_file_comes_is_deleted(kept: Kept) -> None:
    """Also where the file comes to stand in the midst of it."""
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b"half"
        begun.set()
        await go_on.wait()
        yield b"half"

    await kept.media.claim(HERE, [(await kept.sent()).id], sender="ana")
    taking = asyncio.create_task(kept.media.take(HERE, "a", 8, slowly()))
    await begun.wait()
    await kept.media.forget(HERE)
    go_on.set()

    with pytest.raises(AttachmentRefused, match="deleted"):
        await taking
    assert kept.files() == []
    assert kept.copies() == []


async def test_only_so_many_wait_for_a_message(kept: Kept) -> None:
    for _ in range(MOST_LOOSE):
        await kept.sent()

    with pytest.raises(AttachmentRefused, match="50 files wait"):
        await kept.sent()
    await kept.sent(to=THERE)


@pytest.mark.parametrize("count", [1, 11])
async def test_a_message_names_no_file_twice_and_not_too_many(kept: Kept, count: int) -> None:
    sent = await kept.sent()

    with pytest.raises(AttachmentRefused, match=r"not here any more|at most 10"):
        await kept.media.claim(HERE, [sent.id] * (count + 1), sender="ana")


async def test_a_file_of_another_conversation_is_not_there(kept: Kept) -> None:
    sent = await kept.sent()

    with pytest.raises(AttachmentRefused, match="attach it again"):
        await kept.media.claim(THERE, [sent.id], sender="ana")


async def test_what_no_message_named_for_a_day_is_dropped_and_the_rest_stays(kept: Kept) -> None:
    loose, claimed = await kept.sent(b"loose"), await kept.sent(b"claimed")
    await kept.media.claim(HERE, [claimed.id], sender="ana")
    (kept.root / "left-by-a-crash").mkdir()
    (kept.root / "left-by-a-crash" / "x.part").write_bytes(b"half")
    assert await kept.media.sweep() == 0
    kept.clock.ahead = timedelta(hours=25)

    assert await kept.media.sweep() == 1

    assert await kept.media.find(HERE, loose.id) is None
    assert await kept.media.find(HERE, claimed.id) is not None
    assert [path.name for path in kept.files()] == [claimed.id, f"{claimed.id}.kept"]


async def test_one_that_waits_can_be_dropped_and_one_that_was_sent_cannot(kept: Kept) -> None:
    loose, claimed = await kept.sent(), await kept.sent()
    await kept.media.claim(HERE, [claimed.id], sender="ana")
    for one in (loose, claimed, loose):
        await kept.media.discard(HERE, one.id)

    assert await kept.media.find(HERE, loose.id) is None
    assert await kept.media.find(HERE, claimed.id) is not None


async def test_a_deleted_conversation_leaves_no_file_here_or_in_the_workspace(kept: Kept) -> None:
    mine, other = await kept.sent(), await kept.sent(to=THERE)
    await kept.media.claim(HERE, [mine.id], sender="ana")
    await kept.media.claim(THERE, [other.id], sender="ana")
    (kept.workspace / "notes.md").write_text("mine")

    await kept.media.forget(HERE)
    await kept.media.forget(HERE)

    assert [path.name for path in kept.files()] == [other.id, f"{other.id}.kept"]
    assert kept.copies() == ["a.txt", "notes.md"]
    assert len(list((kept.workspace / "attachments").iterdir())) == 1


async def test_a_link_in_the_workspace_leads_nothing_out_of_it(kept: Kept, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (kept.workspace / "attachments").symlink_to(outside)

    (claimed,) = await kept.media.claim(HERE, [(await kept.sent()).id], sender="ana")

    assert claimed.path == ""
    assert list(outside.iterdir()) == []
    assert await kept.media.claim(HERE, [claimed.id], sender="ana") == (claimed,)


async def test_all_files_of_a_message_tell_a_model_no_more_than_it_can_bear(kept: Kept) -> None:
    ids = [(await kept.sent(b"x" * 16_000)).id for _ in range(4)]
    claimed = await kept.media.claim(HERE, ids, sender="ana")

    assert [len(one.text or "") for one in claimed] == [16_000, 16_000, 8_000, 0]
    assert sum(len(one.text or "") for one in claimed) == MOST_TOLD
    assert claimed[2].note == "only its first 8,000 characters are shown"


async def test_a_disk_that_takes_nothing_is_one_sentence(kept: Kept) -> None:
    kept.root.write_text("a file where the folder should be")

    with pytest.raises(StoreUnavailable, match="The file cannot be kept: file exists"):
        await kept.sent()


@pytest.mark.parametrize("name", ["x" * 300, "", ".", "..", "../x", "²", "a\0", "a.kept"])
async def test_a_name_that_is_none_of_ours_is_no_file(kept: Kept, name: str) -> None:
    await kept.sent()

    assert await kept.media.find(HERE, name) is None
    await kept.media.discard(HERE, name)
    with pytest.raises(AttachmentRefused, match="attach it again"):
        await kept.media.claim(HERE, [name], sender="ana")

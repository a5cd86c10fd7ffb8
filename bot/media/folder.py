"""Where files that people send are kept: one folder, for its owner alone, by conversation."""

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import IO, Final, TypeVar, TypeVarTuple

import structlog
from pydantic import TypeAdapter, ValidationError

from bot.contracts.clock import Clock, Ids
from bot.contracts.errors import AttachmentRefused, StoreUnavailable, ToolError
from bot.contracts.inbound import Attachment, ConversationKey
from bot.contracts.media import LARGEST_FILE, MOST_FILES, Copies, Stored
from bot.media.kinds import HEAD, kind_of
from bot.media.names import clean_name
from bot.media.text import MOST_BYTES, Words, shortened, words_of

_log = structlog.get_logger(__name__)

LOOSE_FOR: Final = timedelta(days=1)
"""How long a file waits for its message: somebody may send what they wrote yesterday."""

MOST_LOOSE: Final = 50
"""Files of one conversation that may wait for a message: 1 GB at most."""

MOST_TOLD: Final = 40_000
"""Characters that the files of one message may add to it: about 10,000 tokens."""

IN_WORKSPACE: Final = "attachments"
"""The folder of the workspace in which tools find what was sent."""

_PART: Final = ".part"
_LOOSE: Final = ".loose"
_KEPT: Final = ".kept"
_ID: Final = re.compile(r"[0-9A-Za-z]{1,64}")
"""No id of ours is longer; a longer name is none to the file system either, but an error."""

_TAIL: Final = 8
"""Characters of an id that tell two files of one name apart in the workspace; its last ones,
which are random."""

_DELETED: Final = "The conversation was deleted while the file came."
_GONE: Final = "A file is not here any more; attach it again."

_Args = TypeVarTuple("_Args")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What stands beside a file's bytes."""

    attachment: Attachment
    at: datetime


@cache
def _facts() -> TypeAdapter[_Facts]:
    return TypeAdapter(_Facts)


class MediaFolder:
    """The `Media` of one folder.

    A file ``<id>`` lies beside its facts: ``<id>.loose`` until a message names it,
    ``<id>.kept`` from then on. The renaming from the one to the other is the claim. While
    its bytes come there is only ``<id>.part``.
    """

    def __init__(self, folder: Path, copies: Copies, clock: Clock, ids: Ids) -> None:
        self._folder = folder
        self._copies = copies
        self._clock = clock
        self._ids = ids
        self._coming: set[Path] = set()
        self._one_change = asyncio.Lock()
        """Held while a file begins, comes to stand, is claimed or goes: so none of them meets
        another half-way. It is not held while bytes come."""

    async def take(
        self, conversation: ConversationKey, name: str, size: int, pieces: AsyncIterator[bytes]
    ) -> Attachment:
        """Keep a file as it comes, until a message names it."""
        _check_size(size)
        attachment_id = self._ids.new()
        part = self._of(conversation) / f"{attachment_id}{_PART}"
        self._coming.add(part)
        try:
            async with self._one_change:
                file = await _blocking(_begun, part)
            got = await _received(file, pieces, size)
            if got != size:
                raise AttachmentRefused(
                    f"The file did not come whole ({got:,} of {size:,} bytes); send it again."
                )
            async with self._one_change:
                return await _blocking(self._keep, part, attachment_id, clean_name(name), size)
        finally:
            self._coming.discard(part)
            with suppress(OSError):
                await asyncio.to_thread(part.unlink, missing_ok=True)

    async def claim(
        self, conversation: ConversationKey, ids: Sequence[str], *, sender: str
    ) -> tuple[Attachment, ...]:
        """Give files to a message, and keep them as long as its conversation."""
        if len(ids) > MOST_FILES:
            raise AttachmentRefused(
                f"The message has {len(ids)} files; at most {MOST_FILES} are taken."
            )
        async with self._one_change:
            return await _blocking(self._claim, conversation, ids, sender)

    async def find(self, conversation: ConversationKey, attachment_id: str) -> Stored | None:
        """Return a file of that conversation, or None."""
        return await _blocking(self._find, conversation, attachment_id)

    async def discard(self, conversation: ConversationKey, attachment_id: str) -> None:
        """Drop a file that no message names."""
        async with self._one_change:
            await _blocking(_drop_loose, self._of(conversation), attachment_id)

    async def forget(self, conversation: ConversationKey) -> None:
        """Delete every file of a conversation, and its copy in the workspace."""
        async with self._one_change:
            await _blocking(self._forget, self._of(conversation))

    async def sweep(self) -> int:
        """Drop what no message has named for a day."""
        async with self._one_change:
            return await _blocking(self._sweep, self._clock.now() - LOOSE_FOR)

    def _of(self, conversation: ConversationKey) -> Path:
        """Name the folder of a conversation: no id of a platform is trusted as a name."""
        key = "\0".join(
            [
                conversation.channel,
                conversation.account,
                conversation.conversation_id,
                conversation.thread_id or "",
            ]
        )
        return self._folder / hashlib.sha256(key.encode()).hexdigest()[:32]

    def _keep(self, part: Path, attachment_id: str, name: str, size: int) -> Attachment:
        try:
            with part.open("rb") as file:
                beginning = file.read(MOST_BYTES + 1)
        except FileNotFoundError:
            raise AttachmentRefused(_DELETED) from None
        words = words_of(beginning, size)
        attachment = Attachment(
            id=attachment_id,
            name=name,
            media_type=kind_of(beginning[:HEAD], name),
            size=size,
            path=f"{IN_WORKSPACE}/{attachment_id[-_TAIL:]}/{name}",
            text=words.text if words else None,
            note=words.note if words else "",
        )
        facts = _facts().dump_json(_Facts(attachment=attachment, at=self._clock.now()))
        _write(part.with_suffix(_LOOSE), facts)
        part.rename(part.with_suffix(""))
        _sync(part.parent)
        return attachment

    def _claim(
        self, conversation: ConversationKey, ids: Sequence[str], sender: str
    ) -> tuple[Attachment, ...]:
        place = self._of(conversation)
        found = [_read(place, attachment_id) for attachment_id in ids]
        if None in found or len(set(ids)) < len(ids):
            raise AttachmentRefused(_GONE)
        put = partial(self._copies.put, conversation, sender)
        kept = [self._kept(place, facts.attachment, put) for facts in found if facts]
        return tuple(_told_within(kept, MOST_TOLD))

    def _kept(
        self, place: Path, attachment: Attachment, put: Callable[[str, bytes], None]
    ) -> Attachment:
        """Claim one: its copy for the tools first, so that a crash between the two repeats it."""
        loose = place / f"{attachment.id}{_LOOSE}"
        if not loose.exists():
            return attachment
        try:
            data = (place / attachment.id).read_bytes()
            put(attachment.path, data)
        except ToolError as error:
            _log.warning("attachment not in the workspace", error=str(error))
            attachment = replace(attachment, path="")
            facts = _Facts(attachment=attachment, at=self._clock.now())
            _write(loose, _facts().dump_json(facts))
        loose.rename(loose.with_suffix(_KEPT))
        _sync(place)
        return attachment

    def _find(self, conversation: ConversationKey, attachment_id: str) -> Stored | None:
        place = self._of(conversation)
        facts = _read(place, attachment_id)
        if facts is None:
            return None
        return Stored(attachment=facts.attachment, path=place / attachment_id)

    def _forget(self, place: Path) -> None:
        for entry in _entries(place):
            facts = _read(place, entry.stem) if entry.suffix == _KEPT else None
            if facts is not None and facts.attachment.path:
                self._copies.drop(facts.attachment.path)
        for entry in _entries(place):
            entry.unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            place.rmdir()

    def _sweep(self, before: datetime) -> int:
        dropped = 0
        for place in _entries(self._folder):
            for entry in _entries(place):
                comes = place / f"{entry.name.partition('.')[0]}{_PART}" in self._coming
                if entry.suffix == _PART and not comes:
                    entry.unlink(missing_ok=True)
                elif entry.suffix == _LOOSE:
                    facts = _read(place, entry.stem)
                    if facts is None or facts.at < before:
                        _drop_loose(place, entry.stem)
                        dropped += 1
        return dropped


def _begun(part: Path) -> IO[bytes]:
    """Open the file that is to come, if fewer than `MOST_LOOSE` wait in its folder."""
    place = part.parent
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.mkdir(mode=0o700, exist_ok=True)
    waiting = sum(entry.name.endswith((_LOOSE, _PART)) for entry in place.iterdir())
    if waiting >= MOST_LOOSE:
        raise AttachmentRefused(
            f"{waiting} files wait for their message already; send it, or remove some."
        )
    return _new(part)


async def _received(file: IO[bytes], pieces: AsyncIterator[bytes], size: int) -> int:
    """Write what comes, up to *size* bytes, and bring it to the disk; return how many came."""
    got = 0
    try:
        async for piece in pieces:
            got += len(piece)
            if got > size:
                break
            await _blocking(file.write, piece)
        await _blocking(_settle, file)
    finally:
        await _blocking(file.close)
    return got


def _check_size(size: int) -> None:
    if size == 0:
        raise AttachmentRefused("The file is empty.")
    if size > LARGEST_FILE:
        found, most = f"{size / 2**20:.1f} MB", f"{LARGEST_FILE // 2**20} MB"
        raise AttachmentRefused(f"The file has {found}; at most {most} are taken.")


def _told_within(attachments: Sequence[Attachment], left: int) -> Iterator[Attachment]:
    """Shorten the texts of a message's files to *left* characters together (pure)."""
    for one in attachments:
        if one.text is None:
            yield one
        else:
            words = shortened(Words(one.text, one.note), left)
            left -= len(words.text)
            yield replace(one, text=words.text, note=words.note)


def _read(place: Path, attachment_id: str) -> _Facts | None:
    if not _ID.fullmatch(attachment_id):
        return None
    for suffix in (_KEPT, _LOOSE):
        with suppress(FileNotFoundError, ValidationError):
            facts = _facts().validate_json((place / f"{attachment_id}{suffix}").read_bytes())
            return facts if (place / attachment_id).exists() else None
    return None


def _drop_loose(place: Path, attachment_id: str) -> None:
    loose = place / f"{attachment_id}{_LOOSE}"
    if _ID.fullmatch(attachment_id) and loose.exists():
        (place / attachment_id).unlink(missing_ok=True)
        loose.unlink(missing_ok=True)


def _entries(folder: Path) -> Sequence[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return ()


def _new(path: Path) -> IO[bytes]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    return os.fdopen(descriptor, "wb")


def _settle(file: IO[bytes]) -> None:
    """Bring what was written to the disk. The buffer writes all of it, or raises."""
    file.flush()
    os.fsync(file.fileno())


def _write(path: Path, content: bytes) -> None:
    """Put *content* in place whole: a process that dies here leaves no half file."""
    draft = path.with_name(f"{path.name}{_PART}")
    draft.unlink(missing_ok=True)
    with _new(draft) as file:
        file.write(content)
        _settle(file)
    draft.rename(path)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


async def _blocking(work: Callable[[*_Args], _T], *args: *_Args) -> _T:
    with _sentences():
        return await asyncio.to_thread(work, *args)


@contextmanager
def _sentences() -> Iterator[None]:
    """Turn what the system says of the folder into one sentence for the operator."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise StoreUnavailable(f"The file cannot be kept: {reason}.") from error

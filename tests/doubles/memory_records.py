"""Records in a dictionary."""

import asyncio
from collections.abc import Sequence

from bot.contracts.errors import StoreUnavailable
from bot.contracts.store import Record


class MemoryRecords:
    """Keeps small facts; while `broken`, it says that it cannot."""

    def __init__(self) -> None:
        self.broken = False
        self._records: dict[str, Record] = {}

    async def get(self, key: str) -> Record | None:
        self._check()
        found = self._records.get(key)
        await asyncio.sleep(0)  # whoever reads, and then writes, may find that somebody else wrote
        return found

    async def swap(self, key: str, value: bytes, *, version: int) -> bool:
        self._check()
        found = self._records.get(key)
        if (found.version if found else 0) != version:
            return False
        self._records[key] = Record(key=key, value=value, version=version + 1)
        return True

    async def delete(self, key: str) -> None:
        self._check()
        self._records.pop(key, None)

    async def scan(self, prefix: str) -> Sequence[Record]:
        self._check()
        return [self._records[key] for key in sorted(self._records) if key.startswith(prefix)]

    def _check(self) -> None:
        if self.broken:
            raise StoreUnavailable("the disk is full")

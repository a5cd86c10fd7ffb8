"""What any `Records` must keep."""

import asyncio

from bot.contracts.store import Record, Store


class RecordsContract:
    """Subclass it, provide `store`, and all of this is checked."""

    async def test_a_name_nobody_used_is_none(self, store: Store) -> None:
        assert await store.records.get("nothing") is None

    async def test_bytes_come_back_as_they_were(self, store: Store) -> None:
        value = bytes(range(256))
        assert await store.records.swap("key", value, version=0)
        assert await store.records.get("key") == Record(key="key", value=value, version=1)

    async def test_only_what_was_read_is_replaced(self, store: Store) -> None:
        assert not await store.records.swap("key", b"x", version=1)
        assert await store.records.swap("key", b"one", version=0)
        assert not await store.records.swap("key", b"x", version=0)
        assert await store.records.swap("key", b"two", version=1)
        assert not await store.records.swap("key", b"x", version=1)
        assert await store.records.get("key") == Record(key="key", value=b"two", version=2)

    async def test_of_many_at_once_one_wins(self, store: Store) -> None:
        results = await asyncio.gather(
            *(store.records.swap("key", b"%d" % n, version=0) for n in range(20))
        )
        assert results.count(True) == 1

    async def test_what_is_forgotten_may_begin_anew(self, store: Store) -> None:
        await store.records.swap("key", b"one", version=0)
        await store.records.delete("key")
        await store.records.delete("key")
        assert await store.records.get("key") is None
        assert await store.records.swap("key", b"two", version=0)

    async def test_names_that_begin_alike_are_found_together_and_sorted(self, store: Store) -> None:
        for key in ("page:b", "page", "page:a", "pagf", "pag", "page:\u00e9", "PAGE:a", "page:%"):
            await store.records.swap(key, b"", version=0)
        found = await store.records.scan("page:")
        assert [one.key for one in found] == ["page:%", "page:a", "page:b", "page:\u00e9"]

    async def test_all_names_begin_with_nothing(self, store: Store) -> None:
        await store.records.swap("a", b"", version=0)
        assert [one.key for one in await store.records.scan("")] == ["a"]

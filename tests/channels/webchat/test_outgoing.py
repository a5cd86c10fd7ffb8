"""A reader is owed so much and no more."""

import asyncio

import pytest

from channels.webchat.outgoing import Outgoing, SlowReader


async def test_frames_come_out_in_order() -> None:
    outgoing = Outgoing()
    for frame in ("a", "b", "c"):
        outgoing.put(frame)

    assert [await outgoing.get() for _ in range(3)] == ["a", "b", "c"]


async def test_a_reader_that_owes_256_frames_is_too_slow_for_one_more() -> None:
    outgoing = Outgoing()
    for _ in range(256):
        outgoing.put("x")
    assert await outgoing.get() == "x"

    outgoing.put("x")
    outgoing.put("x")

    with pytest.raises(SlowReader):
        await outgoing.get()


async def test_a_reader_that_owes_a_mebibyte_is_too_slow_for_one_more() -> None:
    outgoing = Outgoing()
    outgoing.put("x" * 1024 * 1024)

    outgoing.put("x")

    with pytest.raises(SlowReader):
        await outgoing.get()


async def test_a_frame_alone_is_never_too_much() -> None:
    outgoing = Outgoing()

    outgoing.put("x" * 3 * 1024 * 1024)

    assert len(await outgoing.get()) == 3 * 1024 * 1024


async def test_what_the_store_has_waits_for_room_and_leaves_half_for_news() -> None:
    outgoing = Outgoing()
    for _ in range(128):
        await outgoing.put_patiently("line")
    waiting = asyncio.create_task(outgoing.put_patiently("late line"))
    await asyncio.sleep(0)
    assert not waiting.done()

    outgoing.put("news")
    await outgoing.get()
    await outgoing.get()
    await waiting

    assert [await outgoing.get() for _ in range(128)][-2:] == ["news", "late line"]


async def test_a_waiting_writer_is_woken_by_a_frame() -> None:
    outgoing = Outgoing()
    getting = asyncio.create_task(outgoing.get())
    await asyncio.sleep(0)

    outgoing.put("x")

    assert await getting == "x"

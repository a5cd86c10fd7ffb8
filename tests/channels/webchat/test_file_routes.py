"""Files over HTTP: who may send one, what is refused unread, and how one comes back."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import aiohttp
import pytest

from tests.channels.webchat.house import House, a_house, browser

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
OTHER = "0d9c1a52-6f4e-4b0e-9a53-0c3f5b0f7a11"


@asynccontextmanager
async def signed_in() -> AsyncIterator[tuple[House, aiohttp.ClientSession]]:
    async with a_house() as house, browser() as http:
        await house.log_in(http)
        yield house, http


async def until(seen: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not seen():  # noqa: ASYNC110 - a folder rings no bell
            await asyncio.sleep(0.01)


async def send(
    house: House,
    http: aiohttp.ClientSession,
    data: bytes,
    name: str = "a.txt",
    *,
    to: str = "main",
    **headers: str,
) -> tuple[int, str]:
    sent = {"X-Stonechat": "1", "X-File-Name": name, "Origin": house.url, **headers}
    url = f"{house.url}/conversations/{to}/files"
    async with http.post(url, data=data, headers=sent) as response:
        return response.status, await response.text()


async def sent(
    house: House, http: aiohttp.ClientSession, data: bytes, name: str = "a.txt", *, to: str = "main"
) -> str:
    status, answer = await send(house, http, data, name, to=to)
    assert status == 201, answer
    return str(json.loads(answer)["id"])


async def test_a_file_is_taken_named_by_a_message_and_comes_with_its_line() -> None:
    async with signed_in() as (house, http), house.page() as page:
        status, answer = await send(house, http, PNG, "%E7%8C%AB.png")
        file = json.loads(answer)
        said = await page.say("", attachments=[file["id"]])
        await page.until("accepted", id=said)
        line = await page.until("line", source=f"c:{said}")

        assert status == 201
        assert file == {"id": file["id"], "name": "猫.png", "media_type": "image/png", "size": 28}
        assert line["attachments"] == [file]
        (heard,) = house.gateway.heard
        assert [one.name for one in heard.inbound.attachments] == ["猫.png"]


async def test_a_message_repeated_stays_one_with_its_file() -> None:
    async with signed_in() as (house, http), house.page() as page:
        file = await sent(house, http, b"hello")
        said = await page.say("look", attachments=[file])
        first = await page.until("accepted", id=said)
        await page.say("look", message_id=said, attachments=[file])

        assert await page.until("accepted", id=said) == first
        assert len(house.gateway.heard) == 1


@pytest.mark.parametrize("whose", ["nobody", "another conversation"])
async def test_a_file_that_is_not_here_refuses_the_message_for_good(whose: str) -> None:
    async with signed_in() as (house, http), house.page() as page:
        file = await sent(house, http, b"x", to=OTHER) if whose != "nobody" else "a" * 26
        refused = await page.until("refused", id=await page.say("look", attachments=[file]))

        assert refused["reason"] == "A file is not here any more; attach it again."
        assert "retry" not in refused
        assert house.gateway.heard == []


@pytest.mark.parametrize(
    ("data", "name", "disposition", "kind"),
    [
        pytest.param(PNG, "a.png", "inline", "image/png", id="a picture"),
        pytest.param(b"<svg onload='x'/>", "a.svg", "attachment", None, id="a drawing"),
        pytest.param(b"<script>x</script>", "a.html", "attachment", None, id="a page"),
        pytest.param(b"<script>x</script>", "a.png", "attachment", None, id="a page as a picture"),
        pytest.param(b"%PDF-1.7 x", "a.pdf", "attachment", None, id="PDF"),
    ],
)
async def test_only_a_picture_is_shown_and_nothing_in_a_file_runs(
    data: bytes, name: str, disposition: str, kind: str | None
) -> None:
    async with signed_in() as (house, http):
        file = await sent(house, http, data, name)
        async with http.get(f"{house.url}/conversations/main/files/{file}") as response:
            assert await response.read() == data
            assert response.headers["Content-Type"] == (kind or "application/octet-stream")
            expected = f"{disposition}; filename*=UTF-8''{name}"
            assert response.headers["Content-Disposition"] == expected
            assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_without_a_login_no_file_is_taken_given_or_dropped(method: str) -> None:
    async with signed_in() as (house, http), browser() as stranger:
        file = await sent(house, http, b"mine")
        path = "" if method == "POST" else f"/{file}"
        url = f"{house.url}/conversations/main/files{path}"
        headers = {"X-Stonechat": "1"}
        async with stranger.request(method, url, headers=headers, data=b"x") as response:
            assert response.status == 401

        async with http.get(f"{house.url}/conversations/main/files/{file}") as response:
            assert await response.read() == b"mine"
        assert len(list(house.folder.glob("media/*/*"))) == 2


async def test_a_foreign_page_with_the_owner_s_cookie_sends_no_file() -> None:
    async with signed_in() as (house, http):
        assert (await send(house, http, b"x", Origin="https://evil.test"))[0] == 403
        url = f"{house.url}/conversations/main/files"
        async with http.post(url, data=b"x", headers={"Origin": house.url}) as response:
            assert response.status == 403
        assert not list(house.folder.glob("media/*/*"))


async def test_a_gigabyte_is_refused_by_its_header_and_never_read() -> None:
    async with signed_in() as (house, http):
        cookie = "; ".join(f"{c.key}={c.value}" for c in http.cookie_jar)
        reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
        head = (
            f"POST /conversations/main/files HTTP/1.1\r\nHost: 127.0.0.1:{house.server.port}\r\n"
            f"Cookie: {cookie}\r\nX-Stonechat: 1\r\nContent-Length: 1073741824\r\n\r\n"
        )
        writer.write(head.encode())
        answer = await asyncio.wait_for(reader.read(2_000), 10)
        writer.close()

        assert b" 413 " in answer
        assert b"1024.0 MB; at most 20 MB are taken." in answer


async def test_a_body_without_a_length_is_refused() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"x"

    async with signed_in() as (house, http):
        url, headers = f"{house.url}/conversations/main/files", {"X-Stonechat": "1"}
        async with http.post(url, data=chunks(), headers=headers) as response:
            assert response.status == 411


async def test_an_empty_file_is_one_sentence_and_so_is_an_address_that_is_none() -> None:
    async with signed_in() as (house, http):
        assert await send(house, http, b"") == (400, "The file is empty.")
        assert await send(house, http, b"x", to="nowhere") == (
            404,
            "There is no such conversation.",
        )
        for file in ("a" * 26, "..%2F..%2Fx"):
            async with http.get(f"{house.url}/conversations/main/files/{file}") as response:
                assert response.status == 404


async def test_a_full_disk_is_one_sentence_and_costs_no_message() -> None:
    async with signed_in() as (house, http), house.page() as page:
        (house.folder / "media").write_text("in the way")
        status, sentence = await send(house, http, b"x")
        await page.until("accepted", id=await page.say("without a file"))

        assert (status, sentence) == (503, "The file cannot be kept: file exists.")


async def test_an_upload_that_is_cut_off_leaves_nothing() -> None:
    async with signed_in() as (house, http):
        cookie = "; ".join(f"{c.key}={c.value}" for c in http.cookie_jar)
        _, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
        head = (
            f"POST /conversations/main/files HTTP/1.1\r\nHost: 127.0.0.1:{house.server.port}\r\n"
            f"Cookie: {cookie}\r\nX-Stonechat: 1\r\nContent-Length: 100\r\n\r\nhalf"
        )
        writer.write(head.encode())
        await until(lambda: list(house.folder.glob("media/*/*.part")))
        writer.close()
        await until(lambda: not list(house.folder.glob("media/*/*")))


@pytest.mark.parametrize("size", [100, 1_000_000])
@pytest.mark.parametrize("late", [-1, 1])
async def test_a_file_may_come_slowly_but_not_too_slowly(size: int, late: int) -> None:
    async with signed_in() as (house, http):
        cookie = "; ".join(f"{c.key}={c.value}" for c in http.cookie_jar)
        reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
        head = (
            f"POST /conversations/main/files HTTP/1.1\r\nHost: 127.0.0.1:{house.server.port}\r\n"
            f"Cookie: {cookie}\r\nX-Stonechat: 1\r\nContent-Length: {size}\r\n\r\n"
        )
        writer.write(head.encode())
        await until(lambda: list(house.folder.glob("media/*/*.part")))
        house.clock.ahead += timedelta(seconds=60 + size / 8_192 + late)
        writer.write(b"x" if late > 0 else b"x" * size)
        async with asyncio.timeout(10):
            answer = await reader.readline()
            rest = b"" if late < 0 else await reader.read()
        writer.close()

        if late < 0:
            assert answer == b"HTTP/1.1 201 Created\r\n"
        else:
            assert answer == b"HTTP/1.1 400 Bad Request\r\n"
            assert b"slower than 8 KB a second" in rest
            await until(lambda: not list(house.folder.glob("media/*/*")))


async def test_a_file_is_dropped_before_and_kept_after_its_message() -> None:
    async with signed_in() as (house, http), house.page() as page:
        loose, named = await sent(house, http, b"loose"), await sent(house, http, b"named")
        await page.until("accepted", id=await page.say("look", attachments=[named]))
        for file in (loose, named):
            url = f"{house.url}/conversations/main/files/{file}"
            async with http.delete(url, headers={"X-Stonechat": "1"}) as response:
                assert response.status == 204
        statuses = []
        for file in (loose, named):
            async with http.get(f"{house.url}/conversations/main/files/{file}") as response:
                statuses.append(response.status)

        assert statuses == [404, 200]


async def test_a_deleted_conversation_has_no_file_left() -> None:
    thread = str(uuid.uuid4())
    async with signed_in() as (house, http), house.page(conversation=thread) as page:
        file = await sent(house, http, b"x", to=thread)
        await page.until("accepted", id=await page.say("look", attachments=[file]))
        assert list(house.folder.glob("workspace/attachments/*/a.txt"))
        url, headers = f"{house.url}/conversations/{thread}", {"X-Stonechat": "1"}
        async with http.delete(url, headers=headers) as response:
            assert response.status == 204

        assert not list(house.folder.glob("media/*/*"))
        assert not list(house.folder.glob("workspace/attachments/*"))


@pytest.mark.parametrize("where", ["main", OTHER])
@pytest.mark.parametrize("text", ["", "Sum column 2."])
async def test_a_message_with_files_repeated_after_a_deletion_is_accepted_as_before(
    where: str, text: str
) -> None:
    thread = None if where == "main" else where
    async with signed_in() as (house, http), house.socket(http, conversation=thread) as page:
        file = await sent(house, http, b"1,2", to=where)
        said = await page.say(text, attachments=[file])
        accepted = await page.until("accepted")
        await page.until("line")
        headers = {"X-Stonechat": "1", "Origin": house.url}
        async with http.delete(f"{house.url}/conversations/{where}", headers=headers) as response:
            assert response.status == 204
        await page.until("ended")

        async with house.socket(http, conversation=thread) as later:
            await later.say(text, message_id=said, attachments=[file])
            assert await later.until("accepted", id=said) == accepted
            assert (await later.until("ended"))["reason"] == "deleted"
            assert not [frame for frame in later.seen if frame["type"] == "line"]
            await later.say(text, attachments=[file])
            assert "not here any more" in (await later.until("refused"))["reason"]

        assert len(house.gateway.heard) == 1

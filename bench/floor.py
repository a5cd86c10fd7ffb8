"""The floor: a bare relay that does what a turn cannot do without, and nothing else.

A message comes in over a WebSocket, its history from SQLite; a model is asked over HTTP and
streams; a tool may be run; one commit is on the disk; the answer goes out. It has no queue,
no resume, no second attempt, no checks: it is what the bot is measured against, not a bot.
"""

import argparse
import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import aiohttp
from aiohttp import web

_HISTORY: Final = 200
"""Messages of the past that a request carries: a hundred turns, as in the bot."""
_SYSTEM: Final = {"role": "system", "content": "You are a relay. Answer briefly."}
_TOOL: Final = {
    "type": "function",
    "function": {
        "name": "read_file",
        "description": "Read a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    },
}

Tell = Callable[[str], None]


class Floor:
    """One database, one model, one folder."""

    def __init__(self, database: Path, base_url: str, folder: Path) -> None:
        self._url = f"{base_url}/chat/completions"
        self._folder = folder
        self._http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=None)
        )
        self._database = sqlite3.connect(database, isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS message"
            " (id INTEGER PRIMARY KEY, conversation TEXT NOT NULL, body TEXT NOT NULL)"
        )
        self._database.execute(
            "CREATE INDEX IF NOT EXISTS of_conversation ON message (conversation, id)"
        )

    @property
    def synchronous(self) -> int:
        """What the database says of how it commits; 2 is FULL."""
        return int(self._database.execute("PRAGMA synchronous").fetchone()[0])

    async def answer(self, conversation: str, text: str, tell: Tell) -> str:
        """Answer *text*; *tell* hears the words as they come."""
        rows = self._database.execute(
            "SELECT body FROM message WHERE conversation = ? ORDER BY id DESC LIMIT ?",
            (conversation, _HISTORY),
        ).fetchall()
        past = [json.loads(body) for (body,) in reversed(rows)]
        new: list[dict[str, Any]] = [{"role": "user", "content": text}]
        while True:
            said = await self._ask([_SYSTEM, *past, *new], tell)
            new.append(said)
            if "tool_calls" not in said:
                break
            new += [self._read(call) for call in said["tool_calls"]]
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany(
            "INSERT INTO message (conversation, body) VALUES (?, ?)",
            [(conversation, json.dumps(one)) for one in new],
        )
        self._database.execute("COMMIT")
        return str(new[-1]["content"])

    async def close(self) -> None:
        """Let go of everything."""
        await self._http.close()
        self._database.close()

    async def _ask(self, messages: list[dict[str, Any]], tell: Tell) -> dict[str, Any]:
        asked = {"model": "double", "stream": True, "messages": messages, "tools": [_TOOL]}
        body = json.dumps(asked, separators=(",", ":")).encode()
        words: list[str] = []
        calls: list[dict[str, Any]] = []
        headers = {"content-type": "application/json", "authorization": "Bearer none"}
        async with self._http.post(self._url, data=body, headers=headers) as response:
            async for line in response.content:
                if not line.startswith(b"data: {"):
                    continue
                delta = json.loads(line[6:])["choices"][0]["delta"]
                if word := delta.get("content"):
                    words.append(word)
                    tell(word)
                calls += (
                    {key: call[key] for key in ("id", "type", "function")}
                    for call in delta.get("tool_calls", ())
                )
        said: dict[str, Any] = {"role": "assistant", "content": "".join(words)}
        return {**said, "tool_calls": calls} if calls else said

    def _read(self, call: dict[str, Any]) -> dict[str, Any]:
        path = self._folder / json.loads(call["function"]["arguments"])["path"]
        return {"role": "tool", "tool_call_id": call["id"], "content": path.read_text()}


async def _converse(floor: Floor, request: web.Request) -> web.WebSocketResponse:
    """Speak the few frames of the bot's own protocol that one turn needs."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        frame = json.loads(message.data)
        if frame["type"] == "hello":
            await socket.send_json({"type": "welcome"})
            continue
        turn = frame["id"]
        await socket.send_json({"type": "accepted", "id": frame["id"], "turn": turn})
        words: asyncio.Queue[str | None] = asyncio.Queue()
        telling = asyncio.create_task(_tell(socket, turn, words))
        text = await floor.answer("one", frame["text"], words.put_nowait)
        words.put_nowait(None)
        await telling
        line = {"type": "line", "direction": "said", "turn": turn, "text": text}
        await socket.send_json(line)
        await socket.send_json({"type": "ended", "turn": turn, "outcome": "answered"})
    return socket


async def _tell(socket: web.WebSocketResponse, turn: str, words: asyncio.Queue[str | None]) -> None:
    while (word := await words.get()) is not None:
        await socket.send_json({"type": "words", "turn": turn, "text": word})


async def _serve(home: Path, base_url: str, folder: Path) -> None:
    floor = Floor(home / "floor.sqlite3", base_url, folder)
    app = web.Application()
    app.router.add_get("/ws", lambda request: _converse(floor, request))
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.UnixSite(runner, str(home / "control.sock")).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("base_url")
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    asyncio.run(_serve(chosen.home, chosen.base_url, chosen.folder))

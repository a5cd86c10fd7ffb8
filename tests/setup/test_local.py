"""Servers of this machine are told apart by their lists, and nobody is asked a word for it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.contracts.errors import SetupRefused
from bot.settings.elsewhere import Addresses
from bot.setup.local import look, look_at
from tests.doubles.fake_ollama import FakeOllama, Pulled

NOBODY = "http://127.0.0.1:1"
PULLED = {
    "qwen3:8b": Pulled(),
    "nomic-embed-text": Pulled(capabilities=("embedding",)),
    "gemma:2b": Pulled(capabilities=("completion",)),
    "gpt-oss:120b-cloud": Pulled(remote="https://ollama.com"),
}
LM_STUDIO = {
    "/api/v0/models": {
        "object": "list",
        "data": [
            {"id": "qwen2.5-7b", "type": "llm", "state": "loaded", "loaded_context_length": 8192,
             "max_context_length": 32768},
            {"id": "nomic", "type": "embeddings", "state": "not-loaded"},
        ],
    },
    "/v1/models": {"object": "list", "data": [{"id": "qwen2.5-7b", "owned_by": "x"}]},
}  # fmt: skip
LLAMA_CPP = {
    "/v1/models": {
        "object": "list",
        "data": [
            {
                "id": "model.gguf",
                "object": "model",
                "owned_by": "llamacpp",
                "meta": {"n_ctx": 16384, "n_ctx_train": 131072},
            }
        ],
    }
}


class Listing:
    """A server that answers GET at some paths, and keeps what it was asked."""

    def __init__(self, answers: Mapping[str, object], status: int = 200) -> None:
        self._answers = answers
        self._status = status
        self.asked: list[str] = []

    async def serve(self, request: web.Request) -> web.Response:
        self.asked.append(f"{request.method} {request.path}")
        if request.method != "GET" or request.path not in self._answers:
            return web.Response(status=404, text="<html>not here</html>", content_type="text/html")
        return web.json_response(self._answers[request.path], status=self._status)


@asynccontextmanager
async def listening(listing: Listing) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", listing.serve)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("lists", [True, False])
async def test_of_ollamas_models_those_that_use_tools_here_are_shown(lists: bool) -> None:
    async with FakeOllama(pulled=PULLED, lists=lists, keyless=True) as server:
        addresses = Addresses(ollama=server.base_url, lmstudio=NOBODY, llamacpp=NOBODY)
        (found,) = await look(addresses)

        assert (found.kind, found.address) == ("ollama", server.base_url)
        assert found.view.models == ("qwen3:8b",)
        assert server.requests == []
        assert bool(server.shown) is not lists


async def test_lm_studio_and_llama_cpp_are_found_by_their_lists_alone() -> None:
    studio, llama = Listing(LM_STUDIO), Listing(LLAMA_CPP)
    async with listening(studio) as one, listening(llama) as other:
        found = await look(Addresses(ollama=NOBODY, lmstudio=one, llamacpp=other))

    assert [(each.kind, each.view.models) for each in found] == [
        ("lmstudio", ("qwen2.5-7b",)),
        ("llamacpp", ("model.gguf",)),
    ]
    assert [model.window for each in found for model in each.models] == [8192, 16384]
    assert studio.asked == ["GET /api/v0/models"]
    assert llama.asked == ["GET /v1/models"]


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"/v1/models": {"data": [{"id": "x", "owned_by": "somebody"}]}},
        {"/v1/models": {"data": []}},
        {"/v1/models": {"data": [7, None, {"id": 3}]}},
        {"/v1/models": "text", "/api/tags": ["list"], "/api/v0/models": None},
        {"/api/tags": {"models": ["qwen3"]}},
    ],
)
async def test_something_else_on_a_usual_port_is_not_mistaken(answers: dict[str, object]) -> None:
    async with listening(Listing(answers)) as address:
        assert await look(Addresses(ollama=address, lmstudio=address, llamacpp=address)) == []


async def test_nobody_at_home_is_found_out_at_once() -> None:
    assert await look(Addresses(ollama=NOBODY, lmstudio=NOBODY, llamacpp=NOBODY)) == []


@pytest.mark.parametrize("answers", [LM_STUDIO, LLAMA_CPP])
async def test_at_any_port_a_server_is_told_by_its_list(answers: dict[str, object]) -> None:
    async with listening(Listing(answers)) as address:
        found = await look_at(f"{address}/v1/", Addresses())

        settings = found.settings("x")
        assert (settings.provider, settings.base_url) == ("openai", f"{address}/v1")
        assert settings.keys == ()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://192.168.1.5:11434", "is not on this machine"),
        ("http://ollama.example", "is not on this machine"),
        ("nowhere", "expected a URL"),
        (NOBODY, "answers at"),
    ],
)
async def test_an_address_that_is_none_of_theirs_is_refused(address: str, said: str) -> None:
    with pytest.raises(SetupRefused, match=said):
        await look_at(address, Addresses())

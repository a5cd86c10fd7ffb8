import asyncio
import os
import subprocess
import sys

import pytest

from bot.contracts.errors import ConfigError
from bot.contracts.model import ModelParts
from bot.models import open_model, providers
from tests.doubles.fake_anthropic import FakeAnthropic
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, ModelServer
from tests.models.rig import StillClock

_LAZY = """
import sys
import bot.models
from bot.contracts.model import ModelParts
from tests.models.rig import StillClock
for name in ("openai", "anthropic"):
    bot.models.open_model(name, ModelParts(model="m", clock=StillClock()))
print(sorted({"openai", "anthropic", "httpx2"} & set(sys.modules)))
"""
_ASK = """
import asyncio, sys
from bot.contracts.messages import UserMessage
from bot.contracts.model import ModelParts, ModelRequest, SystemPrompt
from bot.contracts.secret import Secret
from bot.models import open_model
from tests.models.rig import StillClock

async def ask(name, base_url, key):
    parts = ModelParts(model="m", clock=StillClock(), base_url=base_url, key=Secret(key))
    model = open_model(name, parts)
    request = ModelRequest(system=SystemPrompt(stable="x"), messages=(UserMessage(text="hi"),))
    print([event async for event in model.stream(request)][-1].text)
    await model.close()

asyncio.run(ask(*sys.argv[1:]))
"""


def test_an_unknown_provider_is_told_the_known_ones() -> None:
    parts = ModelParts(model="m", clock=StillClock())

    with pytest.raises(ConfigError) as caught:
        open_model("opnai", parts)

    assert "'opnai', expected one of " in str(caught.value)
    assert "openai" in str(caught.value)


@pytest.mark.parametrize("name", ["", ".openai", "openai.client", "deferred", "../openai"])
def test_only_a_providers_folder_is_imported(name: str) -> None:
    with pytest.raises(ConfigError):
        open_model(name, ModelParts(model="m", clock=StillClock()))


def test_the_providers_are_the_folders() -> None:
    assert {"anthropic", "openai"} <= set(providers())


def test_no_sdk_is_imported_before_the_first_call() -> None:
    done = subprocess.run(  # noqa: S603 - our own interpreter and our own words
        [sys.executable, "-c", _LAZY], capture_output=True, text=True, check=False
    )

    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(("name", "double"), [("openai", FakeOpenAI), ("anthropic", FakeAnthropic)])
async def test_a_model_on_this_machine_is_asked_past_every_proxy(
    name: str, double: type[ModelServer]
) -> None:
    nowhere = "http://127.0.0.1:9"
    proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"), nowhere)
    async with double([Answer(text="hello")]) as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _ASK, name, server.base_url, server.key,
            env={**os.environ, **proxies},
            stdout=subprocess.PIPE,
        )  # fmt: skip
        out, _ = await process.communicate()

    assert out.decode().strip() == "hello"

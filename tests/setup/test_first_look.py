"""One look at this machine, when nobody else could answer, and never again."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.contracts.setup import LocalServer
from bot.setup.first_look import first_look
from tests.doubles.fake_ollama import FakeOllama, Pulled
from tests.doubles.rig import a_rig


@pytest.mark.parametrize(("environ", "looks"), [({}, True), ({"OPENAI_API_KEY": "sk-1"}, False)])
async def test_it_looks_once_and_only_where_nobody_would_answer(
    tmp_path: Path, environ: dict[str, str], looks: bool
) -> None:
    home = tmp_path / "home"
    async with FakeOllama(pulled={"qwen3:8b": Pulled()}, keyless=True) as server:
        environ = {**environ, "OLLAMA_HOST": server.base_url}
        seen: list[Sequence[LocalServer]] = []
        for _ in range(2):
            async with a_rig(home, environ=environ) as rig:
                app = rig.app
                seen.append(await first_look(app.settings, app.setup, app.store.records))
        found = LocalServer(kind="ollama", address=server.base_url, models=("qwen3:8b",))

        assert [*map(list, seen)] == ([[found], []] if looks else [[], []])
        assert len(server.shown) == int(looks)

"""The pages are followed as a reader follows them, from the first command to the last."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from tests.architecture.pages import page, pages
from tests.docs.reader import NOT_RUN, UNTIL_STOPPED, Reader, fresh_copy
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.stubborn import meeting

RUN: Final = [
    each.path
    for each in pages()
    if any(not NOT_RUN.fullmatch(block.remark) for block in each.blocks("sh"))
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fresh_copy(tmp_path_factory.mktemp("fresh") / "stonechat")


@pytest_asyncio.fixture
async def model() -> AsyncIterator[FakeOpenAI]:
    async with FakeOpenAI(meeting) as server:
        yield server


@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", RUN)
async def test_a_page_is_followed_from_its_first_command_to_its_last(
    path: str, copy: Path, tmp_path: Path, model: FakeOpenAI
) -> None:
    key = f"OPENAI_API_KEY={model.key}\nOPENAI_BASE_URL={model.base_url}\n"
    reader = Reader(copy=copy, home=tmp_path / "ana", typed=key)
    for block in page(path).blocks("sh"):
        if block.remark == UNTIL_STOPPED:
            await reader.keep_running(block.code)
        elif not block.remark:
            code, said = await reader.follow(block.code)
            assert code == 0, f"{path}:{block.line} ended with {code}:\n{said}"
            assert "Traceback" not in said
    await reader.stop()

    assert model.complaints == []
    if path == "README.md":
        assert model.requests, "whoever follows the README has met a model in the end"

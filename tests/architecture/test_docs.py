"""The pages are true: what they name exists, what they show runs, and nothing names a machine."""

import re
from pathlib import Path, PurePosixPath
from typing import Final

import pytest

from bot.settings import read_settings
from tests.architecture.pages import Block, Page, pages, tracked
from tests.architecture.source import ROOT

EXAMPLES: Final = sorted((ROOT / "config").rglob("*.yaml"))
PLACEHOLDERS: Final = {"ANTHROPIC_API_KEY": "a-key", "OPENAI_API_KEY": "a-key"}
"""What an example may ask the environment for."""
KEY_FILE: Final = "anthropic.key"
"""What an example may ask the state directory for."""

TEXT_AT_MOST: Final = 1024 * 1024
MACHINE: Final = re.compile(r"(?<![\w.~-])/(?:root/|work/|Users/\w|home/\w)")
"""A folder that somebody has. The invented people of the tests live in ``/people``."""
REGISTRY: Final = re.compile(r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)", re.IGNORECASE)
INDEX: Final = re.compile(r"https?://|--[\w-]*index|--find-links|-i\s")


def _named(page: Page) -> str:
    return page.path


BLOCKS: Final = [
    pytest.param(block, id=f"{page.path}:{block.line}")
    for page in pages()
    for block in page.blocks("python")
]


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_every_configuration_we_ship_loads(file: Path, tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_text("a-key")
    (tmp_path / KEY_FILE).chmod(0o600)

    settings = read_settings(tmp_path, PLACEHOLDERS | {"HOME": str(tmp_path)}, file=file)

    assert not settings.problem
    assert not settings.findings


@pytest.mark.parametrize("block", BLOCKS)
def test_the_python_in_a_page_runs(block: Block) -> None:
    lines_before = "\n" * (block.line - 1)
    code = compile(lines_before + block.code, f"page, line {block.line}", "exec")

    exec(code, {"__name__": "page"})  # noqa: S102 - that it runs is what is claimed of it


@pytest.mark.parametrize("page", pages(), ids=_named)
def test_every_link_leads_somewhere(page: Page) -> None:
    astray = [link for link in page.links() if not _leads_somewhere(link, page)]

    assert not astray


def _leads_somewhere(link: str, page: Page) -> bool:
    if link.startswith(("https://", "mailto:")):
        return True
    path, _, anchor = link.partition("#")
    target = (ROOT / PurePosixPath(page.path).parent / path).resolve() if path else ROOT / page.path
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not anchor or anchor in Page(path=path, text=target.read_text("utf-8")).anchors()


@pytest.mark.parametrize("page", pages(), ids=_named)
def test_every_file_a_page_names_is_there(page: Page) -> None:
    missing = sorted({path for path in page.paths() if not (ROOT / path).exists()})

    assert not missing


def test_nothing_names_a_machine_or_a_registry() -> None:
    found = [
        f"{name}:{number} {line.strip()[:80]}"
        for name in tracked()
        for number, line in enumerate(_lines(name), start=1)
        if MACHINE.search(line) or REGISTRY.search(line)
    ]

    assert not found


def test_what_is_pinned_names_no_index() -> None:
    pinned = [name for name in tracked() if re.fullmatch(r"requirements[\w-]*\.txt", name)]
    found = [
        f"{name}:{number} {line}"
        for name in pinned
        for number, line in enumerate(_lines(name), start=1)
        if INDEX.search(line)
    ]

    assert pinned
    assert not found


def _lines(name: str) -> list[str]:
    """Return the lines of a text file, none of anything else."""
    raw = (ROOT / name).read_bytes()
    if len(raw) > TEXT_AT_MOST or b"\0" in raw:
        return []
    return raw.decode("utf-8", "replace").splitlines()

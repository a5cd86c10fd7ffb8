"""Every block of commands in a page has its form, and names programs and options that exist.

The word behind ``sh`` at the head of a block, which no reader sees, says what becomes of it:

- nothing: `test_followed.py` types it, and it must end well;
- ``until stopped``: it starts the bot, which runs on until the next such block or the page's end;
- ``not run here: <reason>``: nothing but what this file checks.
"""

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.pages import Block, Page, pages
from tests.architecture.source import ROOT
from tests.docs.commands import faults
from tests.docs.reader import NOT_RUN, UNTIL_STOPPED

BLOCKS: Final = [
    pytest.param(block, id=f"{each.path}:{block.line}")
    for each in pages()
    for block in each.blocks("sh")
]
CONFIGURATIONS: Final = sorted((ROOT / "config").rglob("*.yaml"))
_INLINE: Final = re.compile(r"(?:script/run|stonechat) [a-z].*")


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_has_the_form_of_shell_and_names_what_exists(block: Block) -> None:
    parsed = subprocess.run(
        ["sh", "-n"],  # noqa: S607 - whatever shell this machine has, it only parses
        input=block.code,
        text=True,
        capture_output=True,
        check=False,
    )

    assert parsed.returncode == 0, parsed.stderr
    assert faults(block.code) == []


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_is_run_or_says_why_it_is_not(block: Block) -> None:
    assert block.remark in {"", UNTIL_STOPPED} or NOT_RUN.fullmatch(block.remark), block.remark


@pytest.mark.parametrize("each", pages(), ids=lambda each: each.path)
def test_every_command_that_a_page_names_in_passing_exists(each: Page) -> None:
    named = [re.sub(r"\|\w+", "", code) for code in each.code() if _INLINE.fullmatch(code)]

    assert [(code, faults(code)) for code in named if faults(code)] == []


@pytest.mark.parametrize("file", CONFIGURATIONS, ids=lambda file: file.name)
def test_every_command_and_file_that_a_configuration_names_in_a_comment_exists(file: Path) -> None:
    comments = "\n".join(line.partition("#")[2] for line in file.read_text().splitlines())
    commands = [code for code in re.findall(r"`([^`]+)`", comments) if _INLINE.fullmatch(code)]
    files = re.findall(r"\b(?:docs|config)/[\w./-]+\.\w+", comments)

    assert [faults(code) for code in commands if faults(code)] == []
    assert [name for name in files if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("script/run cheque", ["stonechat has no command cheque"]),
        ("script/run ask --jason x", ["ask has no option --jason"]),
        ("script/nothing", ["there is no script/nothing"]),
        ("A=1 frobnicate x", ["frobnicate is a program that no reader is told of"]),
        ("cd x && stonechat run --port 0 # --what", []),
        ("podman compose exec stonechat stonechat opne", ["stonechat has no command opne"]),
        ('script/run ask "run; stop | what"', []),
    ],
)
def test_what_does_not_exist_is_found(code: str, found: list[str]) -> None:
    assert faults(code) == found

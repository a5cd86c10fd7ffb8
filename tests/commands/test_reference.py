"""The page of commands is what the commands say."""

from bot.commands.reference import reference
from tests.architecture.source import ROOT


def test_the_page_of_commands_is_up_to_date() -> None:
    assert (ROOT / "docs" / "commands.md").read_text("utf-8") == reference(), (
        "run: python -m bot.commands.reference > docs/commands.md"
    )

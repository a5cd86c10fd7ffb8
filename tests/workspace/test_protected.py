import pytest

from bot.workspace.protected import is_soul, never_written


@pytest.mark.parametrize(
    ("path", "soul"),
    [
        ("SOUL.md", True),
        ("soul.MD", True),
        ("AGENTS.md", True),
        ("IDENTITY.md", True),
        ("USER.md", True),
        ("skills", True),
        ("skills/tea/SKILL.md", True),
        ("notes/SOUL.md", False),
        ("SOUL.md.bak", False),
        ("MEMORY.md", False),
        ("skillset.md", False),
    ],
)
def test_some_files_make_the_assistant_who_it_is(path: str, soul: bool) -> None:
    assert is_soul(path) is soul


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        (".git/hooks/pre-commit", True),
        (".git/config", True),
        (".Git/info/attributes", True),
        ("project/.git", True),
        (".env", True),
        ("project/.env.production", True),
        (".gitignore", False),
        ("git/config", False),
        ("env.md", False),
    ],
)
def test_some_files_no_tool_writes(path: str, refused: bool) -> None:
    assert never_written(path) is refused

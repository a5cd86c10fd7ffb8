"""Which parts of a workspace stay read-only for what runs in a sandbox."""

from pathlib import Path

from bot.contracts.errors import ToolError
from bot.workspace.protected import SHELL_MAY_ONLY_READ, is_secret_name


def read_only_parts(root: Path) -> list[Path]:
    """Return what exists of them. Blocks.

    Raises:
        ToolError: one of them is a link, so what it leads to could not be guarded; or
            there is no workspace.
    """
    named = [root / name for name in SHELL_MAY_ONLY_READ]
    try:
        secret = [child for child in sorted(root.iterdir()) if is_secret_name(child.name)]
    except OSError as error:
        raise ToolError(f"no command can run: the workspace is gone ({error.strerror})") from None
    for part in (*named, *secret, root / ".git"):
        if part.is_symlink():
            raise ToolError(
                f"no command can run: {part.relative_to(root)} is a link, which the sandbox "
                "cannot guard; put the file itself there"
            )
    return [part for part in (*named, *secret) if part.exists()]

"""The tools there are, in the order the model is told of them."""

from typing import Any, Final

from bot.contracts.tool import Tool
from bot.tools.edit_file import edit_file
from bot.tools.list_files import list_files
from bot.tools.read_file import read_file
from bot.tools.search_files import search_files
from bot.tools.shell import shell
from bot.tools.write_file import write_file

BUILTIN: Final[tuple[Tool[Any], ...]] = (
    list_files,
    search_files,
    read_file,
    write_file,
    edit_file,
    shell,
)

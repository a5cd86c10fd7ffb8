"""SQLite's errors in words for the operator."""

import sqlite3
from pathlib import Path
from typing import Final

from bot.contracts.errors import StoreUnavailable

_AGAIN: Final = "nothing was recorded, and it goes on by itself once that is mended"

_FULL: Final = f"the disk with {{path}} is full: free some space; {_AGAIN}"

_SENTENCES: Final = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR_SHMSIZE: _FULL,
    sqlite3.SQLITE_IOERR: f"the disk with {{path}} does not work ({{name}}): check it; {_AGAIN}",
    sqlite3.SQLITE_READONLY: f"{{path}} cannot be written: check its owner and rights; {_AGAIN}",
    sqlite3.SQLITE_PERM: f"{{path}} may not be used: check its owner and rights; {_AGAIN}",
    sqlite3.SQLITE_CANTOPEN: f"{{path}} cannot be opened: check its owner and rights; {_AGAIN}",
    sqlite3.SQLITE_BUSY: f"another program keeps {{path}} locked: close it; {_AGAIN}",
    sqlite3.SQLITE_LOCKED: f"another program keeps {{path}} locked: close it; {_AGAIN}",
    sqlite3.SQLITE_NOMEM: f"there is no memory left to use {{path}}: free some; {_AGAIN}",
    sqlite3.SQLITE_CORRUPT: "{path} is damaged: restore a backup, or move it aside to begin anew",
    sqlite3.SQLITE_NOTADB: "{path} is not a database: restore a backup, or move it aside",
}
"""By result code, the extended one before the primary (https://www.sqlite.org/rescode.html).

SHMSIZE is a file beside the database that could not grow by its few kilobytes.
"""


def explain(error: sqlite3.Error, path: Path) -> sqlite3.Error | StoreUnavailable:
    """Say what the operator can do about *error*; a bug of ours stays what it is."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None or not (sentence := _SENTENCES.get(code) or _SENTENCES.get(code & 0xFF)):
        return error
    known = StoreUnavailable(sentence.format(path=path, name=error.sqlite_errorname))
    known.__cause__ = error
    return known

"""Names for several tools at once: what rules in the settings may say."""

from collections.abc import Mapping
from typing import Final

READING: Final = frozenset({"list_files", "search_files", "read_file"})
WRITING: Final = frozenset({"write_file", "edit_file"})
PROGRAMS: Final = frozenset({"shell"})

GROUPS: Final[Mapping[str, frozenset[str]]] = {
    "group:read": READING,
    "group:write": WRITING,
    "group:files": READING | WRITING,
    "group:shell": PROGRAMS,
    "group:web": frozenset(),
}
"""``group:web`` has no tool yet; a rule may name it before it has."""

PROFILES: Final[Mapping[str, frozenset[str] | None]] = {
    "minimal": READING,
    "coding": READING | WRITING | PROGRAMS,
    "full": None,
}
"""None is all, also what a later version adds."""

"""The Containerfile as instructions, read as much as ours needs."""

import json
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One instruction of one stage, its continued lines joined."""

    stage: int
    name: str
    rest: str

    @property
    def program(self) -> list[str]:
        """The exec form in it: of CMD, ENTRYPOINT, or HEALTHCHECK's CMD."""
        found = re.search(r"\[.*\]$", self.rest)
        assert found is not None, f"{self.name} has no exec form"
        return [str(word) for word in json.loads(found[0])]


def instructions(file: Path) -> list[Instruction]:
    """Read the file."""
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    found: list[Instruction] = []
    stage = -1
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        name, _, rest = line.strip().partition(" ")
        if name:
            stage += name == "FROM"
            found.append(Instruction(stage=stage, name=name, rest=" ".join(rest.split())))
    return found

"""What the environment says: the process's variables, the `.env` file, and ``${NAME}`` in the YAML.

The `.env` of the state directory never reaches the process's own environment, and so
no child of it; it only answers ``${NAME}`` and names model keys. A `.env` anywhere
else, in the workspace above all, is not read.
"""

import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.contracts.errors import ConfigError
from bot.contracts.secret import Secret

LARGEST: Final = 64 * 1024
"""Bytes of a `.env`."""
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_BLANKS: Final = " \t\v\f"
_LINE: Final = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.ASCII)
"""Where a line ends and what is blank is what `bot.settings.keep` sees in the file's bytes: a line
that is read can be replaced and taken out."""
_MAY_BE_SET: Final = re.compile(r"[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET|PASSWORD|URL|MODEL)(?:_\d+)?")
_NEVER_SET: Final = re.compile(r"(?:STONECHAT|PYTHON|LD|DYLD|PIP)_.*")
_SECRET_NAME: Final = re.compile(r".*(?:KEY|TOKEN|SECRET|PASSWORD)(?:_\d+)?")
_REFERENCE: Final = re.compile(
    r"\$\$\{|\$\{(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}|(?P<broken>))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A value from outside, and where it came from, for eyes."""

    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """All variables that are set to something; an empty one counts as absent."""

    variables: Mapping[str, Variable]
    findings: tuple[str, ...] = ()
    """What is odd about the `.env`, one sentence each."""

    def get(self, name: str) -> Variable | None:
        """Return the variable, or None if it is absent or empty."""
        return self.variables.get(name)


def read_environment(home: Path, environ: Mapping[str, str]) -> Environment:
    """Join the process's environment and the `.env` of the state directory; the former wins.

    Raises:
        ConfigError: there is a `.env` that cannot be read.
    """
    file = home / ".env"
    variables, findings = _read_file(file)
    for name, value in environ.items():
        if value.strip():
            variables[name] = Variable(value=value, source=f"{name} in the environment")
    for name, variable in variables.items():
        if _SECRET_NAME.fullmatch(name):
            Secret(variable.value)  # from here on it is masked, wherever it turns up
    return Environment(variables=variables, findings=tuple(findings))


def _read_file(file: Path) -> tuple[dict[str, Variable], list[str]]:
    variables: dict[str, Variable] = {}
    try:
        with file.open("rb") as opened:
            text = opened.read(LARGEST + 1).decode()
            mode = stat.S_IMODE(file.stat().st_mode)
    except FileNotFoundError:
        return {}, []
    except UnicodeDecodeError:
        raise ConfigError(".env", "no UTF-8 text", "NAME=value lines", where=str(file)) from None
    except OSError as error:
        found = f"a file that cannot be read ({error.strerror})"
        raise ConfigError(".env", found, "a readable file, or none", where=str(file)) from None
    if len(text) > LARGEST:
        raise ConfigError(".env", "a huge file", "at most 64 KiB", where=str(file))
    findings: list[str] = []
    for number, line in enumerate(_LINE_END.split(text), start=1):
        written = line.strip(_BLANKS)
        if not written or written.startswith("#"):
            continue
        name, value, complaint = _read_line(written)
        if complaint:
            findings.append(f"{file}:{number}: {complaint}")
        elif value:
            variables[name] = Variable(value=value, source=f"{name} in {file}")
    if mode & 0o077 and variables:
        findings.append(f"{file}: others may read it (mode {mode:04o}); run chmod 600 {file}")
    return variables, findings


def _read_line(written: str) -> tuple[str, str, str]:
    """Read one line as name, value, complaint (pure)."""
    match = _LINE.fullmatch(written)
    if match is None:
        return "", "", "this line was skipped, expected NAME=value"
    name, value = match[1], match[2].strip()
    if not _MAY_BE_SET.fullmatch(name) or _NEVER_SET.fullmatch(name):
        allowed = "only names that end in _KEY, _TOKEN, _SECRET, _PASSWORD, _URL or _MODEL are read"
        return name, "", f"{name} was skipped; {allowed}"
    if value[:1] in {'"', "'"}:
        closing = value.find(value[0], 1)
        if closing < 0:
            return name, "", f"{name} was skipped, its closing quote is missing"
        return name, value[1:closing], ""
    return name, re.split(r"\s#", value, maxsplit=1)[0].strip(), ""


class Unset(Exception):
    """A ``${NAME}`` has no value; `found` and `expected` say it for the operator."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(found)
        self.found = found
        self.expected = expected


def fill_in(text: str, environment: Environment) -> str:
    """Replace every ``${NAME}`` and ``${NAME:-default}``; ``$${`` stands for ``${`` (pure).

    What comes in is data: it is neither read as YAML nor searched for more references.

    Raises:
        Unset: a variable is absent or empty and has no default, or a reference is broken.
    """

    def value_of(match: re.Match[str]) -> str:
        if match[0] == "$${":
            return "${"
        name, default = match["name"], match["default"]
        if name is None:
            raise Unset("a broken `${`", "${NAME} or ${NAME:-default}; write $${ for a plain ${")
        variable = environment.get(name)
        if variable is not None:
            return variable.value
        if default is not None:
            return default
        raise Unset(f"${{{name}}}, which is not set", f"{name} in the environment or in .env")

    return _REFERENCE.sub(value_of, text)

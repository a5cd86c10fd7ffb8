"""The commands in a piece of shell: which program, which command of ours, which of its options."""

import re
import shlex
from collections.abc import Iterator
from typing import Any, Final

import typer

from bot.cli import app
from tests.architecture.source import ROOT

ELSEWHERE: Final = frozenset(
    {"apt-get", "brew", "docker", "git", "ollama", "pipx", "podman", "ssh", "tailscale", "uv"}
)
"""What a page may name though a machine that tests need not have it."""
_PLAIN: Final = frozenset({"cat", "cd", "chmod", "cp", "export", "mkdir", "printf"})
_OURS: Final = frozenset({"stonechat", "script/run"})
_ENDS: Final = frozenset({";", "&&", "||", "|", "&"})
_HERE_DOCUMENT: Final = re.compile(r"(<<'?(\w+)'?\n).*?^\2$", re.DOTALL | re.MULTILINE)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=.*")


def faults(code: str) -> list[str]:
    """Name every program, command and option in *code* that does not exist."""
    return [fault for words in _commands(code) for fault in _faults(words)]


def _commands(code: str) -> Iterator[list[str]]:
    commands = _HERE_DOCUMENT.sub(r"\1", code)
    for line in commands.replace("\\\n", " ").splitlines():
        words: list[str] = []
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.wordchars += ":@=…$"
        lexer.commenters = "#"
        for word in (*lexer, ";"):
            if word not in _ENDS:
                words.append(word)
            elif words := [*_without_assignments(words)]:
                yield words
                words = []


def _without_assignments(words: list[str]) -> Iterator[str]:
    started = False
    for word in words:
        started = started or not _ASSIGNMENT.fullmatch(word)
        if started:
            yield word


def _faults(words: list[str]) -> Iterator[str]:
    program, *arguments = words
    if program in _OURS:
        yield from _faults_of_ours(arguments)
    elif "/" in program:
        if not (ROOT / program).is_file():
            yield f"there is no {program}"
    elif program not in ELSEWHERE | _PLAIN:
        yield f"{program} is a program that no reader is told of"
    elif program in {"podman", "docker"} and "exec" in arguments and "stonechat" in arguments:
        yield from _faults(arguments[arguments.index("stonechat") + 1 :])


def _faults_of_ours(arguments: list[str]) -> Iterator[str]:
    at: Any = typer.main.get_command(app)
    known = {option for each in at.params for option in each.opts} | {"--help", "-h"}
    for word in arguments:
        if word.startswith("-") and word != "-":
            if word.partition("=")[0] not in known:
                yield f"{at.name} has no option {word}"
        elif commands := getattr(at, "commands", {}):
            if word not in commands:
                yield f"{at.name} has no command {word}"
                return
            at = commands[word]
            known = {option for each in at.params for option in each.opts} | {"--help", "-h"}

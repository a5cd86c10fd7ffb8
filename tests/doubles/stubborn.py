"""Scripts for either model double: one model that works, and several that will not.

A script is a function of what was asked, so that it answers the same after a
restart of the bot; nothing is remembered between two requests.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from tests.doubles.model_server import Answer, Asked, Call, Raw, Script

_PATH: Final = re.compile(r"[\w./-]+\.(?:md|txt)")
_MINE: Final = (
    re.compile(r"^[-*] \[ \] you: (?P<task>.+)$", re.IGNORECASE | re.MULTILINE),
    re.compile(r"asked you to (?P<task>[^.]+)\.", re.IGNORECASE),
    re.compile(r"you said you would (?P<task>[^.]+)\.", re.IGNORECASE),
)


def meeting(asked: Asked) -> Answer | Raw:
    """Read the file that was asked about, then list what it wants of its reader."""
    if not asked.results:
        return Answer(text="I will read it.", calls=(_read(asked.question),))
    tasks = [f"{at}. {task}" for at, task in enumerate(_tasks(asked.results[-1].text), 1)]
    return Answer(text="\n".join(("You have to do this:", "", *tasks)))


def path_in_prose(asked: Asked) -> Answer | Raw:
    """Say where the answer stands instead of reading it."""
    return Answer(text=f"You will find that in {_path(asked.question)}.")


def call_as_text(asked: Asked) -> Answer | Raw:
    """Write the call into the words, as models do that were not told of tools."""
    call = {"name": "read_file", "arguments": {"path": _path(asked.question)}}
    return Answer(text=f"<tool_call>{json.dumps(call)}</tool_call>")


def promise(_asked: Asked) -> Answer | Raw:
    """Announce what it will do, and do nothing."""
    return Answer(text="I'll read the file now and get back to you.")


def same_call_again(_asked: Asked) -> Answer | Raw:
    """Ask for the same thing, whatever became of it before."""
    return Answer(calls=(Call(name="read_file", arguments='{"path":"/etc/shadow"}'),))


def stops_at_tool_use(_asked: Asked) -> Answer | Raw:
    """Stop for a tool, and name none."""
    return Answer(text="Let me look that up.", stop="tool_use")


def unknown_tool(asked: Asked) -> Answer | Raw:
    """Call what does not exist, then give in."""
    if asked.results:
        return Answer(text="I have no such tool.")
    return Answer(calls=(Call(name="functions.open:0", arguments='{"q":1}'),))


def says_nothing(_asked: Asked) -> Answer | Raw:
    """End without a word."""
    return Answer()


SCRIPTS: Final[Mapping[str, Script]] = {
    script.__name__: script
    for script in (
        meeting,
        path_in_prose,
        call_as_text,
        promise,
        same_call_again,
        stops_at_tool_use,
        unknown_tool,
        says_nothing,
    )
}


def _read(question: str) -> Call:
    return Call(name="read_file", arguments=json.dumps({"path": _path(question)}))


def _path(question: str) -> str:
    found = _PATH.search(question)
    return found.group() if found else "notes/meeting.md"


def _tasks(text: str) -> Iterator[str]:
    unnumbered = re.sub(r"^\s*\d+[\t:|] ?", "", text, flags=re.MULTILINE)
    joined = re.sub(r"(?<=\w[\w,.]) ?\n(?=\w)", " ", unnumbered)
    for pattern in _MINE:
        for found in pattern.finditer(joined):
            yield " ".join(found["task"].split())

"""The grammar of session keys. Every id is percent-encoded, so a colon always parts.

====================================================  ============================================
``agent:<agent>:main``                                 direct chats that are one session
``agent:<agent>:person:<name>``                        a linked person's, on every channel
``agent:<agent>:<channel>:<direct|person>:<id>``       a person's on one channel
``agent:<agent>:<channel>:<account>:<direct|person>:<id>``  a person's on one account
``agent:<agent>:<channel>:<account>:room:<id>``        a room or group
``…:<account>:<direct|room>:<id>:thread:<thread>``     a thread of a place
``agent:<agent>:<job|hook>:<id>``                      work that nobody is there for
``<key>:child:<id>``                                   what works for that session
====================================================  ============================================
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from urllib.parse import quote, unquote

from bot.contracts.session import AgentId, SessionKey


class KeyKind(StrEnum):
    """What a session is of."""

    MAIN = "main"
    DIRECT = "direct"
    PERSON = "person"
    ROOM = "room"
    JOB = "job"
    HOOK = "hook"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyParts:
    """A session key taken apart, its ids as the platform has them."""

    agent_id: AgentId
    kind: KeyKind
    id: str = ""
    """Of the person, place, job or hook; empty for MAIN."""
    channel: str | None = None
    account: str | None = None
    thread: str | None = None
    children: tuple[str, ...] = ()
    """Down to what works for what works for it."""

    @property
    def is_direct(self) -> bool:
        """Whether a person talks here alone with the bot; what works for them does not count."""
        return self.kind in _DIRECT and not self.children


_DIRECT: Final = frozenset({KeyKind.MAIN, KeyKind.DIRECT, KeyKind.PERSON})
_ALONE: Final = frozenset({"person", "job", "hook"})
"""The kinds that need neither a channel nor an account."""
_ON_CHANNEL: Final = frozenset({"direct", "person"})
_ON_ACCOUNT: Final = frozenset({"direct", "person", "room"})
_WITH_THREADS: Final = frozenset({"direct", "room"})


def format_key(parts: KeyParts) -> SessionKey:
    """Write a session key (pure). Different parts never give the same key."""
    steps = ["agent", parts.agent_id]
    if parts.kind is KeyKind.MAIN:
        steps.append("main")
    else:
        steps += [each for each in (parts.channel, parts.account) if each is not None]
        steps += [parts.kind, parts.id]
    if parts.thread is not None:
        steps += ["thread", parts.thread]
    for child in parts.children:
        steps += ["child", child]
    return SessionKey(":".join(quote(step, safe="") for step in steps))


def parse_key(key: str) -> KeyParts:
    """Take a session key apart (pure).

    Raises:
        ValueError: it is none.
    """
    steps = key.split(":")
    above, children = steps, list[str]()
    while len(above) >= 5 and above[-2] == "child":
        children.insert(0, unquote(above[-1]))
        above = above[:-2]
    match above:
        case ["agent", agent, "main"]:
            found = KeyParts(agent_id=AgentId(unquote(agent)), kind=KeyKind.MAIN)
        case ["agent", agent, kind, name] if kind in _ALONE:
            found = _parts(agent, kind, name)
        case ["agent", agent, channel, kind, name] if kind in _ON_CHANNEL:
            found = replace(_parts(agent, kind, name), channel=unquote(channel))
        case ["agent", agent, channel, account, kind, name] if kind in _ON_ACCOUNT:
            found = _on_account(agent, channel, account, kind, name)
        case ["agent", agent, channel, account, kind, name, "thread", thread] if (
            kind in _WITH_THREADS
        ):
            found = replace(
                _on_account(agent, channel, account, kind, name), thread=unquote(thread)
            )
        case _:
            raise ValueError(f"{key!r} is no session key")
    found = replace(found, children=tuple(children))
    if format_key(found) != key:
        raise ValueError(f"{key!r} is no session key as it is written here")
    return found


def _parts(agent: str, kind: str, name: str) -> KeyParts:
    return KeyParts(agent_id=AgentId(unquote(agent)), kind=KeyKind(kind), id=unquote(name))


def _on_account(agent: str, channel: str, account: str, kind: str, name: str) -> KeyParts:
    return replace(_parts(agent, kind, name), channel=unquote(channel), account=unquote(account))

"""Whose a sentence is, and whether what it asks is still open (pure)."""

import re
from enum import Enum
from typing import Final

from bot.models.demo.words import words

_LABEL: Final = re.compile(
    r"(?P<paren>[(（\[])?(?P<label>[^:：()（）\[\]]{1,60}?)[)）\]]? ?"
    r"(?:[:：](?!\d|//)| [–—-] ) ?(?=\S)"
)
_AND: Final = re.compile(r" ?[,，/+&、] ?| and |和|与")
_PREFIX_CHARS: Final = 20
"""A longer label is a sentence of its own and no part of the task."""


class Kind(Enum):
    """What a sentence says of itself, and a title of the lines under it."""

    YOURS = "yours"
    ASKING = "asking"
    THEIRS = "theirs"
    CLOSED = "closed"
    ASIDE = "aside"
    PLAIN = "plain"


class Judge:
    """Reads one file; the whole of it tells which capitalised words are no names."""

    def __init__(self, text: str, me: str) -> None:
        self._text = text
        self._me = {"you", "me", "你", "您", "我", me.casefold()} - {""}

    def title(self, text: str) -> Kind:
        """Say what a title means for the lines under it."""
        text = text.replace("'", "’").rstrip(":： ")
        owner = words("title_theirs").match(text)
        if words("title_over").search(text):
            return Kind.CLOSED
        if self._mine(text):
            return Kind.YOURS
        if owner and self._theirs(owner["who"]) and self._known(owner["who"]):
            return Kind.THEIRS
        if words("title_asks").search(text) or words("you").search(text):
            return Kind.ASKING
        return Kind.ASIDE if words("title_aside").search(text) else Kind.PLAIN

    def sentence(self, text: str, *, listed: bool) -> tuple[Kind, str]:
        """Say whose *text* is, and give the task in it without the words that ask."""
        plain = text.replace("'", "’")
        you = words("you").search(plain)
        if words("over").match(plain) or words("closed").search(plain, you.start() if you else 0):
            return Kind.CLOSED, text
        if lead := words("lead").match(plain):
            kind, task = self.sentence(text[lead.end() :].strip(), listed=listed)
            return (Kind.ASKING if kind is Kind.PLAIN else kind), task
        if label := _LABEL.match(plain):
            owner = f"@{label['label']}" if label["paren"] else label["label"]
            return self._labelled(owner, text, text[label.end() :], listed=listed)
        for owner, task in self._owners(text, plain):
            if self._mine(owner):
                return Kind.YOURS, task
            if self._theirs(owner):
                return Kind.THEIRS, text
        if you:
            return Kind.YOURS, _after(text, you)
        if words("others").match(plain):
            return Kind.THEIRS, text
        if mark := words("i").search(plain):
            return Kind.ASKING, _after(text, mark)
        asks = words("do").match(plain) or (listed and words("do_item").match(plain))
        return (Kind.ASKING if asks else Kind.PLAIN), text

    def _labelled(self, label: str, whole: str, rest: str, *, listed: bool) -> tuple[Kind, str]:
        kind, task = self.sentence(rest, listed=listed)
        if kind is Kind.CLOSED:
            return kind, whole
        if self._mine(label):
            return Kind.YOURS, task
        if self._theirs(label) and kind is not Kind.YOURS:
            return Kind.THEIRS, whole
        topic = len(label) <= _PREFIX_CHARS and not self._theirs(label)
        return kind, f"{label}: {task}" if topic else task

    def _owners(self, text: str, plain: str) -> list[tuple[str, str]]:
        """Return the names that the sentence gives the task to, each with what is left."""
        called, begun, after = (words(w).search(plain) for w in ("called", "begins", "after"))
        owners = [(called["who"], text[called.end() :])] if called else []
        if begun:
            owners.append((begun["who"] or begun["at"], text[begun.end() :]))
        if after:
            owners.append((after["who"] or after["at"], text[: after.start()]))
        return owners

    def _mine(self, who: str) -> bool:
        parts = _AND.split(who.casefold())
        return bool(words("title_you").match(who)) or any(p.strip(" @") in self._me for p in parts)

    def _theirs(self, who: str) -> bool:
        return all(self._name(part.strip()) for part in _AND.split(who))

    def _known(self, who: str) -> bool:
        """Whether a name alone in a title is a person's and no subject's."""
        return self._text.count(who) > 1 or bool(words("you_alone").search(self._text))

    def _name(self, word: str) -> bool:
        if words("no_name").fullmatch(word.lstrip("@").split()[0]):
            return False
        if word.startswith("@"):
            return True
        if not words("name").fullmatch(word):
            return False
        return word == word.lower() or not re.search(rf"\b{re.escape(word.lower())}\b", self._text)


def _after(text: str, mark: re.Match[str]) -> str:
    """Return the task behind the words that ask, with the time that may stand before them."""
    before, rest = text[: mark.start()].strip(" ,，"), text[mark.end() :].strip(" ,，:：.。")
    if not rest:
        return before
    if words("pronoun").match(rest):
        return text
    if words("time").fullmatch(before):
        return f"{before}, {rest}" if before.isascii() else before + rest
    return words("lead").sub("", rest)

"""Link targets: where the parentheses end, and whether anybody could follow what they hold."""

import re
from typing import Final

_PARENTHESIS: Final = re.compile(r"""\\[\\()<>]|[ \t]"[^"\n]*"(?=[ \t]*\))|[()\n]""")
_TARGET: Final = re.compile(
    r"""\s* (?: <(?P<angled>[^<>]*)> | (?P<bare>\S*) ) (?: \s+ (?: "[^"]*" | '[^']*' ) )? \s*""",
    re.VERBOSE,
)
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_FOLLOWED: Final = frozenset({"http:", "https:", "mailto:", "tel:"})
_PATH: Final = re.compile(r"[\w./~-][\w./~%@+=, -]*")


class Links:
    """The parentheses of a text, paired once, so that finding a link's end costs nothing."""

    def __init__(self, text: str) -> None:
        self._closing: dict[int, int] = {}
        opened: list[int] = []
        for match in _PARENTHESIS.finditer(text):
            match match[0]:
                case "(":
                    opened.append(match.start())
                case ")" if opened:
                    self._closing[opened.pop()] = match.start()
                case "\n":
                    opened.clear()
                case _:
                    pass

    def closing(self, at: int) -> int | None:
        """Return where the parenthesis at *at* closes, on the same line, or None."""
        return self._closing.get(at)


def link_target(inner: str) -> tuple[str | None, str]:
    """Read what stands between the parentheses of a link (pure).

    Returns the address to follow, and what to show beside the text when there
    is none: a path of the workspace is worth reading though no chat can open
    it; a script or a sentence is not.
    """
    match = _TARGET.fullmatch(inner)
    if match is None:
        return None, ""
    target = _ESCAPED.sub(r"\1", match["angled"] or match["bare"] or "")
    if scheme := _SCHEME.match(target):
        followed = scheme[0].lower() in _FOLLOWED and not re.search(r"[\s<>\x00-\x1f]", target)
        return (target if followed else None), ""
    return None, target if _PATH.fullmatch(target) else ""

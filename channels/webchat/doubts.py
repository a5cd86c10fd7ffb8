"""What a match may not ask of the page: it has direct chats alone, of one account."""

from collections.abc import Iterator

from bot.contracts.inbound import ConversationKind
from bot.contracts.route import Match
from channels.webchat.places import ACCOUNT


def doubts(match: Match) -> Iterator[str]:
    """Give what of *match* cannot be on the page, one sentence each (pure)."""
    if match.kind is ConversationKind.ROOM:
        yield "can never match: the page has direct chats only"
    for name in ("parent", "space", "roles"):
        if getattr(match, name):
            yield f"can never match: there is no {name.removesuffix('s')} on the page"
    if match.account not in {None, ACCOUNT}:
        yield f"can never match: the page has one account, {ACCOUNT!r}"

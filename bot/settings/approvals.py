"""``approvals:`` who decides about calls that have to be asked for, and for how long they may."""

import re
from datetime import timedelta
from typing import Annotated, Final

from pydantic import BeforeValidator, WithJsonSchema

from bot.settings.section import Section, refusal, whole
from bot.settings.shape import matching

_APPROVER: Final = r"owner|admin|[a-z][a-z0-9_]*:\S+"


def _approver(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(_APPROVER, value):
        return value
    raise refusal(value, "owner, admin, or a channel's name, a colon and a person's id")


Approver = Annotated[str, BeforeValidator(_approver), WithJsonSchema(matching(_APPROVER))]
Minutes = Annotated[int, BeforeValidator(whole(1, 1_440))]


class ApprovalSettings(Section):
    """What `ask` below `tools:` names is carried out only once one of these has approved it."""

    approvers: tuple[Approver, ...] = ("owner", "admin")
    """Who may decide: `owner`, `admin`, or a person by channel and id such as `slack:U0123`.
    Below the rank of an admin nobody decides about what they asked for themselves."""
    minutes: Minutes = 10
    """How long a question stays open; then it is a no."""

    @property
    def open_for(self) -> timedelta:
        """How long a question stays open."""
        return timedelta(minutes=self.minutes)

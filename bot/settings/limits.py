"""``limits:`` how much one turn may use, and how many turns run at once."""

from typing import Annotated

from pydantic import BeforeValidator

from bot.settings.section import Section, whole

Count = Annotated[int, BeforeValidator(whole(1, 10_000))]


class LimitSettings(Section):
    """Caps. A turn that reaches one ends with a notice that says so."""

    model_calls: Count = 60
    """Model calls in one turn."""
    tool_calls: Count = 120
    """Tool calls in one turn."""
    turns_at_once: Count = 128
    """Turns that run at the same time; a session runs one at most."""
    background_at_once: Count = 32
    """How many of them may be work that nobody waits for; people's turns may take every place."""

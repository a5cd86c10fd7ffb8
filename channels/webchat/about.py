"""What whoever reads is told of the bot that answers."""

from dataclasses import dataclass

from channels.webchat.protocol import AboutFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the page and the terminal are told of the bot they speak to."""

    address: str = ""
    """Where the page is served, such as ``http://127.0.0.1:7870``; empty if it is not."""
    model: str = ""
    problem: str = ""
    """One sentence for the owner, shown until it is gone."""
    demo: bool = False
    """No language model answers."""

    def frame(self, *, owner: bool) -> AboutFrame:
        """Return what a reader is told: what is wrong, and the settings, are the owner's (pure)."""
        if not owner:
            return AboutFrame(model=self.model or None)
        return AboutFrame(
            model=self.model or None,
            problem=self.problem or None,
            setup="needed" if self.demo else "offered",
        )

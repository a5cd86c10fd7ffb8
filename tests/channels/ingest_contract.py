"""What every inbound keeps, whichever platform reported it."""

import dataclasses
from collections.abc import Callable

from bot.contracts.inbound import Inbound
from bot.contracts.text import clean


class IngestContract:
    """Subclass it and say how one native event becomes an inbound, and what comes twice."""

    def once(self) -> Inbound:
        """Ingest one event."""
        raise NotImplementedError

    def redelivered(self) -> Inbound:
        """Ingest the same event as the platform brings it a second time, later."""
        raise NotImplementedError

    def another(self) -> Inbound:
        """Ingest another event with the same words."""
        raise NotImplementedError

    def test_a_redelivery_has_the_same_source(self) -> None:
        assert self.once().source == self.redelivered().source
        assert self.once().conversation_key == self.redelivered().conversation_key

    def test_the_same_words_said_again_have_another_source(self) -> None:
        assert self.once().source != self.another().source

    def test_it_is_written_somewhere_by_somebody(self) -> None:
        inbound = self.once()

        assert all(
            (
                inbound.source,
                inbound.channel,
                inbound.account,
                inbound.conversation.id,
                inbound.sender.id,
                inbound.native_id,
            )
        )

    def test_its_time_knows_its_zone(self) -> None:
        assert self.once().sent_at.utcoffset() is not None

    def test_every_codec_can_write_it(self) -> None:
        write: Callable[[object], str] = repr
        for field in dataclasses.fields(self.once()):
            text = write(getattr(self.once(), field.name))
            assert clean(text) == text

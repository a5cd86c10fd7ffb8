"""What every channel promises to the kernel and the courier."""

import asyncio

from bot.contracts.channel import Channel
from bot.contracts.delivery import OnUnknown
from bot.contracts.document import Document, Paragraph, Span
from bot.contracts.reply import ReplyKind, ReplyPayload, Target
from tests.doubles.fake_gateway import FakeGateway


class ChannelContract:
    """Subclass it, say how to open a channel and where to send, and all of this is checked."""

    def open(self) -> Channel:
        """Open a channel whose platform is a double."""
        raise NotImplementedError

    def target(self) -> Target:
        """Name a conversation that takes messages."""
        raise NotImplementedError

    async def test_it_says_who_it_is_and_what_it_can_do(self) -> None:
        channel = self.open()

        assert channel.name
        assert channel.account
        assert channel.capabilities.repeat in OnUnknown
        await channel.close()

    async def test_its_dialect_works_before_anything_is_connected(self) -> None:
        channel = self.open()
        document = Document(blocks=(Paragraph(spans=(Span(text="hello"),)),))

        assert "hello" in channel.dialect.render(document)
        await channel.close()

    async def test_it_listens_until_it_is_cancelled(self) -> None:
        channel = self.open()
        listening = asyncio.create_task(channel.listen(FakeGateway()))
        done, _ = await asyncio.wait({listening}, timeout=0.05)
        assert not done

        listening.cancel()

        assert isinstance(
            (await asyncio.gather(listening, return_exceptions=True))[0], asyncio.CancelledError
        )
        await channel.close()

    async def test_what_it_sends_is_receipted_with_an_id_and_a_time(self) -> None:
        channel = self.open()
        payload = ReplyPayload(
            kind=ReplyKind.ANSWER,
            body=Document(blocks=(Paragraph(spans=(Span(text="hello"),)),)),
            fallback="hello",
        )

        receipt = await channel.send(self.target(), payload, nonce="turn:0")

        assert receipt.message_ids
        assert receipt.at.utcoffset() is not None
        await channel.close()

    async def test_it_closes_twice(self) -> None:
        channel = self.open()

        await channel.close()
        await channel.close()

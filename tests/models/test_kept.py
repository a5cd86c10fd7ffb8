from dataclasses import replace

from bot.contracts.messages import Message, UserMessage
from bot.models.kept import KeptBytes


class Encoder:
    def __init__(self) -> None:
        self.encoded: list[Message] = []

    def __call__(self, message: Message) -> bytes:
        self.encoded.append(message)
        return b"%d" % len(self.encoded)


def test_the_same_object_is_encoded_once() -> None:
    encoder = Encoder()
    kept = KeptBytes(encoder)
    one, other = UserMessage(text="hello"), UserMessage(text="bye")
    assert [kept(one), kept(other), kept(one), kept(other)] == [b"1", b"2", b"1", b"2"]


def test_an_object_that_went_lends_its_number_to_no_other() -> None:
    encoder = Encoder()
    kept = KeptBytes(encoder)
    first = UserMessage(text="hello")
    for _ in range(100):
        kept(replace(first))
    assert len(encoder.encoded) == 100


def test_what_grows_too_large_is_forgotten_and_encoded_again() -> None:
    encoder = Encoder()
    kept = KeptBytes(encoder, most_bytes=2)
    messages = [UserMessage(text=str(number)) for number in range(3)]
    assert [kept(message) for message in messages] == [b"1", b"2", b"3"]
    assert kept(messages[2]) == b"3"
    assert kept(messages[0]) == b"4"

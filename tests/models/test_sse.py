import codecs
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.sse import LONGEST, EventStream, Framing, JsonLines, TooLong


def read(stream: Framing, *pieces: bytes) -> list[bytes]:
    return [event for piece in pieces for event in stream.feed(piece)] + stream.end()


def cut(whole: bytes, cuts: list[int]) -> list[bytes]:
    at = [0, *sorted(cut % (len(whole) + 1) for cut in cuts), len(whole)]
    return [whole[a:b] for a, b in pairwise(at)]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: one\n\ndata: two\n\n", [b"one", b"two"]),
        (b"data: one\r\n\r\ndata: two\r\n\r\n", [b"one", b"two"]),
        (b"data: one\r\rdata: two\r\r", [b"one", b"two"]),
        (b"event: error\nid: 7\nretry: 10\ndata: one\n\n", [b"one"]),
        (b": a comment\n\n:\ndata: one\n\n", [b"one"]),
        (b"data: one\ndata: two\n\n", [b"one\ntwo"]),
        (b"data: one\r\ndata: two\r\n\r\n", [b"one\ntwo"]),
        (b"data: one\rdata: two\r\r", [b"one\ntwo"]),
        (b"data:one\n\n", [b"one"]),
        (b"data:  one\n\n", [b" one"]),
        (b"data: one: two\n\n", [b"one: two"]),
        (b"data\n\n", [b""]),
        (b"data:\n\n", [b""]),
        (b"database: one\n\n", []),
        (b"event: ping\n\n", []),
        (b"\n\n\n", []),
        (b"data: one\n", []),
        (b"data: one", []),
        (codecs.BOM_UTF8 + b"data: one\n\n", [b"one"]),
        (b"data: one\n\n" + codecs.BOM_UTF8 + b"data: two\n\n", [b"one"]),
        ("data: 世界\n\n".encode(), ["世界".encode()]),
        (b"", []),
    ],
)
def test_a_stream_and_its_events(stream: bytes, events: list[bytes]) -> None:
    assert read(EventStream(), stream) == events
    assert read(EventStream(), *(stream[at : at + 1] for at in range(len(stream)))) == events


_LINES = st.sampled_from(
    [b"", b"data: one", b"data:", b"data: \xf0\x9f\x98\x80", b": c", b"event: x", b"data"]
)
_ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(
    stream=st.lists(st.tuples(_LINES, _ENDS), max_size=12).map(
        lambda lines: b"".join(line + end for line, end in lines)
    )
    | st.binary(max_size=60),
    cuts=st.lists(st.integers(0, 200), max_size=10),
)
@pytest.mark.parametrize("framing", [EventStream, JsonLines])
def test_wherever_a_stream_is_cut_its_events_are_the_same(
    framing: type[Framing], stream: bytes, cuts: list[int]
) -> None:
    whole = read(framing(), stream)

    assert read(framing(), *cut(stream, cuts)) == whole
    for at in range(len(stream)):
        assert read(framing(), stream[:at], stream[at:]) == whole


@given(st.lists(st.binary(max_size=20).filter(lambda line: not set(line) & {10, 13}), max_size=6))
def test_all_data_of_a_stream_comes_out_as_it_was(events: list[bytes]) -> None:
    stream = b"".join(b"data: " + event + b"\n\n" for event in events)

    assert read(EventStream(), stream) == events


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b'{"a": 1}\n{"b": 2}\n', [b'{"a": 1}', b'{"b": 2}']),
        (b'{"a": 1}\r\n\r\n{"b": 2}', [b'{"a": 1}', b'{"b": 2}']),
        (b"\n \n", []),
    ],
)
def test_lines_of_json_and_the_last_one_may_lack_its_end(
    stream: bytes, events: list[bytes]
) -> None:
    assert read(JsonLines(), stream) == events


@pytest.mark.parametrize("framing", [EventStream, JsonLines])
@pytest.mark.parametrize("line", [b"data: " + b"x" * 1_000_000, b"x" * 1_000_000])
def test_a_line_without_end_is_not_kept(framing: type[Framing], line: bytes) -> None:
    stream = framing()

    for _ in range(LONGEST // len(line)):
        assert stream.feed(line) == []

    with pytest.raises(TooLong):
        stream.feed(line)


def test_an_event_of_lines_without_end_is_not_kept() -> None:
    stream = EventStream()

    lines = (b"data: " + b"x" * 127 + b"\n") * 8192
    for _ in range(LONGEST // (1024 * 1024)):
        assert stream.feed(lines) == []

    with pytest.raises(TooLong):
        stream.feed(lines)

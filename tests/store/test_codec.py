"""Whatever we can say comes back from disk as it was."""

import json
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.contracts.admission import Admission, Dispatch, Drop, Handled, Observe
from bot.contracts.document import (
    Align,
    Block,
    CodeBlock,
    Document,
    Heading,
    ListBlock,
    ListItem,
    Paragraph,
    Quote,
    Rule,
    Span,
    Style,
    Table,
)
from bot.contracts.errors import RecordUnreadable
from bot.contracts.messages import AssistantMessage, StopReason
from bot.contracts.reply import ReplyKind, ReplyPayload
from bot.contracts.transcript import CallStarted, Entry, Nudge, Received
from bot.contracts.turn import Arrival, Outcome, OutcomeKind, Rank
from bot.store import codec
from tests.doubles.arrivals import NOON, a_payload, an_arrival, an_inbound

texts = st.text(max_size=12)
spans = st.builds(
    Span,
    text=texts,
    styles=st.frozensets(st.sampled_from(Style)),
    link=st.none() | texts,
)
runs = st.lists(spans, max_size=3).map(tuple)
leaves: st.SearchStrategy[Block] = st.one_of(
    st.builds(Paragraph, spans=runs),
    st.builds(Heading, level=st.integers(1, 6), spans=runs),
    st.builds(CodeBlock, code=texts, language=texts),
    st.builds(Rule),
    st.builds(
        Table,
        head=st.lists(runs, max_size=2).map(tuple),
        rows=st.lists(st.lists(runs, max_size=2).map(tuple), max_size=2).map(tuple),
        align=st.lists(st.sampled_from(Align), max_size=2).map(tuple),
    ),
)


def containers(inner: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
    blocks = st.lists(inner, max_size=3).map(tuple)
    items = st.lists(st.builds(ListItem, mark=texts, blocks=blocks), max_size=3).map(tuple)
    return st.builds(Quote, blocks=blocks) | st.builds(
        ListBlock, items=items, ordered=st.booleans()
    )


blocks = st.recursive(leaves, containers, max_leaves=6)
documents = st.builds(Document, blocks=st.lists(blocks, max_size=3).map(tuple))
payloads = st.builds(ReplyPayload, kind=st.sampled_from(ReplyKind), body=documents, fallback=texts)
moments = st.integers(-(10**15), 10**16).map(lambda us: NOON + timedelta(microseconds=us))
inbounds = st.builds(an_inbound, texts, source=texts, thread=st.none() | texts)
entries: st.SearchStrategy[Entry] = st.one_of(
    st.builds(Received, inbound=inbounds, rank=st.sampled_from(Rank)),
    st.from_type(AssistantMessage),
    st.from_type(CallStarted),
    st.from_type(Nudge),
)
admissions: st.SearchStrategy[Admission] = st.one_of(
    st.builds(Dispatch, reason=texts),
    st.builds(Observe, reason=texts),
    st.builds(Handled, reason=texts),
    st.builds(Drop, reason=texts),
)
arrivals = st.builds(
    an_arrival,
    texts,
    admission=admissions,
    rank=st.sampled_from(Rank),
    not_before=st.none() | moments,
    replies=st.lists(payloads, max_size=2).map(tuple),
    stopped_notice=st.none() | payloads,
)


@given(payloads)
@settings(max_examples=200)
def test_a_payload_comes_back(payload: ReplyPayload) -> None:
    assert codec.PAYLOAD.decode(codec.PAYLOAD.encode(payload)) == payload


@given(entries)
def test_an_entry_comes_back(entry: Entry) -> None:
    assert codec.ENTRY.decode(codec.ENTRY.encode(entry)) == entry


@given(arrivals)
def test_an_arrival_comes_back(arrival: Arrival) -> None:
    assert codec.ARRIVAL.decode(codec.ARRIVAL.encode(arrival)) == arrival


@given(st.from_type(Outcome))
def test_an_outcome_comes_back(outcome: Outcome) -> None:
    assert codec.OUTCOME.decode(codec.OUTCOME.encode(outcome)) == outcome


@given(st.text(st.characters(categories=["Cs", "L", "So"]), max_size=20))
def test_half_a_character_never_stops_a_record(text: str) -> None:
    outcome = Outcome(kind=OutcomeKind.ANSWERED, text=text)
    found = codec.OUTCOME.decode(codec.OUTCOME.encode(outcome)).text
    assert len(found) == len(text)
    assert [c for c in found if c != "\ufffd"] == [
        c for c in text if not "\ud800" <= c <= "\udfff" and c != "\ufffd"
    ]


def test_an_entry_says_on_disk_what_it_is() -> None:
    entry = AssistantMessage(text="hi", stop=StopReason.END)
    assert json.loads(codec.ENTRY.encode(entry))["kind"] == "assistant"


def test_what_a_newer_version_added_is_ignored() -> None:
    payload = a_payload("hello")
    stored = json.loads(codec.PAYLOAD.encode(payload))
    stored["mood"] = "cheerful"
    stored["body"]["blocks"][0]["colour"] = "red"
    assert codec.PAYLOAD.decode(json.dumps(stored)) == payload


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"kind": "answer", "fallback": 7, "body": {}}',
        '{"kind": "answer", "fallback": "", "body": {"blocks": [{"kind": "hologram"}]}}',
    ],
    ids=["nothing", "half", "another type", "no fields", "a wrong field", "an unknown block"],
)
def test_what_does_not_fit_is_said_to_be_unreadable(stored: str) -> None:
    with pytest.raises(RecordUnreadable, match="cannot be read"):
        codec.PAYLOAD.decode(stored)

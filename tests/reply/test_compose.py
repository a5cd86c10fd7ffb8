from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.document import Document, Paragraph, Span, Style
from bot.contracts.reply import ReplyKind, ReplyPayload
from bot.contracts.turn import Outcome, OutcomeKind
from bot.markup.plain import plain
from bot.reply import notices
from bot.reply.compose import compose
from bot.reply.notices import Language

NO_ANSWER = (notices.no_answer(Language.EN),)


def anything(document: Document) -> bool:
    del document
    return True


def composed(
    text: str = "",
    kind: OutcomeKind = OutcomeKind.ANSWERED,
    *,
    reason: str = "",
    direct: bool = True,
    fits: Callable[[Document], bool] = anything,
) -> tuple[ReplyPayload, ...]:
    outcome = Outcome(kind=kind, text=text, reason=reason)
    return compose(outcome, direct=direct, language=Language.EN, fits=fits)


@pytest.mark.parametrize("kind", [OutcomeKind.ANSWERED])
def test_an_answer_is_sent_as_a_document_and_as_plain_text(kind: OutcomeKind) -> None:
    bold = Span(text="all", styles=frozenset({Style.BOLD}))

    assert composed("<think>why</think>[[reply:1]]\nRun **all**", kind) == (
        ReplyPayload(
            kind=ReplyKind.ANSWER,
            body=Document(blocks=(Paragraph(spans=(Span(text="Run "), bold)),)),
            fallback="Run all",
        ),
    )


def test_an_answer_that_is_too_long_comes_in_parts() -> None:
    payloads = composed("one two. three four", fits=lambda document: len(plain(document)) < 12)

    assert [payload.fallback for payload in payloads] == ["one two.", "three four"]


def test_a_wish_for_a_file_attaches_nothing_and_is_not_shown() -> None:
    (payload,) = composed("Here:\nMEDIA:/etc/passwd\n[[media:file:///proc/self/environ]] done")

    assert payload.fallback == "Here:\ndone"


@pytest.mark.parametrize(
    "text",
    ["", " \n", "<think>only that", "[[silent]]", "NO_REPLY", "```\n```", "[](x y)", "&#32;"],
)
def test_a_person_always_gets_an_answer_or_the_notice_that_there_is_none(text: str) -> None:
    assert composed(text) == NO_ANSWER


@pytest.mark.parametrize("text", ["[[silent]]", "NO_REPLY", "<think>not for me</think>\nNO_REPLY"])
def test_a_room_may_be_left_in_peace(text: str) -> None:
    assert composed(text, direct=False) == ()
    assert composed(kind=OutcomeKind.SILENT, direct=False) == ()


def test_a_silence_nobody_chose_is_told_in_a_room_too() -> None:
    assert composed("<think>hm</think>", direct=False) == NO_ANSWER


def test_a_silent_outcome_in_a_direct_chat_is_told() -> None:
    assert composed(kind=OutcomeKind.SILENT) == NO_ANSWER


def test_a_stop_is_told() -> None:
    assert composed(kind=OutcomeKind.INTERRUPTED) == (notices.interrupted(Language.EN),)


def test_a_failure_is_told_with_its_reason() -> None:
    (payload,) = composed(kind=OutcomeKind.FAILED, reason="the model is down")

    assert payload == notices.failed("the model is down", Language.EN)
    assert "the model is down" in payload.fallback


def test_an_answer_whose_layout_breaks_goes_as_plain_text() -> None:
    def broken(document: Document) -> bool:
        raise KeyError(document)

    payloads = composed("**one** " + "word " * 1_000, fits=broken)

    assert len(payloads) == 3
    assert payloads[0].fallback.startswith("**one** word")
    assert all(payload.kind is ReplyKind.ANSWER for payload in payloads)
    assert all(len(payload.fallback) <= 1_800 for payload in payloads)


@given(
    st.text(),
    st.sampled_from([one for one in OutcomeKind if one is not OutcomeKind.ASKED]),
    st.booleans(),
    st.integers(0, 50),
)
def test_every_outcome_is_visible(text: str, kind: OutcomeKind, direct: bool, limit: int) -> None:
    payloads = composed(
        text, kind, reason=text, direct=direct, fits=lambda document: len(plain(document)) <= limit
    )

    assert payloads or not direct
    assert all(payload.fallback.strip() for payload in payloads)

import dataclasses
from collections.abc import Callable

import pytest

from bot.contracts.document import Paragraph
from bot.contracts.reply import ReplyKind, ReplyPayload
from bot.contracts.turn import Failure, Rank
from bot.markup.plain import plain
from bot.reply import notices
from bot.reply.chinese import CHINESE
from bot.reply.english import ENGLISH
from bot.reply.notices import Language, language_of
from bot.reply.sentences import Sentences

EVERY: dict[str, Callable[[Language], ReplyPayload]] = {
    "interrupted": notices.interrupted,
    "failed": lambda language: notices.failed("the model is down", language),
    "no_answer": notices.no_answer,
    "failures": lambda language: notices.failed("it is broken", language, Failure.BROKEN),
    "queue_full": lambda language: notices.queue_full(20, language),
    "nothing_to_stop": notices.nothing_to_stop,
    "not_yours_to_stop": notices.not_yours_to_stop,
    "cancelled": lambda language: notices.cancelled(2, language, running=1),
    "displaced": notices.displaced,
    "not_started": notices.not_started,
    "anew": lambda language: notices.anew(7, language),
    "not_permitted": lambda language: notices.not_permitted("/model", Rank.ADMIN, language),
    "command_failed": lambda language: notices.command_failed("there is no git", language),
    "not_delivered": lambda language: notices.not_delivered("the chat is gone", language),
    "command_broke": notices.command_broke,
    "not_paired": lambda language: notices.not_paired(
        "ABCDEFGH", "script/run pair approve", language
    ),
    "owner_made": notices.owner_made,
    "wrong_code": notices.wrong_code,
    "too_long": lambda language: notices.too_long(200_000, language),
    "too_fast": notices.too_fast,
    "question": lambda language: notices.question_expired("kf47m", language),
    "gates": lambda language: _gate("room:not-mentioned", language),
}

GATES = ("room:not-listed", "rooms:disabled", "room:not-mentioned", "direct:disabled")


def _gate(reason: str, language: Language) -> ReplyPayload:
    setting = 'channels.square.rooms.allow."-4611686018427387905"'
    notice = notices.kept_back(reason, "ours (-4611686018427387905)", setting, language)
    assert notice is not None
    return notice


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("reason", [*GATES, "message:empty"])
def test_every_rule_that_keeps_an_owner_s_message_back_has_its_sentence(
    reason: str, language: Language
) -> None:
    notice = _gate(reason, language)

    assert notice.fallback.endswith((".", "。"))
    assert language_of(notice.fallback.replace("config.yaml", "")) is language
    assert ("config.yaml" in notice.fallback) is (reason in GATES)
    assert len(notice.fallback) < 300


@pytest.mark.parametrize("sentences", [ENGLISH, CHINESE])
def test_the_gates_are_those_that_are_named(sentences: Sentences) -> None:
    assert set(sentences.gates) == {*GATES, "message:empty"}


def test_there_is_a_notice_for_every_sentence() -> None:
    assert set(EVERY) == {field.name for field in dataclasses.fields(Sentences)}


@pytest.mark.parametrize("sentences", [ENGLISH, CHINESE])
def test_every_failure_that_has_a_name_has_a_sentence(sentences: Sentences) -> None:
    assert set(sentences.failures) == set(Failure)


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("failure", Failure)
def test_a_named_failure_is_told_in_the_persons_language(
    failure: Failure, language: Language
) -> None:
    notice = notices.failed("an English reason for the record", language, failure)

    assert "English reason" not in notice.fallback
    assert language_of(notice.fallback) is language
    assert len(notice.fallback) < 250


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("name", EVERY)
def test_a_notice_is_a_short_line_with_an_end(name: str, language: Language) -> None:
    notice = EVERY[name](language)

    assert notice.kind is ReplyKind.NOTICE
    assert notice.fallback == plain(notice.body)
    assert notice.fallback.endswith((".", "。"))
    assert "\n" not in notice.fallback
    assert len(notice.fallback) < 250
    assert language_of(notice.fallback) is language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("read notes/meeting.md", Language.EN),
        ("读一下会议记录", Language.ZH),
        ("read notes/meeting.md 并列出我要做的三件事", Language.ZH),
        ("what does 你好 mean?", Language.EN),
        ("会議のメモを読んで", Language.EN),
        ("회의록을 읽어 줘", Language.EN),
        ("12:30?", Language.EN),
        ("", Language.EN),
        ("好", Language.ZH),
    ],
)
def test_the_language_is_that_of_who_wrote(text: str, language: Language) -> None:
    assert language_of(text) is language


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("the key is wrong.", "the key is wrong"),
        ("two\nlines", "two lines"),
        ("", "…"),
        ("x" * 5000, "x" * 500 + "…"),
    ],
)
def test_a_reason_is_part_of_one_sentence(reason: str, said: str) -> None:
    notice = notices.failed(reason, Language.EN)

    assert notice.fallback == f"I could not finish this: {said}."


def test_a_reason_is_never_read_as_markup() -> None:
    notice = notices.failed("**no** [[voice]] <b>", Language.EN)

    (paragraph,) = notice.body.blocks
    assert isinstance(paragraph, Paragraph)
    assert [span.text for span in paragraph.spans] == [notice.fallback]


def test_one_message_waits_and_two_wait() -> None:
    assert "1 message already waits" in notices.queue_full(1, Language.EN).fallback
    assert "2 messages already wait" in notices.queue_full(2, Language.EN).fallback

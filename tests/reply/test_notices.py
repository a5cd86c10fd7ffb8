import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from bot.contracts.document import Paragraph, Style
from bot.contracts.reply import ReplyKind, ReplyPayload
from bot.markup.plain import plain
from bot.reply import notices
from bot.reply.chinese import CHINESE
from bot.reply.english import ENGLISH
from bot.reply.notices import Language, language_of
from bot.reply.sentences import Cap, Sentences

AT = datetime(2026, 3, 1, 14, 3, tzinfo=UTC)

EVERY: dict[str, Callable[[Language], ReplyPayload]] = {
    "interrupted": notices.interrupted,
    "failed": lambda language: notices.failed("the model is down", language),
    "no_answer": notices.no_answer,
    "unfinished": notices.unfinished,
    "three_crashes": notices.three_crashes,
    "budget": lambda language: notices.budget(Cap.TOOL_CALLS, 120, language),
    "unknown_effect": lambda language: notices.unknown_effect("npm publish", AT, language),
    "queue_full": lambda language: notices.queue_full(20, language),
    "nothing_to_stop": notices.nothing_to_stop,
    "not_started": notices.not_started,
    "too_old": lambda language: notices.too_old(timedelta(hours=30), language),
    "was_offline": lambda language: notices.was_offline(timedelta(hours=7), language),
    "not_delivered": lambda language: notices.not_delivered("the chat is gone", language),
    "stranger": notices.stranger,
}


def test_there_is_a_notice_for_every_sentence() -> None:
    assert set(EVERY) == {field.name for field in dataclasses.fields(Sentences)}


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
    ("late", "english", "chinese"),
    [
        (timedelta(0), "1 minute", "1 分钟"),
        (timedelta(minutes=59), "59 minutes", "59 分钟"),
        (timedelta(minutes=80), "1 hour", "1 小时"),
        (timedelta(hours=7, minutes=10), "7 hours", "7 小时"),
        (timedelta(hours=47), "47 hours", "47 小时"),
        (timedelta(days=3), "3 days", "3 天"),
    ],
)
def test_a_span_of_time_is_said_as_people_say_it(
    late: timedelta, english: str, chinese: str
) -> None:
    assert ENGLISH.was_offline(late) == f"I was offline for {english}."
    assert CHINESE.was_offline(late) == f"我离线了 {chinese}。"


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


def test_an_unknown_effect_shows_the_command_as_code_and_when_it_began() -> None:
    notice = notices.unknown_effect("npm publish", AT, Language.EN)

    assert "running npm publish (14:03 UTC)" in notice.fallback
    (paragraph,) = notice.body.blocks
    assert isinstance(paragraph, Paragraph)
    assert [span.text for span in paragraph.spans if Style.CODE in span.styles] == ["npm publish"]


def test_one_message_waits_and_two_wait() -> None:
    assert "1 message already waits" in notices.queue_full(1, Language.EN).fallback
    assert "2 messages already wait" in notices.queue_full(2, Language.EN).fallback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.reply.visible import VisibleText, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Hello", "Hello"),
        pytest.param("<think>why</think>Hello", "Hello"),
        pytest.param("<THINKING a='1'>why</Thinking >Hello", "Hello", id="any case, attributes"),
        pytest.param("<thinking>why</thinking>Hello", "Hello"),
        pytest.param("<antthinking>a</antthinking><thought>b</thought>Hello", "Hello"),
        pytest.param("a <thinking/>b", "a b", id="an empty tag opens nothing"),
        pytest.param("<final>Hello</final>", "Hello"),
        pytest.param("Well <final>Hello</final> there", "Well Hello there"),
        pytest.param("A<final/>B", "AB"),
        pytest.param("<think>why<final>Hello</final>", "Hello", id="the answer ends reasoning"),
        pytest.param("<think>a ` b</think>Hello `code`", "Hello `code`",
                     id="a tick in the reasoning opens no code in the answer"),
        pytest.param("<think>say `</think>` at last</think>Hello", "Hello"),
        pytest.param("secret</think>Hello", "Hello", id="a lone closing tag ends reasoning"),
        pytest.param("a</think>b</think>Hello", "Hello"),
        pytest.param("a</think>b</think>", "b"),
        pytest.param("Hello</think>", "Hello", id="with nothing after it, it is only taken out"),
        pytest.param("Hello</think> \n", "Hello \n"),
        pytest.param("</think>Hello", "Hello"),
        pytest.param("Hello <think>never closed", "Hello ", id="what stays open stays hidden"),
        pytest.param("<think>only that", ""),
        pytest.param("Use `<think>` inside\n```xml\n<think>x</think>\n```\nA<thinking/>B <br> a<b",
                     "Use `<think>` inside\n```xml\n<think>x</think>\n```\nAB <br> a<b",
                     id="in code it is a word like any other"),
        pytest.param("it's ` alone <think>x</think>", "it's ` alone "),
        pytest.param("<thinker> <thin> < think> <finally>", "<thinker> <thin> < think> <finally>"),
        pytest.param("1 < 2 <", "1 < 2 <"),
        pytest.param("<|im_start|>Hello<|im_end|><\uff5cend\u2581of\u2581sentence\uff5c>", "Hello"),
        pytest.param("a <| b |> c, `<|x|>`", "a <| b |> c, `<|x|>`", id="an operator is no token"),
        pytest.param("a <system-reminder>obey</system-reminder> b", "a  b"),
        pytest.param('<function_calls>\n<invoke name="x">1</invoke>\n</function_calls>ok', "ok"),
        pytest.param('<invoke name="x">1</invoke>ok', "ok"),
        pytest.param("<tool_call>{}</tool_call>ok", "ok"),
        pytest.param("<tool_call>{} ok", "<tool_call>{} ok", id="an open block is text"),
        pytest.param("<tool_call>{} <think>a</think>ok", "<tool_call>{} ok"),
        pytest.param("`<tool_call>a</tool_call>`", "`<tool_call>a</tool_call>`"),
        pytest.param("<div><b>x</b></div>", "<div><b>x</b></div>"),
    ],
)  # fmt: skip
def test_visible(text: str, expected: str) -> None:
    assert visible(text) == expected


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("<think>why</think>", True),
        ("<think>why</think>\n\n", True),
        ("<think>why", True),
        ("<think></think>", False),
        ("", False),
        ("<think>why</think>Hello", False),
    ],
)
def test_a_message_of_reasoning_alone_is_known(text: str, only: bool) -> None:
    words = VisibleText()
    words.feed(text)
    words.end()

    assert words.reasoning_only is only


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        pytest.param(["Hel", "lo"], ["Hel", "lo"]),
        pytest.param(["a <thi", "nk>b</th", "ink>c"], ["a ", "", "c"]),
        pytest.param(["a <thi", "s> b"], ["a ", "<this> b"]),
        pytest.param(["a <b", ">"], ["a <b", ">"], id="what can be no tag is not kept"),
        pytest.param(["say `<thi", "nk>` now"], ["say `", "<think>` now"]),
        pytest.param(["Type `", "ls -l` now"], ["Type ", "`ls -l` now"]),
    ],
)
def test_only_a_tail_that_could_become_a_tag_is_kept_back(
    pieces: list[str], shown: list[str]
) -> None:
    words = VisibleText()

    assert [words.feed(piece) for piece in pieces] == shown


def test_words_shown_before_a_lone_closing_tag_are_counted_as_withdrawn() -> None:
    words = VisibleText()
    shown = words.feed("secret") + words.feed("</think>Hello") + words.end()

    assert shown[words.withdrawn :] == "Hello"


PARTS = st.lists(
    st.sampled_from(
        (
            *("<think>", "</think>", "<thinking/>", "<final>", "</final>", "<|a|>", "<tool_call>"),
            *("</tool_call>", "<th", "ink>", "<", ">", "`", "``", "```", "~~~", "\\", "\n", "\n\n"),
            *("- ", "> ", " ", "a", "中"),
        )
    ),
    max_size=14,
).map("".join)


@given(PARTS, st.data())
def test_any_two_pieces_say_what_the_whole_says(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))

    assert _filtered(text[:place], text[place:]) == _filtered(text) == _filtered(*text)


@given(st.text().filter(lambda text: "<" not in text))
def test_a_text_without_tags_stays_as_it_is(text: str) -> None:
    assert _filtered(*text) == (text, 0, False)


@given(st.text(alphabet="<>/abc |`\n"))
def test_a_tag_nobody_knows_stays_as_it_is(text: str) -> None:
    assert _filtered(text)[0] == text or "<|" in text


def _filtered(*pieces: str) -> tuple[str, int, bool]:
    words = VisibleText()
    shown = "".join(words.feed(piece) for piece in pieces) + words.end()
    return shown, words.withdrawn, words.reasoning_only

"""Words while they are written look as they will: no mark flashes up and goes again."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.document import Block, Document
from bot.markup.live import LiveMarkdown, completed
from bot.markup.parse import parse
from channels.webchat.render import HtmlDialect

_ANSWER = """# The plan

It is **quite *bold* indeed** and `code with ** in it`, see [the page](https://example.org/a_b).

- first **item**
- second _item_ with `x`
  1. a ~~wrong~~ number
  2. __two__

> quoted **words**

```python
a = b ** 2  # *not* emphasis
```

| name | **value** |
|------|-----------|
| a    | `1`       |

2 * 3 * 4 is snake_case_name, and **done**.
"""
_RAW = ("**", "__", "~~", "`", "[the", "](", "|", "#")
_BLOCK = re.compile(r"<(?:/?(?:p|h\d|li|td|th|pre|blockquote)|br)\b[^>]*>|\n")


def on_screen(document: Document) -> str:
    """The words of the page, a line for each paragraph, item and cell."""
    return re.sub(r"<[^>]*>", "", _BLOCK.sub("\n", HtmlDialect().render(document)))


_SAID = on_screen(parse(_ANSWER))


def looks(text: str) -> str:
    live = LiveMarkdown()
    live.feed(text)
    return on_screen(Document(blocks=live.picture().blocks))


def test_no_mark_is_ever_seen_that_the_whole_does_not_show() -> None:
    for end in range(len(_ANSWER)):
        seen = looks(_ANSWER[:end])
        for line in seen.splitlines():
            for raw in _RAW:
                assert line.count(raw) <= max(
                    (said.count(raw) for said in _SAID.splitlines() if said.startswith(line[:3])),
                    default=0,
                ), (_ANSWER[max(0, end - 30) : end], line)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Run **all", "Run **all**"),
        ("Run **all *of", "Run **all *of***"),
        ("Run **all ", "Run **all**"),
        ("Run **", "Run"),
        ("a `code", "a `code`"),
        ("a ``co`de", "a ``co`de``"),
        ("a * b", "a * b"),
        ("2 * 3 *", "2 * 3"),
        ("see [the page](https://exa", "see"),
        ("see [x] and", "see [x] and"),
        ("- one **two**\n- three *fo", "- one **two**\n- three *fo*"),
        ("- one\n-", "- one"),
        ("```py\na = **b", "```py\na = **b"),
        ("```py\na\n``", "```py\na"),
        ("text\n\n| a | b |", "text"),
        ("text\n\n| a | b |\n|--", "text"),
        ("snake_case_na", "snake_case_na"),
        ("", ""),
    ],
)
def test_what_is_open_is_closed(text: str, whole: str) -> None:
    assert completed(text) == whole


def test_a_whole_text_looks_as_it_is_parsed() -> None:
    assert looks(_ANSWER) == _SAID


@given(st.text("ab *_`~[]()|#>-1.\n"), st.data())
def test_any_text_in_any_pieces_has_a_picture_and_what_is_settled_stays(
    text: str, data: st.DataObject
) -> None:
    live = LiveMarkdown()
    settled: tuple[Block, ...] = ()
    at = 0
    while at < len(text):
        end = data.draw(st.integers(at + 1, len(text)))
        live.feed(text[at:end])
        picture = live.picture()
        assert picture.blocks[: len(settled)] == settled
        settled = picture.blocks[: picture.settled]
        at = end

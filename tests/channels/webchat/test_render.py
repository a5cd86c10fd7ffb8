"""HTML from documents: everything is shown, nothing is done."""

from html.parser import HTMLParser

import pytest
from hypothesis import given

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
from channels.webchat.render import HtmlDialect
from tests.channels.dialect_contract import DialectContract, documents, unhurried

_TAGS = {
    "p", "h3", "h4", "h5", "h6", "pre", "code", "blockquote", "ul", "ol", "li", "div", "table",
    "thead", "tbody", "tr", "th", "td", "hr", "br", "a", "s", "em", "strong", "span",
}  # fmt: skip
_ATTRIBUTES = {
    "class", "value", "data-language", "tabindex", "role", "aria-label", "href", "rel", "target",
}  # fmt: skip
_ALONE = {"br", "hr"}


class Inspector(HTMLParser):
    """Fails on anything that is not of the few tags and attributes that do nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _TAGS
        for name, value in attrs:
            assert name in _ATTRIBUTES
            if name == "href":
                assert value is not None
                assert value.lower().startswith(("http://", "https://", "mailto:"))
        if tag not in _ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def inspect(html: str) -> str:
    """Check HTML and return its text."""
    inspector = Inspector()
    inspector.feed(html)
    inspector.close()
    assert inspector.open == []
    return inspector.text


class TestHtmlDialect(DialectContract):
    dialect = HtmlDialect()


@unhurried
@given(documents)
def test_whatever_the_document_the_html_is_whole_and_does_nothing(document: Document) -> None:
    inspect(HtmlDialect().render(document))


def html(*blocks: Block) -> str:
    return HtmlDialect().render(Document(blocks=blocks))


def a_paragraph(text: str, *styles: Style, link: str | None = None) -> Paragraph:
    return Paragraph(spans=(Span(text=text, styles=frozenset(styles), link=link),))


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        pytest.param(a_paragraph("a < b\nc"), "<p>a &lt; b<br>c</p>", id="a line break"),
        pytest.param(
            a_paragraph("x", Style.BOLD, Style.CODE),
            "<p><strong><code>x</code></strong></p>",
            id="styles nest in one order",
        ),
        pytest.param(
            Heading(level=1, spans=(Span(text="T"),)), "<h3>T</h3>", id="below the page's own"
        ),
        pytest.param(Heading(level=6, spans=(Span(text="T"),)), "<h6>T</h6>", id="no h8"),
        pytest.param(
            CodeBlock(code="a < b\n", language="py"),
            '<pre data-language="py"><code>a &lt; b\n</code></pre>',
            id="code",
        ),
        pytest.param(
            CodeBlock(code="", language='"><script>'),
            '<pre data-language=""><code></code></pre>',
            id="a language that is none",
        ),
        pytest.param(
            Quote(blocks=(a_paragraph("q"),)), "<blockquote><p>q</p></blockquote>", id="quote"
        ),
        pytest.param(Rule(), "<hr>", id="rule"),
        pytest.param(
            ListBlock(items=(ListItem(mark="7.", blocks=(a_paragraph("x"),)),), ordered=True),
            '<ol><li value="7"><p>x</p></li></ol>',
            id="a number stays",
        ),
        pytest.param(
            ListBlock(items=(ListItem(mark="☑", blocks=(a_paragraph("x"),)),)),
            '<ul><li class="marked"><span class="mark">☑</span><p>x</p></li></ul>',
            id="a check box stays",
        ),
    ],
)
def test_a_block_is_written_as(block: Block, expected: str) -> None:
    assert html(block) == expected


def test_a_table_keeps_its_sides_without_inline_styles() -> None:
    table = Table(
        head=((Span(text="a"),), (Span(text="b"),)),
        rows=(((Span(text="1"),), (Span(text="2"),), (Span(text="3"),)),),
        align=(Align.LEFT, Align.RIGHT),
    )

    written = html(table)

    assert '<th>a</th><th class="right">b</th>' in written
    assert '<td>1</td><td class="right">2</td><td>3</td>' in written
    assert "style=" not in written


@pytest.mark.parametrize(
    "link", ["https://example.org/?a=b&c=d", "HTTP://example.org", "mailto:a@example.org"]
)
def test_a_link_leads_out_and_takes_nothing_along(link: str) -> None:
    written = html(a_paragraph("there", link=link))

    assert 'rel="noopener noreferrer"' in written
    assert ">there</a>" in written


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " https://example.org",
        "https://a b",
        "data:text/html,x",
        "file:///etc/passwd",
        "/etc",
        "",
    ],
)
def test_any_other_link_is_only_its_words(link: str) -> None:
    assert html(a_paragraph("there", link=link)) == "<p>there</p>"


def test_neighbours_with_one_link_are_one_link() -> None:
    spans = (
        Span(text="a", styles=frozenset({Style.BOLD}), link="https://x.org"),
        Span(text="b", link="https://x.org"),
    )

    assert html(Paragraph(spans=spans)).count("<a ") == 1


def test_an_image_in_the_model_s_words_asks_nobody_for_anything() -> None:
    """W2: what was an image is a link or text; nothing is loaded by being shown."""
    written = html(
        a_paragraph("![x](https://evil.test/?d=canary)"),
        a_paragraph("x", link="https://evil.test/?d=canary"),
    )

    assert "<img" not in written
    assert "src=" not in written

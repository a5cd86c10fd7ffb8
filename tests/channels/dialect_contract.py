"""What every dialect promises, whatever its markup looks like."""

import string

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.contracts.channel import Dialect
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

texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.sampled_from(
        [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "</code></pre><b onclick='x'>",
            "&lt;a&gt; &amp; \"quoted\" 'too'",
            "javascript:alert(1)",
            "\0\x0b\x1b[2J",
        ]
    ),
)
links = st.one_of(
    st.none(),
    st.sampled_from(
        [
            "https://example.org/a?b=c&d=e#f",
            "mailto:a@example.org",
            "javascript:alert(1)",
            " javascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,<script>alert(1)</script>",
            "vbscript:x",
            "//example.org",
            'https://example.org/"onmouseover="alert(1)',
            "https://example.org/'><script>",
            "file:///etc/passwd",
        ]
    ),
    st.text(string.printable, max_size=20),
)
spans = st.lists(
    st.builds(Span, text=texts, styles=st.frozensets(st.sampled_from(list(Style))), link=links),
    max_size=4,
).map(tuple)
leaves: st.SearchStrategy[Block] = st.one_of(
    st.builds(Paragraph, spans=spans),
    st.builds(Heading, level=st.integers(1, 6), spans=spans),
    st.builds(CodeBlock, code=texts, language=texts),
    st.builds(
        Table,
        head=st.lists(spans, max_size=3).map(tuple),
        rows=st.lists(st.lists(spans, max_size=3).map(tuple), max_size=3).map(tuple),
        align=st.lists(st.sampled_from(list(Align)), max_size=3).map(tuple),
    ),
    st.builds(Rule),
)


def _nested(inner: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
    blocks = st.lists(inner, max_size=3).map(tuple)
    marks = st.one_of(st.sampled_from(["•", "3.", "12)", "☐", "☑"]), texts)
    items = st.lists(st.builds(ListItem, mark=marks, blocks=blocks), max_size=3).map(tuple)
    return st.one_of(
        st.builds(Quote, blocks=blocks),
        st.builds(ListBlock, items=items, ordered=st.booleans()),
    )


blocks = st.recursive(leaves, _nested, max_leaves=8)
documents = st.builds(Document, blocks=st.lists(blocks, max_size=4).map(tuple))


unhurried = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
"""A busy machine is no fault of a dialect, and each dialect runs the same properties."""


class DialectContract:
    """Subclass it, give it a `dialect`, and all of this is checked."""

    dialect: Dialect

    @unhurried
    @given(documents)
    def test_every_document_is_rendered_the_same_each_time(self, document: Document) -> None:
        assert self.dialect.render(document) == self.dialect.render(document)

    @unhurried
    @given(documents)
    def test_rendering_needs_no_more_than_the_document(self, document: Document) -> None:
        assert isinstance(self.dialect.fits(document), bool)

    def test_nothing_is_rendered_as_nothing_and_fits(self) -> None:
        assert self.dialect.render(Document()) == ""
        assert self.dialect.fits(Document())

    def test_the_words_of_a_short_text_are_in_what_is_rendered(self) -> None:
        document = Document(blocks=(Paragraph(spans=(Span(text="Half past nine"),)),))

        assert "Half past nine" in self.dialect.render(document)
        assert self.dialect.fits(document)

    def test_a_text_without_end_does_not_fit(self) -> None:
        endless = Paragraph(spans=(Span(text="word " * 1_000_000),))

        assert not self.dialect.fits(Document(blocks=(endless,)))

from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.text import clean


@given(st.text(st.characters(exclude_categories=())))
def test_what_was_cleaned_can_be_written_and_nothing_else_changed(text: str) -> None:
    cleaned = clean(text)

    assert cleaned.encode().decode() == cleaned
    assert len(cleaned) == len(text)
    assert all(new in (old, "\ufffd") for old, new in zip(text, cleaned, strict=True))

"""What a file is: its bytes say so, and its name only where they are silent."""

import pytest

from bot.media.kinds import kind_of

_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        pytest.param(_PNG, "a.png", "image/png", id="a picture"),
        pytest.param(_PNG, "a.txt", "image/png", id="a picture that says it is a text"),
        pytest.param(b"<script>alert(1)</script>", "a.png", "text/plain", id="a page as a picture"),
        pytest.param(b"<svg onload=x>", "a.svg", "image/svg+xml", id="a drawing"),
        pytest.param(b"a,b\n1,2\n", "a.csv", "text/csv", id="a table"),
        pytest.param(b"# Plan\n", "PLAN.MD", "text/markdown", id="capitals"),
        pytest.param(b"hello", "no ending", "text/plain", id="no ending"),
        pytest.param(b"BM is how it begins", "a.txt", "text/plain", id="words like a signature"),
        pytest.param(b"a\0b", "a.txt", "application/octet-stream", id="a NUL"),
        pytest.param(b"\xff\xfea\0", "a.txt", "text/plain", id="UTF-16 with its mark"),
        pytest.param(b"PK\x03\x04..", "a.zip", "application/zip", id="an archive"),
        pytest.param(b"PK\x03\x04..", "a.png", "application/zip", id="an archive as a picture"),
        pytest.param(b"RIFF\0\0\0\0WEBPVP8 ", "a", "image/webp", id="WebP"),
        pytest.param(b"\0\0\0 ftypheic", "a", "image/heic", id="HEIC"),
        pytest.param(b"%PDF-1.7", "a.pdf", "application/pdf", id="PDF"),
        pytest.param(b"", "a.txt", "text/plain", id="nothing"),
    ],
)
def test_what_it_is(head: bytes, name: str, kind: str) -> None:
    assert kind_of(head, name) == kind

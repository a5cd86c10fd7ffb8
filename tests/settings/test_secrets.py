"""A secret from a file of its own: read once, shown never."""

import os
from pathlib import Path

import pytest

from tests.doubles.settings_files import SettingsFiles

MODEL = "models: {x: {provider: openai, model: m, key: {file: keys/openai}}}"


@pytest.fixture
def files(tmp_path: Path) -> SettingsFiles:
    (tmp_path / "keys").mkdir()
    return SettingsFiles(tmp_path)


def _secret(files: SettingsFiles, content: bytes, mode: int = 0o600) -> None:
    file = files.home / "keys" / "openai"
    file.write_bytes(content)
    file.chmod(mode)


def test_the_file_starts_at_the_state_directory_and_loses_its_line_break(
    files: SettingsFiles,
) -> None:
    _secret(files, b"sk-canary\r\n")

    assert files.read(MODEL).models["x"].keys[0].reveal() == "sk-canary"


def test_a_channel_may_have_one_too_at_any_depth(files: SettingsFiles) -> None:
    _secret(files, b"sk-canary\n")

    settings = files.read("channels: {x: {a: {token: {file: keys/openai}}}}")

    assert settings.channels["x"] == {"a": {"token": "sk-canary"}}


@pytest.mark.parametrize("content", [b"", b" \n", b"two\nlines\n", b"\xff\xfe", b"x" * 70_000])
def test_a_file_that_holds_no_secret_is_one_sentence(files: SettingsFiles, content: bytes) -> None:
    _secret(files, content)

    [mistake] = files.mistakes(MODEL)

    assert "models.x.key: found the file 'keys/openai', expected" in mistake


@pytest.mark.parametrize("kind", ["absent", "folder", "pipe"])
def test_a_file_that_is_none_is_one_sentence_and_nothing_hangs(
    files: SettingsFiles, kind: str
) -> None:
    file = files.home / "keys" / "openai"
    if kind == "folder":
        file.mkdir()
    if kind == "pipe":
        os.mkfifo(file)

    [model] = files.mistakes(MODEL)
    [channel] = files.mistakes("channels: {x: {token: {file: keys/openai}}}")

    assert "models.x.key: found the file 'keys/openai'" in model
    assert "channels.x.token: found the file 'keys/openai'" in channel


def test_a_secret_that_others_may_read_is_told(files: SettingsFiles) -> None:
    _secret(files, b"sk-canary", 0o644)

    [finding] = files.read(MODEL).findings

    assert "chmod 600" in finding
    assert "canary" not in finding

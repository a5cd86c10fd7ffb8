"""A broken file at start: the last good settings, said loudly; and nothing is ever written over."""

import hashlib
import stat
from pathlib import Path

import pytest

from bot.contracts.errors import ConfigError
from bot.settings import load_settings, open_home, remember_good
from bot.settings.load import LAST_GOOD
from tests.doubles.settings_files import SettingsFiles

ENVIRON = {"HOME": "/people/ana"}


@pytest.fixture
def files(tmp_path: Path) -> SettingsFiles:
    return SettingsFiles(tmp_path)


@pytest.mark.parametrize(
    "broken", ["", "http: {port: x}", "http: {port: 1", "a:\n\tb: 1", "\x00", "store: ${MISSING}"]
)
def test_a_broken_file_starts_the_last_good_one_and_says_so(
    files: SettingsFiles, broken: str
) -> None:
    files.write("http: {port: 4711}")
    remember_good(load_settings(files.home, ENVIRON))
    files.write(broken)

    settings = load_settings(files.home, ENVIRON)

    assert settings.http.port == 4711
    assert f"{files.home}/config.yaml" in settings.problem
    assert "last good settings" in settings.problem
    assert (files.home / "config.yaml").read_text() == broken


def test_a_broken_file_without_a_last_good_one_is_an_error(files: SettingsFiles) -> None:
    files.write("http: {port: x}")

    with pytest.raises(ConfigError, match=r"http\.port"):
        load_settings(files.home, ENVIRON)


def test_a_last_good_file_that_is_broken_too_is_not_the_one_complained_of(
    files: SettingsFiles,
) -> None:
    files.write("http: {port: x}")
    files.write("http: {port: y}", name=LAST_GOOD)

    with pytest.raises(ConfigError) as caught:
        load_settings(files.home, ENVIRON)

    assert caught.value.where == f"{files.home}/config.yaml:1"


def test_settings_with_a_problem_do_not_become_the_last_good_ones(files: SettingsFiles) -> None:
    files.write("http: {port: 4711}")
    remember_good(load_settings(files.home, ENVIRON))
    files.write("http: {port: x}")
    remember_good(load_settings(files.home, ENVIRON))

    assert (files.home / LAST_GOOD).read_text() == "http: {port: 4711}"


def test_the_last_good_file_holds_no_value_of_a_variable_and_is_private(
    files: SettingsFiles,
) -> None:
    files.write("models: {x: {provider: demo, model: m, key: '${MY_KEY}'}}  # mine")
    remember_good(load_settings(files.home, {**ENVIRON, "MY_KEY": "sk-canary"}))

    kept = files.home / LAST_GOOD
    assert kept.read_text() == (files.home / "config.yaml").read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_removed_file_means_defaults_and_no_last_good_one(files: SettingsFiles) -> None:
    files.write("http: {port: 4711}")
    remember_good(load_settings(files.home, ENVIRON))
    (files.home / "config.yaml").unlink()

    settings = load_settings(files.home, ENVIRON)
    remember_good(settings)

    assert settings.http.port == 7870
    assert not (files.home / LAST_GOOD).exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"a: \xff", ":1: the file: found bytes that are no UTF-8"), (b"#" * 2_000_000, "1 MiB")],
)
def test_a_file_that_is_no_text_is_one_sentence(
    files: SettingsFiles, content: bytes, said: str
) -> None:
    (files.home / "config.yaml").write_bytes(content)

    with pytest.raises(ConfigError) as caught:
        load_settings(files.home, ENVIRON)

    assert said in str(caught.value)


def test_a_byte_order_mark_is_no_mistake(files: SettingsFiles) -> None:
    (files.home / "config.yaml").write_bytes(b"\xef\xbb\xbfhttp: {port: 1}")

    assert load_settings(files.home, ENVIRON).http.port == 1


def test_a_folder_in_its_place_is_one_sentence(files: SettingsFiles) -> None:
    (files.home / "config.yaml").mkdir()

    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings(files.home, ENVIRON)


def test_a_file_written_by_hand_is_never_written_over(files: SettingsFiles) -> None:
    files.write("http: {port: 4711}  # by hand")
    before = hashlib.sha256((files.home / "config.yaml").read_bytes())

    open_home(files.home)
    remember_good(load_settings(files.home, ENVIRON))

    after = hashlib.sha256((files.home / "config.yaml").read_bytes())
    assert before.digest() == after.digest()


def test_the_file_of_a_new_home_says_what_the_defaults_are(tmp_path: Path) -> None:
    open_home(tmp_path / "new")
    (tmp_path / "empty").mkdir()

    seeded = load_settings(tmp_path / "new", ENVIRON)
    default = load_settings(tmp_path / "empty", ENVIRON)

    assert (seeded.http, seeded.tools, seeded.limits) == (
        default.http,
        default.tools,
        default.limits,
    )
    assert seeded.agents["main"].workspace == tmp_path / "new" / "workspace"

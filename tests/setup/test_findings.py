"""What is wrong is said with the exact fix, the worst first."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.contracts.errors import (
    KeyExhausted,
    KeyRefused,
    ModelError,
    ModelUnavailable,
    ModelUnknown,
)
from bot.contracts.secret import Secret
from bot.contracts.setup import Finding, Weight
from bot.sandbox import NoSandbox
from bot.settings import Settings, load_settings
from bot.settings.elsewhere import StoredToken
from bot.setup.findings import Disk, findings, look_at_disk
from tests.doubles.settings_files import SettingsFiles

WELL = Disk(free_bytes=10 * 2**30)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return SettingsFiles(tmp_path).read(OPENAI_API_KEY="sk-1")


def test_where_all_is_well_nothing_is_found(settings: Settings) -> None:
    assert findings(settings, sandbox=None, disk=WELL) == ()


@pytest.mark.parametrize(
    ("error", "fix"),
    [
        (KeyRefused("refused the key"), "models add"),
        (KeyExhausted("no money", spent=True), "add credit"),
        (KeyExhausted("wait"), "raise the key's limit"),
        (ModelUnknown("no such model"), "another model"),
        (ModelUnavailable("down"), "see that the server runs"),
    ],
)
def test_a_model_that_failed_is_broken_and_has_its_fix(
    settings: Settings, error: ModelError, fix: str
) -> None:
    (found,) = findings(settings, sandbox=None, disk=WELL, troubles=[error])

    assert (found.weight, found.what) == (Weight.BROKEN, str(error))
    assert fix in found.fix


def test_no_secret_is_in_what_a_model_said(settings: Settings) -> None:
    secret = Secret("sk-canary-in-a-sentence")
    error = KeyRefused(f"refused {secret.reveal()}")

    (found,) = findings(settings, sandbox=None, disk=WELL, troubles=[error])

    assert found.what == "refused ***"


def only(found: tuple[Finding, ...]) -> Finding:
    (one,) = found
    return one


def test_the_demo_is_said_to_be_one(tmp_path: Path) -> None:
    found = only(findings(SettingsFiles(tmp_path).read(), sandbox=None, disk=WELL))

    assert "demo" in found.what
    assert "models add" in found.fix


@pytest.mark.parametrize("host", ["10.1.2.3:8000", "models.example", "[2001:db8::1]:80"])
def test_a_key_that_travels_in_clear_is_said_with_where_it_goes(tmp_path: Path, host: str) -> None:
    for files in (
        SettingsFiles(tmp_path).read(OPENAI_API_KEY="sk-canary", OPENAI_BASE_URL=f"http://{host}"),
        SettingsFiles(tmp_path).read(
            "models: {far: {provider: anthropic, model: m, key: sk-canary,"
            f" base_url: 'http://{host}'}}}}"
        ),
    ):
        found = only(findings(files, sandbox=None, disk=WELL))

        assert found.weight is Weight.WARNING
        assert f"go to {host} in clear" in found.what
        assert "https://" in found.fix
        assert "canary" not in f"{found.what} {found.fix}"


@pytest.mark.parametrize(
    ("base_url", "key"),
    [
        ("http://127.0.0.1:8000/v1", "sk-1"),
        ("http://[::1]/v1", "sk-1"),
        ("http://models.localhost/v1", "sk-1"),
        ("https://models.example/v1", "sk-1"),
        ("http://10.1.2.3/v1", ""),
    ],
)
def test_no_key_is_overheard_on_this_machine_encrypted_or_where_there_is_none(
    tmp_path: Path, base_url: str, key: str
) -> None:
    settings = SettingsFiles(tmp_path).read(OPENAI_API_KEY=key, OPENAI_BASE_URL=base_url)

    assert findings(settings, sandbox=None, disk=WELL) == ()


def test_a_missing_sandbox_has_its_command(settings: Settings) -> None:
    absent = NoSandbox(reason="no shell: bubblewrap is not installed (Debian: …)")

    found = only(findings(settings, sandbox=absent, disk=WELL))

    assert found.weight is Weight.HINT
    assert found.fix.startswith("`apt-get install bubblewrap`")


def test_a_broken_configuration_is_the_first_thing_said(settings: Settings) -> None:
    broken = replace(settings, problem="config.yaml:3: wrong")

    found = findings(broken, sandbox=NoSandbox(reason="x"), disk=Disk(free_bytes=1))

    assert [each.weight for each in found] == [Weight.BROKEN, Weight.WARNING, Weight.HINT]
    assert found[0].what == "config.yaml:3: wrong"


def test_an_odd_line_of_the_settings_keeps_its_own_fix(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-1\n")
    (tmp_path / ".env").chmod(0o640)
    settings = SettingsFiles(tmp_path).read()

    found = only(findings(settings, sandbox=None, disk=WELL))

    assert found.fix == f"`chmod 600 {tmp_path}/.env`"


def test_what_others_may_read_and_a_full_disk_are_seen(tmp_path: Path, settings: Settings) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "stonechat.db").write_bytes(b"")
    (tmp_path / "stonechat.db").chmod(0o604)

    disk = look_at_disk(tmp_path)

    assert disk.free_bytes is not None
    found = findings(settings, sandbox=None, disk=replace(disk, free_bytes=2**20))
    assert [each.fix for each in found] == [
        f"`chmod 700 {tmp_path}`",
        f"`chmod 600 {tmp_path}/stonechat.db`",
        "make room on the disk of the state directory",
    ]


def test_a_state_directory_that_is_not_there_yet_has_no_faults(tmp_path: Path) -> None:
    assert look_at_disk(tmp_path / "none") == Disk(free_bytes=None)


def test_a_token_that_nobody_listens_with_is_a_hint(settings: Settings) -> None:
    waiting = (StoredToken(channel="telegram", identity="@example_bot"),)

    found = only(findings(replace(settings, stored=waiting), sandbox=None, disk=WELL))

    assert found.weight is Weight.HINT
    assert "@example_bot" in found.what


def test_a_window_in_which_little_fits_is_said(settings: Settings) -> None:
    small = {name: replace(model, context=4096) for name, model in settings.models.items()}

    found = only(findings(replace(settings, models=small), sandbox=None, disk=WELL))

    assert "4,096 tokens" in found.what
    assert "`context`" in found.fix


def test_a_limit_that_is_off_is_said_of_models_that_are_paid_for_and_of_no_other(
    tmp_path: Path,
) -> None:
    written = "limits: {money: {day: 'off', turn: 'off'}, tokens: {day: 'off'}}\n"
    (tmp_path / "config.yaml").write_text(written)
    free = load_settings(tmp_path, {"HOME": str(tmp_path)})
    listed = load_settings(tmp_path, {"HOME": str(tmp_path), "ANTHROPIC_API_KEY": "sk-1"})
    unknown = load_settings(
        tmp_path, {"HOME": str(tmp_path), "OPENAI_BASE_URL": "https://models.example.org/v1"}
    )

    def said(settings: Settings) -> str:
        found = findings(settings, sandbox=None, disk=Disk(free_bytes=None))
        return "\n".join(one.what for one in found)

    assert "limits." not in said(free)
    assert "`limits.money.day` is off" in said(listed)
    assert "`limits.money.turn` is off" in said(listed)
    assert "limits.tokens" not in said(listed)
    assert "`limits.tokens.day` is off" in said(unknown)
    assert "limits.money" not in said(unknown)

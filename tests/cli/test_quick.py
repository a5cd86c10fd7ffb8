import os
import subprocess
import sys
from pathlib import Path

START = "from bot.cli.quick import import_quickly; import_quickly(); import bot.cli.run"
"""What `stonechat run` imports before it does anything."""

NEVER = ("rich", "pygments", "openai", "anthropic", "httpx2", "truststore", "multiprocessing")
"""What no start of the demo needs, each with a tenth of a second or more to lose."""


def prints(code: str, **environ: str) -> str:
    done = subprocess.run(  # noqa: S603 - our own interpreter and our own words
        [sys.executable, "-c", code],
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_start_imports_nothing_that_it_does_not_need() -> None:
    found = prints(f"import sys; {START}; print(sorted(set({NEVER}) & set(sys.modules)))")

    assert found == "[]"


def test_a_start_builds_no_reader_of_what_nobody_has_sent_yet() -> None:
    code = (
        f"import gc; {START}; import channels.webchat.adapter\nfrom pydantic import TypeAdapter\n"
        "print([each._type for each in gc.get_objects() if isinstance(each, TypeAdapter)])"
    )

    assert prints(code) == "[]"


def test_garbage_is_looked_for_once_it_runs_but_not_among_what_stays(tmp_path: Path) -> None:
    code = (
        "import gc, io, os, sys\n"
        "class AtTheFirstWord(io.StringIO):\n"
        " def write(self, text):\n"
        "  sys.__stdout__.write(f'{gc.isenabled()} {gc.get_freeze_count() > 10_000}')\n"
        "  sys.__stdout__.flush()\n"
        "  os._exit(0)\n"
        "sys.stdout = AtTheFirstWord()\n"
        "from bot.cli import main\n"
        "main(['run', '--port', '0'])"
    )

    assert prints(code, STONECHAT_HOME=str(tmp_path / "state"), HOME=str(tmp_path)) == "True True"


def test_help_imports_neither_the_server_nor_the_settings() -> None:
    heavy = ("aiohttp", "pydantic", "structlog", "sqlite3", "yaml", "rich")
    code = (
        "import contextlib, io, sys\nfrom bot.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n main(['--help'])\n"
        f"print(sorted(set({heavy}) & set(sys.modules)))"
    )

    assert prints(code) == "[]"


def test_a_start_reads_no_certificates_and_whoever_needs_them_gets_them_all() -> None:
    code = (
        f"{START}\nimport ssl\nfrom aiohttp import connector\nfrom bot.trust import trust\n"
        "default = connector._SSL_CONTEXT_VERIFIED\n"
        "print(default.cert_store_stats()['x509_ca'])\n"
        "plain = ssl.create_default_context().cert_store_stats()\n"
        "print(trust() is default, default.cert_store_stats() == plain, trust() is trust())"
    )

    assert prints(code).splitlines() == ["0", "True True True"]


def test_what_is_left_out_once_can_be_imported_later() -> None:
    assert prints(f"{START}; import rich, rich.table; print(rich.table.__name__)") == "rich.table"


def test_no_plugin_of_another_package_is_shown_the_settings(tmp_path: Path) -> None:
    (tmp_path / "curious.py").write_text("raise SystemExit('I was loaded')\n")
    about = tmp_path / "curious-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: curious\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pydantic]\ncurious = curious\n")

    assert prints(f"{START}; print('alone')", PYTHONPATH=str(tmp_path)) == "alone"

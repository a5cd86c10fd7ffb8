"""What reaches a log, and what must not, whoever logs it and however it is written down."""

import base64
import contextlib
import io
import json
import logging
import stat
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import structlog

from bot import log
from bot.contracts.secret import Secret

CANARY = 'kä9/"+&canary?=\\7Qx'
SPELLINGS = [
    CANARY,
    quote(CANARY),
    quote(CANARY, safe=""),
    json.dumps(CANARY)[1:-1],
    json.dumps(CANARY, ensure_ascii=False)[1:-1],
    base64.b64encode(CANARY.encode()).decode(),
    base64.urlsafe_b64encode(CANARY.encode()).decode().rstrip("="),
    base64.b64encode(f"user:{CANARY}".encode()).decode(),
    base64.b64encode(f"u:{CANARY}!".encode()).decode(),
]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    Secret(CANARY)
    root, hook, level = logging.getLogger(), threading.excepthook, logging.getLogger().level
    before = root.handlers[:]
    root.handlers = []
    yield
    for output in root.handlers:
        output.close()
    root.handlers = before
    root.setLevel(level)
    threading.excepthook = hook
    logging.captureWarnings(capture=False)
    structlog.reset_defaults()


@pytest.fixture(params=["terminal", "pipe"])
def screen(request: pytest.FixtureRequest, tmp_path: Path) -> io.StringIO:
    stream = Terminal() if request.param == "terminal" else io.StringIO()
    log.configure(terminal=stream, colours=True, logs=tmp_path, debug=True)
    return stream


def _all_that_was_written(screen: io.StringIO, logs: Path) -> str:
    return screen.getvalue() + (logs / log.LOG_FILE).read_text()


def _assert_nothing_leaked(text: str) -> None:
    assert "***" in text
    assert "canary" not in text
    for spelling in SPELLINGS:
        assert spelling not in text
        assert spelling[8:20] not in text


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("name", ["bot.kernel.turn", "httpx2", "aiohttp.access", "whoever"])
def test_a_secret_is_masked_in_every_spelling_and_every_logger(
    screen: io.StringIO, tmp_path: Path, spelling: str, name: str
) -> None:
    logging.getLogger(name).debug("calling %s now", spelling)
    logging.getLogger(name).warning("calling with %r", {"Authorization": f"Bearer {spelling}"})
    structlog.get_logger(name).info("calling", headers={"Authorization": [spelling]}, url=spelling)

    _assert_nothing_leaked(_all_that_was_written(screen, tmp_path))


def test_a_secret_inside_json_inside_a_line_is_masked(screen: io.StringIO, tmp_path: Path) -> None:
    structlog.get_logger().info("body", body=json.dumps({"key": CANARY}))
    logging.getLogger("openai").debug(json.dumps({"body": json.dumps({"key": CANARY})}))

    _assert_nothing_leaked(_all_that_was_written(screen, tmp_path))


def test_a_secret_that_is_a_name_is_masked(screen: io.StringIO, tmp_path: Path) -> None:
    structlog.get_logger().info("seen", counts={CANARY: 1}, **{CANARY: 2})

    _assert_nothing_leaked(_all_that_was_written(screen, tmp_path))


def test_a_secret_split_over_arguments_is_masked(screen: io.StringIO, tmp_path: Path) -> None:
    logging.getLogger("httpx2").debug("%s%s", CANARY[:7], CANARY[7:])

    _assert_nothing_leaked(_all_that_was_written(screen, tmp_path))


def test_a_secret_in_a_traceback_is_masked(screen: io.StringIO, tmp_path: Path) -> None:
    def fails(header: str) -> None:
        raise ValueError(f"bad header {header}")

    for logger in (logging.getLogger("asyncio"), structlog.get_logger()):
        try:
            fails(CANARY)
        except ValueError:
            logger.exception("it broke")

    written = _all_that_was_written(screen, tmp_path)
    _assert_nothing_leaked(written)
    assert written.count("ValueError: bad header ***") == 4


def test_what_ends_a_thread_is_logged_and_masked(screen: io.StringIO, tmp_path: Path) -> None:
    def fails() -> None:
        raise RuntimeError(CANARY)

    thread = threading.Thread(target=fails, name="writer")
    thread.start()
    thread.join()

    written = _all_that_was_written(screen, tmp_path)
    _assert_nothing_leaked(written)
    assert "RuntimeError: ***" in written


def test_a_warning_is_a_log_line(screen: io.StringIO, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=False)
        logging.captureWarnings(capture=True)
        warnings.warn(f"odd {CANARY}", UserWarning, stacklevel=1)

    _assert_nothing_leaked(_all_that_was_written(screen, tmp_path))


def test_an_address_is_logged_without_its_query(screen: io.StringIO, tmp_path: Path) -> None:
    logging.getLogger("aiohttp.access").info('"GET /enter?code=4711&x=1 HTTP/1.1" 200')
    logging.getLogger("httpx2").debug("HTTP Request: GET %s", "https://host.test/a?key=4711")

    written = _all_that_was_written(screen, tmp_path)
    assert "4711" not in written
    assert "/enter?…" in written
    assert "https://host.test/a?…" in written


@pytest.mark.usefixtures("screen")
def test_turn_and_session_stand_on_every_line(tmp_path: Path) -> None:
    with structlog.contextvars.bound_contextvars(turn_id="T1", session_key="agent:main:main"):
        structlog.get_logger().info("ours")
        logging.getLogger("theirs").warning("theirs")

    lines = [json.loads(line) for line in (tmp_path / log.LOG_FILE).read_text().splitlines()]
    assert [line["turn_id"] for line in lines] == ["T1", "T1"]
    assert [line["session_key"] for line in lines] == ["agent:main:main"] * 2
    assert [line["logger"] for line in lines][1] == "theirs"


def test_what_a_stranger_wrote_cannot_paint_the_terminal(
    screen: io.StringIO, tmp_path: Path
) -> None:
    structlog.get_logger().info("heard", text="\x1b[2Jgone \ud800")

    written = _all_that_was_written(screen, tmp_path)
    assert "\x1b[2J" not in written
    assert "\\x1b[2Jgone" in written


def test_a_terminal_gets_colours_only_if_they_are_wanted() -> None:
    plain, coloured = Terminal(), Terminal()
    for stream, colours in ((plain, False), (coloured, True)):
        log.configure(terminal=stream, colours=colours)
        structlog.get_logger().warning("look")

    assert "\x1b[" not in plain.getvalue()
    assert "\x1b[" in coloured.getvalue()


def test_a_pipe_gets_one_json_object_a_line() -> None:
    pipe = io.StringIO()
    log.configure(terminal=pipe, colours=True)
    structlog.get_logger("bot").info("two\nlines", n=1)

    assert json.loads(pipe.getvalue())["event"] == "two\nlines"


def test_a_library_cannot_switch_the_others_off() -> None:
    pipe = io.StringIO()
    logging.getLogger("bot.kernel").disabled = True
    log.configure(terminal=pipe, colours=False)
    logging.getLogger("bot.kernel").info("still here")

    assert "still here" in pipe.getvalue()


def test_libraries_are_quiet_unless_debugging() -> None:
    pipe = io.StringIO()
    log.configure(terminal=pipe, colours=False)
    for name in ("aiohttp.access", "asyncio"):
        logging.getLogger(name).info("chatter")

    assert pipe.getvalue() == ""


@pytest.mark.usefixtures("screen")
def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    assert stat.S_IMODE((tmp_path / log.LOG_FILE).stat().st_mode) == 0o600


def test_the_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / log.LOG_FILE).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match=r"symbolic|symlink|links"):
        log.configure(terminal=io.StringIO(), colours=False, logs=tmp_path)


def test_a_full_disk_costs_log_lines_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    log.configure(terminal=io.StringIO(), colours=False, logs=tmp_path)
    file = logging.getLogger().handlers[1]
    assert isinstance(file, logging.FileHandler)
    file.close()
    file.stream = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115 - closed below

    structlog.get_logger().info("lost")

    logging.getLogger().removeHandler(file)
    with contextlib.suppress(OSError):
        file.stream.close()
    assert capsys.readouterr().err == ""


def test_a_full_file_gives_way_to_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / log.LOG_FILE).write_bytes(b"x" * (10 * 1024 * 1024))
    log.configure(terminal=io.StringIO(), colours=False, logs=tmp_path)

    for event in ("one", "two"):
        structlog.get_logger().info(event)

    assert (tmp_path / f"{log.LOG_FILE}.1").read_bytes().endswith(b"x")
    written = (tmp_path / log.LOG_FILE).read_text().splitlines()
    assert [json.loads(line)["event"] for line in written] == ["one", "two"]

"""One pipeline for every log line: bound with turn and session, masked, to the terminal and a file.

Lines of the standard library's loggers, ours and other people's, take the same way as
structlog's. Masking stands at the end of it, in the formatter that every handler has,
so that it sees tracebacks and messages made of arguments as they are printed.
"""

import logging
import logging.handlers
import os
import re
import threading
from pathlib import Path
from typing import Final, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from bot.contracts.secret import mask
from bot.contracts.text import clean

LOG_FILE: Final = "stonechat.log"
_FILE_BYTES: Final = 10 * 1024 * 1024
_FILES_KEPT: Final = 5
_CHATTY: Final = ("aiohttp.access", "asyncio")
"""Libraries that tell of every request: their warnings only, unless we are debugging."""
_QUERY: Final = re.compile(r"\?[\w.~%-]+=[^\s\"'<>]*")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def configure(
    *,
    terminal: TextIO,
    colours: bool,
    logs: Path | None = None,
    debug: bool = False,
    quiet: bool = False,
) -> None:
    """Send all logging to *terminal* and, with *logs*, to a file in that folder.

    A terminal gets words, in colour if *colours*; anything else, and the file, gets one
    JSON object a line. With *quiet* only warnings reach *terminal*. The file is readable
    by its owner alone and is rotated.

    Raises:
        OSError: the file cannot be written.
    """
    machine = _Formatter(structlog.processors.JSONRenderer(ensure_ascii=False))
    screen = logging.StreamHandler(terminal)
    screen.setFormatter(_Formatter(_console(colours)) if terminal.isatty() else machine)
    screen.setLevel(logging.WARNING if quiet and not debug else logging.NOTSET)
    outputs: list[logging.Handler] = [screen]
    if logs is not None:
        logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = _PrivateFile(logs / LOG_FILE)
        file.setFormatter(machine)
        outputs.append(file)
    root = logging.getLogger()
    for output in root.handlers[:]:
        root.removeHandler(output)
        output.close()
    for output in outputs:
        root.addHandler(output)
    root.setLevel(logging.DEBUG if debug else logging.INFO)
    for logger in root.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            logger.disabled = False  # by a library that set up logging for itself alone
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.NOTSET if debug else logging.WARNING)
    logging.captureWarnings(capture=True)
    threading.excepthook = _thread_died
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


_SHARED: Final[tuple[Processor, ...]] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)
"""What every line goes through, wherever it comes from."""


def _console(colours: bool) -> Processor:
    """Words for people. The traceback is the plain one: a pretty one would show variables."""
    return structlog.dev.ConsoleRenderer(
        colors=colours, exception_formatter=structlog.dev.plain_traceback
    )


class _Formatter(structlog.stdlib.ProcessorFormatter):
    """The last step of every line; nothing leaves without being masked."""

    def __init__(self, renderer: Processor) -> None:
        super().__init__(
            foreign_pre_chain=_SHARED,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                _harmless,
                renderer,
            ],
        )
        self._last: tuple[logging.LogRecord, str] | None = None

    def format(self, record: logging.LogRecord) -> str:
        """Write the line, and mask it once more as the whole it has become.

        Where two outputs share the formatter the line is written once for both.
        """
        last = self._last
        if last is None or last[0] is not record:
            last = self._last = (record, mask(clean(super().format(record))))
        return last[1]


def _harmless(_: WrappedLogger, __: str, line: EventDict) -> EventDict:
    """Mask each value before it is escaped; take off query strings and control characters."""
    return {key: _without_harm(value) for key, value in line.items()}


def _without_harm(value: object) -> object:
    match value:
        case None | bool() | int() | float():
            return value
        case dict():
            return {str(key): _without_harm(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_without_harm(item) for item in value]
        case _:
            text = mask(value if isinstance(value, str) else repr(value))
            if "?" not in text and text.isprintable():
                return text  # as nearly every value: nothing to take off
            text = _QUERY.sub("?…", text)
            return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


class _PrivateFile(logging.handlers.RotatingFileHandler):
    """A log file that only its owner may read, and that is never a link to somewhere else."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_FILE_BYTES, backupCount=_FILES_KEPT, encoding="utf-8")

    def _open(self) -> TextIO:  # type: ignore[override]  # the stubs promise a wrapper, we a stream
        def owner_only(path: str, flags: int) -> int:
            return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)

        return open(self.baseFilename, "a", encoding="utf-8", opener=owner_only)

    def shouldRollover(self, record: logging.LogRecord) -> bool:  # noqa: N802 - as below
        """Say whether the file is full; the library also looks at the disk for each line."""
        del record
        return self.stream is not None and self.stream.tell() >= self.maxBytes

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - named by the library
        """Lose the line: a full disk is told by what failed to be stored, not by its log."""
        del record


def _thread_died(args: threading.ExceptHookArgs) -> None:
    """Log what ended a thread; the default would print it past the masking."""
    error = args.exc_value
    name = args.thread.name if args.thread is not None else "unknown"
    structlog.get_logger(__name__).critical("a thread died", thread=name, exc_info=error)

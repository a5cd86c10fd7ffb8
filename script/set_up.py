"""Makes .venv hold exactly what is pinned: ``set_up.py run`` or ``set_up.py dev``.

It knows nothing but the standard library. Several may run at once: one works and the
others wait. Where nothing changed since the last time it does nothing; where it was
killed half way, the next one finishes, because the stamp is written last.
"""

import fcntl
import hashlib
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
PINS = {"run": "requirements.txt", "dev": "requirements-dev.txt"}


def main(kind: str) -> int:
    """Set up what is missing; return 0, or 1 after one sentence that says what went wrong."""
    try:
        if _is_current(kind):
            return 0
        VENV.mkdir(exist_ok=True)
        with (VENV / "setting-up.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return 0 if _is_current(kind) else _set_up(kind)
    except OSError as error:
        return _fail(f"{VENV} cannot be made ({error})")


def _set_up(kind: str) -> int:
    _say("Setting up .venv (once; this takes a minute or two) ...")
    if not _works():
        venv.EnvBuilder(symlinks=True, with_pip=False, clear=False).create(VENV)
        if _ran("-m", "ensurepip", "--default-pip"):
            return _fail(f"pip cannot be put into {VENV}; remove that folder and try again")
    pins = ["--require-hashes", "--no-deps", "--requirement", str(ROOT / PINS[kind])]
    ours = ["--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
    for what in (pins, ours):
        if _ran("-m", "pip", "install", "--quiet", "--no-input", *what):
            return _fail("the packages could not be installed; is there a network? Then try again")
    _stamp(kind).write_text(_state(kind))
    _say("Done.")
    return 0


def _ran(*arguments: str) -> bool:
    """Run the environment's Python; on failure show what it said, and return True."""
    command = [str(PYTHON), "-I", *arguments]
    finished = subprocess.run(  # noqa: S603 - our own interpreter, with arguments from here
        command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if finished.returncode:
        sys.stderr.write("\n".join((finished.stdout + finished.stderr).splitlines()[-10:]) + "\n")
    return finished.returncode != 0


def _is_current(kind: str) -> bool:
    """Whether a set-up of this kind, or the larger one of developers, is done and still right."""
    kinds = {kind, "dev"}
    return any(_read(_stamp(each)) == _state(each) for each in kinds) and PYTHON.exists()


def _works() -> bool:
    if not PYTHON.exists():
        return False
    program = "import sys, pip; print(sys.prefix)"
    finished = subprocess.run(  # noqa: S603 - our own interpreter
        [str(PYTHON), "-I", "-c", program], capture_output=True, text=True, check=False
    )
    return finished.returncode == 0 and Path(finished.stdout.strip()).resolve() == VENV


def _state(kind: str) -> str:
    """What the environment depends on: the pins, the project, the place, the interpreter."""
    digest = hashlib.sha256(f"{ROOT}\n{PYTHON.resolve()}\n".encode())
    for name in (PINS[kind], "pyproject.toml"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def _stamp(kind: str) -> Path:
    return VENV / f"set-up-{kind}"


def _read(stamp: Path) -> str:
    return stamp.read_text() if stamp.exists() else ""


def _say(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def _fail(sentence: str) -> int:
    _say(f"set-up: {sentence}.")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

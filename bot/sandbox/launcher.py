"""A script: runs one command behind Landlock and seccomp, and outlives all that it starts.

It is started by its path, knows nothing of the rest of the bot, and imports
nothing but Python's own library. The walls stand around the command alone:
Landlock (https://docs.kernel.org/userspace-api/landlock.html, ABI 6) for files,
TCP ports, signals and abstract sockets; seccomp for what Landlock leaves open.
Whatever the command leaves behind becomes a child of this process, and this
process ends only when it has no child.

Signals: TERM asks the command to stop, a second TERM ends everything at once.
"""

import ctypes
import errno
import json
import os
import platform
import resource
import signal
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_LIBC = ctypes.CDLL(None, use_errno=True)

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 22, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""System calls of Landlock, the same on every machine."""

LANDLOCK_ABI = 6
"""The first that keeps signals and abstract sockets inside; before it a command could stop us."""

_ALL_OF_FILES = (1 << 16) - 1
_LOOK = 1 << 0 | 1 << 2 | 1 << 3
"""Execute, read a file, read a folder."""
_ON_A_FILE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
"""Execute, write, read, truncate, device control: all that a rule for a file may grant."""
_TCP = 0b11
_SIGNALS_AND_SOCKETS = 0b11

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_REFUSED = {
    # What reaches out past Landlock: sockets of every kind (socketpair stays), io_uring,
    # and System V and POSIX message queues and memory, which have no path.
    "socket": (41, 198),
    "io_uring_setup": (425, 425),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    # What changes a file that is not opened, which Landlock does not see.
    "chmod": (90, None),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "lchown": (94, None),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "removexattrat": (466, 466),
}
"""System calls and their numbers on x86-64 and on arm64 (the kernel's unistd tables)."""


def main() -> int:
    """Run what standard input describes; return the command's exit code."""
    plan = json.load(sys.stdin)
    heard = {signal.SIGTERM, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != plan["parent"]:
        return 1  # it went away before the kernel could have told us
    _children()  # what could not be ended is not begun
    child = os.fork()
    if child == 0:
        _become(plan, heard)
    status = _await(child, heard, plan["grace_seconds"])
    _end_all()
    return 128 + signal.SIGKILL if status is None else _exit_code(status)


def _await(child: int, heard: set[signal.Signals], grace_seconds: float) -> int | None:
    """Wait for the command; return its status, or None if it is to be ended."""
    asked = False
    while True:
        came = signal.sigtimedwait(heard, grace_seconds if asked else 3600.0)
        for pid, status in _reaped():
            if pid == child:
                return status
        told = came is not None and came.si_signo == signal.SIGTERM
        if asked and (told or came is None):
            return None
        if told:
            asked = True
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGTERM)


def _reaped() -> Iterator[tuple[int, int]]:
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            yield pid, status


def _end_all() -> None:
    """Kill every child; what those leave behind becomes our child, so there is an end."""
    with suppress(ChildProcessError):
        while True:
            for pid in _children():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            os.waitpid(-1, 0)


def _children() -> list[int]:
    return [int(pid) for pid in _processes() if _parent(pid) == os.getpid()]


def _processes() -> list[str]:
    return [name for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - starts faster


def _parent(pid: str) -> int | None:
    """Read who a process's parent is (proc_pid_stat(5)); None if it is gone."""
    with suppress(OSError), open(f"/proc/{pid}/stat", encoding="latin-1") as file:  # noqa: PTH123 - no pathlib: this script starts for every command
        return int(file.read().rpartition(")")[2].split()[1])
    return None


def _exit_code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _become(plan: dict[str, Any], heard: set[signal.Signals]) -> None:
    """Put the walls up around this process and turn into the command; never return."""
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        _limit(plan["limits"])
        os.chdir(plan["root"])
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        _drop_capabilities()
        _restrict_files(plan["look"], plan["write"])
        _restrict_calls()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heard)
        os.execve(plan["shell"], [plan["shell"], "-c", plan["command"]], plan["environment"])  # noqa: S606 - that is the point
    except OSError as error:
        os.write(2, f"the sandbox did not start: {error.strerror}\n".encode())
    finally:
        os._exit(126)


def _limit(limits: dict[str, int]) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (limits["memory"],) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_size"],) * 2)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits["open_files"],) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most = limits["processes"] + sum(map(_is_ours, _processes()))
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def _is_ours(pid: str) -> bool:
    """Whether a process counts towards our user's number of processes."""
    with suppress(OSError):
        return os.stat(f"/proc/{pid}").st_uid == os.getuid()  # noqa: PTH116 - as above
    return False


def _drop_capabilities() -> None:
    """Where we are root, be root in name only (capset(2), version 3)."""
    for capability in range(64):
        _LIBC.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails where we had none to drop
    header = ctypes.create_string_buffer(struct.pack("Ii", 0x20080522, 0))
    _check(_LIBC.capset(header, ctypes.create_string_buffer(24)))


def _restrict_files(look: list[str], write: list[str]) -> None:
    """Grant reading beneath *look*, everything beneath *write*, and nothing else."""
    abi = _LIBC.syscall(_CREATE_RULESET, None, 0, 1)
    if abi < LANDLOCK_ABI:
        found = f"is version {abi}" if abi > 0 else "is off"
        raise OSError(errno.ENOSYS, f"Landlock {found} in this kernel, {LANDLOCK_ABI} is needed")
    handled = struct.pack("QQQ", _ALL_OF_FILES, _TCP, _SIGNALS_AND_SOCKETS)
    ruleset = _check(_LIBC.syscall(_CREATE_RULESET, handled, len(handled), 0))
    for path in look:
        _grant(ruleset, path, _LOOK)
    for path in write:
        _grant(ruleset, path, _ALL_OF_FILES)
    _check(_LIBC.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _grant(ruleset: int, path: str, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    if not stat.S_ISDIR(os.fstat(place).st_mode):
        rights &= _ON_A_FILE
    _check(_LIBC.syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, place), 0))
    os.close(place)


def _restrict_calls() -> None:
    """Let every system call pass but those of `_REFUSED` (seccomp(2), classic BPF)."""
    machine = platform.machine()
    if machine not in _AUDIT_ARCH:
        raise OSError(errno.ENOSYS, f"seccomp is not known for {machine}")
    column = list(_AUDIT_ARCH).index(machine)
    numbers = [row[column] for row in _REFUSED.values() if row[column] is not None]
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    refuse, allow, kill = 0x00050000 | errno.EPERM, 0x7FFF0000, 0x80000000
    program = [
        (load, 0, 0, 4),  # the machine the call is made for
        (equal, 1, 0, _AUDIT_ARCH[machine]),
        (give, 0, 0, kill),
        (load, 0, 0, 0),  # the number of the call
        (at_least, len(numbers) + 1, 0, 0x40000000),  # the x32 interface: others numbers, refused
        *((equal, len(numbers) - at, 0, number) for at, number in enumerate(numbers)),
        (give, 0, 0, allow),
        (give, 0, 0, refuse),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    head = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    _prctl(_PR_SET_SECCOMP, 2, ctypes.c_char_p(head))


def _prctl(option: int, value: int, more: Any = 0) -> None:  # noqa: ANN401 - a number or a pointer
    _check(_LIBC.prctl(option, value, more, 0, 0))


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


if __name__ == "__main__":
    sys.exit(main())

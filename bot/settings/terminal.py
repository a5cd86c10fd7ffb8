"""What the environment says of the person at the terminal: colours, SSH, the command they typed."""

import os
import shlex
from collections.abc import Mapping


def wants_colours(environ: Mapping[str, str] | None = None) -> bool:
    """Whether colours are wanted: any ``NO_COLOR`` that is not empty says no (no-color.org)."""
    environ = os.environ if environ is None else environ
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def command_name(environ: Mapping[str, str] | None = None) -> str:
    """Return how this program is started here, so that advice can be pasted."""
    environ = os.environ if environ is None else environ
    return shlex.quote(environ.get("STONECHAT_COMMAND") or "stonechat")


def tunnel(port: int, environ: Mapping[str, str] | None = None) -> str | None:
    """Return the command that makes *port* reachable from where the person sits, under SSH."""
    environ = os.environ if environ is None else environ
    connection = environ.get("SSH_CONNECTION", "").split()
    if len(connection) != 4:  # client, its port, server, its port (ssh(1), ENVIRONMENT)
        return None
    server, server_port = connection[2], connection[3]
    user = environ.get("USER") or environ.get("LOGNAME")
    target = f"{user}@{server}" if user else server
    other_port = "" if server_port == "22" else f" -p {server_port}"
    return f"ssh -N -L {port}:127.0.0.1:{port}{other_port} {target}"

"""What a person reads when the bot starts: what runs, at whose cost, and how to open the page."""

from collections.abc import Iterator

from bot import __version__
from bot.contracts.setup import LocalServer
from bot.contracts.tool import Sandbox
from bot.sandbox.find import NoSandbox
from bot.settings import Settings


def banner(
    settings: Settings, sandbox: Sandbox | NoSandbox, address: str, listens_at: str = ""
) -> str:
    """Describe what was started; every line is true at this moment (pure)."""
    lines = [f"Stonechat {__version__}", *described(settings, sandbox), f"  page       {address}"]
    if listens_at and listens_at != address:
        lines.append(f"  listens    {listens_at}, for the proxy in front of it")
    if settings.problem:
        lines.append(f"  PROBLEM    {settings.problem}")
    return "\n".join([*lines, *(f"  note       {finding}" for finding in settings.findings)])


def described(settings: Settings, sandbox: Sandbox | NoSandbox | None) -> Iterator[str]:
    """Say what the settings come to, a line each (pure); no sandbox is looked for if None."""
    for agent_id, agent in settings.agents.items():
        if len(settings.agents) > 1:
            yield f"  agent      {agent_id}"
        models = ", then ".join(str(settings.models[name]) for name in agent.models)
        yield f"  model      {models}"
        yield f"  workspace  {agent.workspace}"
    match sandbox:
        case None:
            yield "  shell      off: `tools.shell` is false"
        case NoSandbox(reason=reason):
            yield f"  shell      off: {reason.removeprefix('no shell: ')}"
        case _:
            yield f"  shell      in a sandbox ({sandbox.name})"


def local_server(server: LocalServer, command: str) -> str:
    """Say that a model server was found on this machine, and how to use it (pure)."""
    name = {"ollama": "Ollama", "lmstudio": "LM Studio"}.get(server.kind, "llama.cpp")
    return (
        f"{name} runs on this machine with {', '.join(server.models[:5])}."
        f" To use it, run: {command} models add --local --model {server.models[0]}"
    )


def way_in(link: str, tunnel: str | None) -> str:
    """Say how to open the page with a link that was just made (pure)."""
    lines = ["Open the page with this link; it works once, within 10 minutes:", "", f"  {link}", ""]
    if tunnel is not None:
        first = "You are here over SSH. Where your browser is, run this first:"
        lines = [first, "", f"  {tunnel}", "", *lines]
    return "\n".join([*lines, "Stop with Ctrl-C."])


def way_to_a_link(command: str) -> str:
    """Say how to get a link; the link itself is shown to terminals only (pure)."""
    return f"For a link to the page, run: {command} open"

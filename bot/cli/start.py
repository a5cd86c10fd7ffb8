"""What every command does that may start the bot: home, settings, workspace, log, fault plan."""

import sys

from bot import log
from bot.contracts import faults
from bot.contracts.errors import ConfigError
from bot.settings import Settings, home_folder, load_settings, open_home
from bot.settings.faults import fault_plan
from bot.settings.terminal import wants_colours
from bot.workspace.seed import seed_workspace


def prepare(*, debug: bool, quiet: bool = False) -> Settings:
    """Make what is absent, read the settings, and send the log to stderr and to its file.

    With *quiet* only warnings reach stderr, because the terminal belongs to the answer.

    Raises:
        ConfigError: something that the operator must mend.
    """
    home = home_folder()
    open_home(home)
    settings = load_settings(home)
    faults.install(fault_plan())
    try:
        log.configure(
            terminal=sys.stderr,
            colours=wants_colours(),
            logs=settings.logs,
            debug=debug,
            quiet=quiet,
        )
    except OSError as error:
        found = f"{settings.logs}, which cannot be written ({error.strerror})"
        raise ConfigError("the log", found, "a folder that this user may write") from None
    for agent_id, agent in settings.agents.items():
        seed_workspace(agent_id, agent.workspace)
    return settings

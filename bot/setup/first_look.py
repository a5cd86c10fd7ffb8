"""One look for model servers of this machine, at the first start that has nobody to ask."""

from collections.abc import Sequence
from typing import Final

from bot.contracts.setup import LocalServer, Setup
from bot.contracts.store import Records
from bot.settings import Settings

_LOOKED: Final = "setup.looked"


async def first_look(settings: Settings, setup: Setup, records: Records) -> Sequence[LocalServer]:
    """Return what answers on this machine, the first time that only the demo would answer.

    It is remembered that somebody looked, so that no later start asks any port again.

    Raises:
        StoreUnavailable: it cannot be remembered.
    """
    models = [settings.models[name] for agent in settings.agents.values() for name in agent.models]
    if any(model.provider != "demo" for model in models) or await records.get(_LOOKED) is not None:
        return ()
    found = await setup.local_servers()
    await records.swap(_LOOKED, b"1", version=0)
    return [server for server in found if server.models]

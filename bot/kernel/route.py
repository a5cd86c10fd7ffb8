"""Stage 3: whose conversation it is."""

from bot.contracts.inbound import Inbound
from bot.contracts.session import AgentId, Route
from bot.contracts.turn import Rank
from bot.kernel.session_key import session_key


class Router:
    """Finds the agent and the session of an inbound. Pure once it is built."""

    def __init__(self, default_agent: AgentId) -> None:
        self._default_agent = default_agent

    def route(self, inbound: Inbound, rank: Rank) -> Route:
        """Return whose it is, and by which rule."""
        return Route(
            agent_id=self._default_agent,
            session_key=session_key(self._default_agent, inbound, rank),
            matched_by="default",
        )

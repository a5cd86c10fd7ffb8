"""Whose conversation is whose, as the rest of the bot and its operator ask for it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from bot.contracts.channel import Channel, ChannelSpec, HasPage
from bot.contracts.errors import ConfigError
from bot.contracts.inbound import ConversationKey, ConversationKind
from bot.contracts.route import MAIN, Match, Routing, asked
from bot.contracts.session import AgentId
from bot.contracts.turn import Rank
from bot.http.server import HttpServer
from bot.kernel.doubts import doubts_of, misshapen
from bot.kernel.explain import broken_expectations
from bot.kernel.moved import MovedRooms
from bot.kernel.route import Router
from bot.settings import Settings
from channels import load_channel


def agent_there(router: Router, conversation: ConversationKey, sender: str) -> AgentId:
    """Return who answers *sender* in a direct chat (pure)."""
    when = Match(
        channel=conversation.channel,
        account=conversation.account,
        kind=ConversationKind.DIRECT,
        conversation=conversation.conversation_id,
        thread=conversation.thread_id,
        sender=sender,
    )
    return router.route(asked(when), Rank.MEMBER).agent_id


def page_agent(channels: Sequence[Channel], router: Router) -> AgentId:
    """Return who answers the owner on the page."""
    for channel in channels:
        if isinstance(channel, HasPage):
            return agent_there(router, *channel.owners_place)
    return MAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Who answers the owner on the page, and what the page is told of it."""

    channels: tuple[Channel, ...]
    server: HttpServer
    routes: Callable[[], Router]
    """Gives the router of now."""

    @property
    def agent(self) -> AgentId:
        """The agent that the owner's messages lead to there."""
        return page_agent(self.channels, self.routes())

    def introduce(self, settings: Settings, problem: str) -> None:
        """Tell the page who answers and what is wrong; again after every change of the settings."""
        models = [settings.models[name] for name in settings.agents[self.agent].models]
        for channel in self.channels:
            if isinstance(channel, HasPage):
                channel.introduce(
                    address=self.server.address,
                    model=", ".join(model.model for model in models),
                    problem=problem,
                    demo=all(model.provider == "demo" for model in models),
                )


def with_doubts(settings: Settings, moved: MovedRooms) -> Settings:
    """Return *settings* with what is odd about the routes among their findings."""
    found = (*doubts(settings, moved), *broken(settings.routing, moved))
    return replace(settings, findings=(*settings.findings, *found))


def doubts(settings: Settings, moved: MovedRooms) -> Iterator[str]:
    """Give what is odd about bindings, targets and links, one sentence each, with its line."""
    routing = settings.routing
    specs, renamed = _specs(settings), _renamed(moved)
    said = list(doubts_of(routing.bindings))
    for number, binding in enumerate(routing.bindings):
        said += ((number, each) for each in _of_the_platform(binding.match, specs))
        said += ((number, each) for each in _of_moves(binding.match, renamed))
    for number, each in sorted(said):
        yield f"{routing.bindings[number].where}: bindings[{number}] {each}"
    for name, key in routing.targets.items():
        place = Match(channel=key.channel, conversation=key.conversation_id, account=key.account)
        for each in (*_of_the_platform(place, specs), *_of_moves(place, renamed)):
            yield f"{routing.where[f'targets.{name}']}: targets.{name} {each}"
    for link, name in routing.links.items():
        channel, _, person = link.partition(":")
        for each in _of_the_platform(Match(channel=channel, sender=person), specs):
            setting = f"sessions.links.{name}"
            yield f"{routing.where[setting]}: {setting} {each}"


def broken(routing: Routing, moved: MovedRooms) -> Iterator[str]:
    """Give each expectation that does not hold, one sentence each, with its line."""
    for number, said in broken_expectations(Router(routing, moved), routing.expectations):
        yield f"{routing.expectations[number].where}: expect[{number}] does not hold: it {said}"


def _renamed(moved: MovedRooms) -> Mapping[tuple[str, str], Sequence[tuple[str, str]]]:
    """Return by channel and a former id of a room: of which account, and the id of now (pure)."""
    renamed: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for (channel, account, name), names in moved.all_names.items():
        if name != names[-1]:
            renamed.setdefault((channel, name), []).append((account, names[-1]))
    return renamed


def _of_moves(
    match: Match, renamed: Mapping[tuple[str, str], Sequence[tuple[str, str]]]
) -> Iterator[str]:
    for name in (match.conversation, match.parent):
        for account, now in renamed.get((match.channel, name or ""), ()):
            if match.account in {None, account}:
                yield f"names the room {name}, which has the id {now} now; it goes on to hold"


def _of_the_platform(match: Match, specs: Mapping[str, ChannelSpec]) -> Iterator[str]:
    spec = specs.get(match.channel)
    if spec is not None and spec.ids is not None:
        yield from misshapen(match, spec.ids)
    if spec is not None and spec.doubts is not None:
        yield from spec.doubts(match)


def _specs(settings: Settings) -> Mapping[str, ChannelSpec]:
    """Load what the channels say of themselves; one that cannot be loaded says nothing here."""
    specs: dict[str, ChannelSpec] = {}
    for name in settings.channels:
        with suppress(ConfigError):  # whoever opens it says so
            specs[name] = load_channel(name, settings.module_of(name))
    return specs

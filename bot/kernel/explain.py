"""Why a message goes where it goes: every binding, with what keeps it from being the one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bot.contracts.inbound import Inbound
from bot.contracts.route import Binding, Expectation, asked
from bot.contracts.session import Route
from bot.contracts.turn import Rank
from bot.kernel.route import Facts, Router, shape_of

_NAMES: Final[Mapping[str, str]] = {"kind": "conversation kind", "roles": "role"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One binding, and what became of it."""

    number: int
    binding: Binding
    fits: bool
    why: str
    """Empty for the one that won."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A route, and every binding in the order in which they count."""

    route: Route
    judged: tuple[Judged, ...]


def explain(router: Router, inbound: Inbound, rank: Rank) -> Explained:
    """Say of every binding why it won, lost or did not fit (pure)."""
    route = router.route(inbound, rank)
    why = {lost.binding: lost.why for lost in route.losers}
    order = [number for _, number in router.ranking(inbound)]
    fitting = [
        Judged(number=number, binding=router.bindings[number], fits=True, why=why.get(number, ""))
        for number in order
    ]
    facts = router.facts(inbound)
    others = [
        Judged(number=number, binding=binding, fits=False, why=_unfit(binding, facts))
        for number, binding in enumerate(router.bindings)
        if number not in set(order)
    ]
    return Explained(route=route, judged=(*fitting, *others))


def _unfit(binding: Binding, facts: Facts) -> str:
    """Say what keeps *binding* from fitting; what fits and was not kept stands behind others."""
    match = binding.match
    wrong = [
        _differs(name, match, facts)
        for name in ("channel", *shape_of(match))
        if not set(_all(getattr(match, name))) & {*facts[name], *_inherited(name, match, facts)}
    ]
    return "; ".join(wrong) or "many bindings with these values stand before it"


def _inherited(name: str, match: object, facts: Facts) -> tuple[str, ...]:
    """A room's binding holds for its threads, if it does not name one."""
    inherits = name == "conversation" and getattr(match, "thread", None) is None
    return facts["parent"] if inherits else ()


def _differs(name: str, match: object, facts: Facts) -> str:
    wanted, found = " or ".join(_all(getattr(match, name))), " and ".join(facts[name])
    named = _NAMES.get(name, name)
    if not found:
        return f"there is no {named}, and it asks for {wanted}"
    return f"the {named} is {found}, not {wanted}"


def _all(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,)


def broken_expectations(
    router: Router, expectations: tuple[Expectation, ...]
) -> Iterator[tuple[int, str]]:
    """Give each expectation that does not hold, by its number, with one sentence (pure)."""
    for number, each in enumerate(expectations):
        route = router.route(asked(each.when), each.rank)
        if route.agent_id != each.agent_id:
            yield number, f"goes to {route.agent_id} by {route.matched_by}, not to {each.agent_id}"
        elif each.session_key not in {None, route.session_key}:
            yield number, f"is in the session {route.session_key}, not {each.session_key}"

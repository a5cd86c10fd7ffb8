"""Tools by rank and by rule: what the model is told of, and what is carried out when it asks."""

from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.policy import Place, ToolPolicy, by_rank, permitted
from bot.agent.rules import ToolNames, mistakes_in
from bot.contracts.errors import ConfigError
from bot.contracts.turn import Rank
from bot.settings.tools import ToolSettings
from bot.tools import BUILTIN
from bot.tools.groups import GROUPS, PROFILES, PROGRAMS

_ALL = {tool.name for tool in BUILTIN}
_READING = {"list_files", "search_files", "read_file"}
_NAMES = ToolNames(known=frozenset(_ALL), groups=GROUPS, profiles=PROFILES, whole_folder=PROGRAMS)
_HERE = Place(agent="main", channel="slack", conversation="C1")


def policy(**rules: Any) -> ToolPolicy:  # noqa: ANN401 - what the YAML may say
    return ToolPolicy(ToolSettings.model_validate(rules), BUILTIN, _NAMES)


def given_to(rank: Rank, place: Place = _HERE, **rules: Any) -> set[str]:  # noqa: ANN401 - as above
    return {tool.name for tool in policy(**rules).of(place, rank).tools}


@pytest.mark.parametrize(
    ("rank", "names"),
    [
        (Rank.STRANGER, set()),
        (Rank.GUEST, set()),
        (Rank.MEMBER, _READING),
        (Rank.ADMIN, _ALL),
        (Rank.OWNER, _ALL),
    ],
)
def test_each_rank_has_its_own_by_default(rank: Rank, names: set[str]) -> None:
    assert {tool.name for tool in permitted(BUILTIN, rank)} == names
    assert {tool.name for tool in by_rank(BUILTIN, rank).tools} == names
    assert given_to(rank) == names


def test_the_order_stays_and_nobody_of_lower_rank_has_more() -> None:
    offers = [permitted(BUILTIN, rank) for rank in Rank]

    for lower, higher in pairwise(offers):
        assert set(lower) <= set(higher)
        assert lower == tuple(tool for tool in higher if tool in lower)


@pytest.mark.parametrize(
    ("rules", "owner", "member"),
    [
        pytest.param({"deny": ["shell"]}, _ALL - {"shell"}, _READING, id="a tool is taken away"),
        pytest.param({"deny": ["group:write"]}, _READING | {"shell"}, _READING, id="a group"),
        pytest.param(
            {"deny": ["*_file"]},
            {"list_files", "search_files", "shell"},
            {"list_files", "search_files"},
            id="a pattern",
        ),
        pytest.param(
            {"allow": ["read_file", "shell"]},
            {"read_file", "shell"},
            {"read_file"},
            id="only these are left",
        ),
        pytest.param({"allow": ["*"], "deny": ["*"]}, set(), set(), id="deny beats allow"),
        pytest.param({"profile": "minimal"}, _READING, _READING, id="a profile"),
        pytest.param(
            {"profile": "minimal", "allow": ["read_file", "shell"]},
            {"read_file"},
            {"read_file"},
            id="allow does not widen a profile",
        ),
        pytest.param(
            {"agents": {"main": {"deny": ["shell"]}}}, _ALL - {"shell"}, _READING, id="by agent"
        ),
        pytest.param({"agents": {"other": {"deny": ["*"]}}}, _ALL, _READING, id="of another agent"),
        pytest.param(
            {"channels": {"slack": {"profile": "minimal"}}}, _READING, _READING, id="by channel"
        ),
        pytest.param(
            {"channels": {"page": {"deny": ["*"]}}}, _ALL, _READING, id="of another channel"
        ),
        pytest.param(
            {"conversations": {"slack:C1": {"allow": ["read_file"]}}},
            {"read_file"},
            {"read_file"},
            id="by conversation",
        ),
        pytest.param(
            {"conversations": {"slack:C2": {"deny": ["*"]}}},
            _ALL,
            _READING,
            id="of another conversation",
        ),
        pytest.param(
            {"deny": ["shell"], "conversations": {"slack:C1": {"allow": ["*"]}}},
            _ALL - {"shell"},
            _READING,
            id="a narrower place gives nothing back",
        ),
        pytest.param(
            {"ranks": {"member": {"deny": ["read_file"]}}},
            _ALL,
            _READING - {"read_file"},
            id="by rank",
        ),
        pytest.param(
            {"ranks": {"member": {"grant": ["write_file"]}}},
            _ALL,
            _READING | {"write_file"},
            id="a grant widens",
        ),
        pytest.param(
            {"channels": {"slack": {"ranks": {"member": {"grant": ["write_file"]}}}}},
            _ALL,
            _READING | {"write_file"},
            id="a grant in one channel",
        ),
        pytest.param(
            {"channels": {"page": {"ranks": {"member": {"grant": ["write_file"]}}}}},
            _ALL,
            _READING,
            id="a grant elsewhere",
        ),
        pytest.param(
            {"deny": ["write_file"], "ranks": {"member": {"grant": ["write_file"]}}},
            _ALL - {"write_file"},
            _READING,
            id="deny beats a grant",
        ),
    ],
)
def test_one_row_one_rule(rules: dict[str, Any], owner: set[str], member: set[str]) -> None:
    assert given_to(Rank.OWNER, **rules) == owner
    assert given_to(Rank.MEMBER, **rules) == member


def test_a_guest_has_nothing_until_it_is_granted() -> None:
    assert given_to(Rank.GUEST, allow=["*"]) == set()
    assert given_to(Rank.GUEST, ranks={"guest": {"grant": ["read_file"]}}) == {"read_file"}
    assert given_to(Rank.STRANGER, ranks={"guest": {"grant": ["read_file"]}}) == set()


_PATTERNS = st.sampled_from([*sorted(_ALL), *GROUPS, "*", "*_file", "s*"])
_RULES = st.fixed_dictionaries(
    {},
    optional={
        "deny": st.lists(_PATTERNS, max_size=2),
        "allow": st.lists(_PATTERNS, min_size=1, max_size=3),
        "profile": st.sampled_from(sorted(PROFILES)),
    },
)


@given(_RULES, _RULES, _RULES, _RULES, st.sampled_from(list(Rank)))
def test_without_a_grant_every_step_only_narrows(
    everywhere: dict[str, Any],
    agent: dict[str, Any],
    channel: dict[str, Any],
    member: dict[str, Any],
    rank: Rank,
) -> None:
    steps: list[dict[str, Any]] = [
        {},
        everywhere,
        {**everywhere, "agents": {"main": agent}},
        {**everywhere, "agents": {"main": agent}, "channels": {"slack": channel}},
        {
            **everywhere,
            "agents": {"main": agent},
            "channels": {"slack": channel},
            "conversations": {"slack:C1": {"ranks": {"member": member, "owner": member}}},
        },
    ]

    found = [given_to(rank, **rules) for rules in steps]

    for wider, narrower in pairwise(found):
        assert narrower <= wider


@given(_RULES, st.sampled_from(list(Rank)))
def test_every_tool_that_is_not_given_has_its_rule_and_a_sentence_for_the_model(
    rules: dict[str, Any], rank: Rank
) -> None:
    found = policy(**rules).of(_HERE, rank)

    for tool in BUILTIN:
        judged = found.judged[tool.name]
        assert judged.rule
        assert (tool in found.tools) == judged.given == (found.refusal(tool.name) is None)


def test_the_rule_that_took_a_tool_away_is_named() -> None:
    found = policy(
        deny=["edit_file"],
        channels={"slack": {"profile": "minimal", "ranks": {"owner": {"allow": ["read_file"]}}}},
    ).of(_HERE, Rank.OWNER)

    assert {name: judged.rule for name, judged in found.judged.items()} == {
        "read_file": "what an owner has",
        "edit_file": "tools.deny",
        "write_file": "tools.channels.slack.profile: minimal",
        "shell": "tools.channels.slack.profile: minimal",
        "list_files": "tools.channels.slack.ranks.owner.allow",
        "search_files": "tools.channels.slack.ranks.owner.allow",
    }


@pytest.mark.parametrize(
    ("rules", "setting", "hint"),
    [
        ({"deny": ["read_fil"]}, "tools.deny", "read_file"),
        ({"allow": ["group:file"]}, "tools.allow", "group:files"),
        ({"profile": "codin"}, "tools.profile", "coding"),
        ({"allow": ["mcp_*"]}, "tools.allow", "read_file"),
        ({"agents": {"main": {"deny": ["shel"]}}}, "tools.agents.main.deny", "shell"),
        (
            {"channels": {"slack": {"ranks": {"guest": {"grant": ["raed_file"]}}}}},
            "tools.channels.slack.ranks.guest.grant",
            "read_file",
        ),
        ({"ranks": {"member": {"grant": ["shell"]}}}, "tools.ranks.member.grant", "admin"),
        ({"ranks": {"guest": {"grant": ["*"]}}}, "tools.ranks.guest.grant", "admin"),
        ({"ranks": {"member": {"grant": ["group:shell"]}}}, "tools.ranks.member.grant", "admin"),
    ],
)
def test_what_names_nothing_or_grants_too_much_is_a_mistake_with_the_nearest_name(
    rules: dict[str, Any], setting: str, hint: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        policy(**rules)

    assert caught.value.setting == setting
    assert hint in caught.value.expected
    (mistake,) = mistakes_in(ToolSettings.model_validate(rules), _NAMES)
    assert mistake.setting == setting


def test_a_group_that_has_no_tool_yet_may_be_named() -> None:
    assert given_to(Rank.OWNER, deny=["group:web"]) == _ALL


@pytest.mark.parametrize(
    "rules",
    [
        {"allow": ["group:web"]},
        {"allow": []},
        {"deny": ["shell"], "channels": {"slack": {"allow": ["shell"]}}},
    ],
)
def test_an_allow_that_leaves_nothing_is_a_problem_wherever_somebody_asks(
    rules: dict[str, Any],
) -> None:
    found = policy(**rules)

    assert "allow` leaves no tool" in found.of(_HERE, Rank.OWNER).problem
    assert "allow` leaves no tool" in found.of(_HERE, Rank.GUEST).problem
    assert len(found.problems()) == 1


@pytest.mark.parametrize(
    "rules", [{"deny": ["*"]}, {"allow": ["shell"]}, {"allow": ["*"], "deny": ["*"]}, {}]
)
def test_to_deny_everything_is_meant_so_and_so_is_what_leaves_nothing_to_a_lower_rank(
    rules: dict[str, Any],
) -> None:
    assert policy(**rules).problems() == ()


def test_a_tool_that_does_not_exist_is_given_by_no_rule() -> None:
    without = [tool for tool in BUILTIN if tool.name != "shell"]
    found = ToolPolicy(ToolSettings.model_validate({"allow": ["*"]}), without, _NAMES)

    for rank, place in product(Rank, [_HERE, Place()]):
        assert "shell" not in {tool.name for tool in found.of(place, rank).tools}
        assert "shell" not in found.of(place, rank).judged


def test_nothing_is_worked_out_per_call_and_unknown_places_share_one_answer() -> None:
    found = policy(channels={"slack": {"deny": ["shell"]}}, conversations={"slack:C1": {}})
    known = len(found._known)

    first = found.of(replace(_HERE, conversation="C9"), Rank.OWNER)
    again = found.of(replace(_HERE, conversation="C8"), Rank.OWNER)

    assert first is again
    assert first.tools is again.tools
    assert len(found._known) == known


@pytest.mark.parametrize(
    ("rules", "writes"),
    [
        ({}, False),
        ({"ranks": {"member": {"grant": ["write_file"]}}}, True),
        ({"ranks": {"member": {"grant": ["read_file"]}}}, False),
    ],
)
def test_only_a_grant_lets_somebody_write_what_is_shared(
    rules: dict[str, Any], writes: bool
) -> None:
    assert policy(**rules).of(_HERE, Rank.MEMBER).writes is writes

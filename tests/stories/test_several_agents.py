"""Two agents in one bot: each message is its agent's, with that agent's files and session."""

import asyncio
from dataclasses import replace
from pathlib import Path

from bot.contracts.inbound import (
    Conversation,
    ConversationKind,
    EventClass,
    Inbound,
    Lifecycle,
    Sender,
    Source,
)
from bot.contracts.ledger import TurnQuery
from bot.contracts.messages import ResultState, ToolResult
from bot.contracts.turn import Failure, OutcomeKind
from channels.webchat.places import thread_of
from tests.doubles.agent import until
from tests.doubles.arrivals import NOON
from tests.doubles.rig import Rig, a_rig
from tests.doubles.scripted_model import call, words

ROOMS = """
agents: {team: {}}
channels:
  webchat: {}
  square: {type: tests.doubles.square.channel, url: "http://127.0.0.1:1", token: x}
bindings: [{match: {channel: square, conversation: {id: -4001}}, agent: team}]
"""
THREAD = "11111111-2222-4333-8444-555555555555"
TEAM = f"""
agents: {{team: {{}}}}
bindings:
  - match: {{channel: webchat, conversation: {{id: main, thread: {THREAD}}}}}
    agent: team
"""


def a_home(tmp_path: Path, yaml: str = TEAM) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.yaml").write_text(yaml)
    return home


def in_thread(rig: Rig) -> Rig:
    """The same person in the conversation that is the team's."""
    return replace(rig, conversation=thread_of(THREAD))


def result(rig: Rig) -> ToolResult:
    return [one for one in rig.model.requests[-1].messages if isinstance(one, ToolResult)][-1]


def _in_room(room: str, text: str) -> Inbound:
    return Inbound(
        source=Source(f"m:{room}:{text}"),
        event=EventClass.MESSAGE,
        channel="square",
        account="default",
        conversation=Conversation(kind=ConversationKind.GROUP, id=room),
        sender=Sender(id="7"),
        text=text,
        sent_at=NOON,
        native_id=text,
    )


async def _route(rig: Rig, *inbounds: Inbound) -> tuple[str, str]:
    """Take messages over in one batch; return the agent and the session of the last."""
    *_, accepted = await rig.app.gateway.receive(*inbounds)
    record = await rig.app.gateway.turn(accepted.turn_id)
    assert record is not None
    return record.turn.arrival.route.agent_id, record.turn.session_key


async def test_each_agent_writes_into_its_own_workspace_and_remembers_its_own_words(
    tmp_path: Path,
) -> None:
    home = a_home(tmp_path)
    steps = [call("write_file", path="note.md", content="team\n"), words("Noted by the team.")]
    async with a_rig(home, *steps) as rig:
        team = in_thread(rig)

        assert await team.answered("note it") == "Noted by the team."
        rig.model.then(words("Nothing here."))
        assert await rig.answered("what is noted?") == "Nothing here."

        assert (home / "workspaces/team/note.md").read_text() == "team\n"
        assert (home / "workspaces/team/SOUL.md").exists()
        assert not (home / "workspace/note.md").exists()
        assert "note it" not in repr(rig.model.requests[-1].messages)
        turns = [record.turn for record in await rig.app.store.ledger.turns(TurnQuery())]
        assert [(turn.arrival.route.agent_id, turn.session_key) for turn in turns] == [
            ("main", "agent:main:main"),
            ("team", f"agent:team:webchat:default:direct:main:thread:{THREAD}"),
        ]


async def test_a_turn_whose_agent_is_gone_says_so_and_no_other_agent_answers_it(
    tmp_path: Path,
) -> None:
    home = a_home(tmp_path)
    async with a_rig(home, drain_seconds=0) as rig:
        rig.model.holding = asyncio.Event()
        accepted = await in_thread(rig).say("for the team")
        await until(rig.model.asked)
    a_home(tmp_path, "agents: {}\n")

    async with a_rig(home) as rig:
        team = in_thread(rig)
        record = await team.outcome(accepted.turn_id)

        assert record.outcome is not None
        assert (record.outcome.kind, record.outcome.failure) == (
            OutcomeKind.FAILED,
            Failure.AGENT_GONE,
        )
        (said,) = await team.said_to(accepted.turn_id)
        assert "has been removed from my settings" in said
        assert rig.model.requests == []


async def test_two_sessions_do_not_write_over_each_others_changes(tmp_path: Path) -> None:
    home = a_home(tmp_path, TEAM.replace("team: {}", "team: {workspace: workspace}"))
    async with a_rig(home, call("read_file", path="plan.md"), words("Read.")) as rig:
        (home / "workspace/plan.md").write_text("monday\ntuesday\n")
        team = in_thread(rig)
        await rig.answered("read the plan")
        edit = call("edit_file", path="plan.md", old="monday", new="friday")
        rig.model.then(edit, words("Moved."))
        assert await team.answered("move it to friday") == "Moved."

        later = call("edit_file", path="plan.md", old="tuesday", new="sunday")
        rig.model.then(later, words("Somebody was faster."))
        await rig.answered("and tuesday to sunday")

        assert result(rig).state is ResultState.ERROR
        assert "changed since you read it" in result(rig).text
        assert "-monday\n+friday" in result(rig).text
        assert (home / "workspace/plan.md").read_text() == "friday\ntuesday\n"


async def test_a_room_that_moved_keeps_its_session_after_a_restart(tmp_path: Path) -> None:
    home = a_home(tmp_path, ROOMS)
    async with a_rig(home) as rig:
        moved = replace(
            _in_room("-1009001", "moved"),
            event=EventClass.LIFECYCLE,
            lifecycle=Lifecycle.MOVED,
            former_id="-4001",
        )
        faked = replace(_in_room("-777", "I moved"), lifecycle=Lifecycle.MOVED, former_id="-4001")
        before = await _route(rig, _in_room("-4001", "before"))
        after = await _route(rig, moved, _in_room("-1009001", "after"))
        assert after == before == ("team", "agent:team:square:default:room:-4001")
        assert (await _route(rig, faked))[0] == "main"

    async with a_rig(home) as rig:
        assert await _route(rig, _in_room("-1009001", "later")) == before
        assert any("which has the id -1009001 now" in one for one in rig.app.settings.findings)

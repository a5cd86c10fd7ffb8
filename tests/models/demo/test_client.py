import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.contracts.errors import ToolError
from bot.contracts.inbound import Attachment
from bot.contracts.messages import (
    AssistantMessage,
    Message,
    ResultState,
    StopReason,
    ToolCall,
    ToolResult,
    UserMessage,
)
from bot.contracts.model import ModelRequest, SystemPrompt, TextDelta, ToolOffer
from bot.media.told import with_files
from bot.models.demo.client import DemoModel, answer
from bot.tools import BUILTIN
from tests.doubles.tool_context import a_tool_context

TOOLS = {tool.name: tool for tool in BUILTIN}
OFFERS = tuple(ToolOffer(name=name, description="", schema={}) for name in TOOLS)
STAMP = "[Thu 2026-12-03 12:05 Europe/Berlin, webchat] "

WORKSPACE = {
    "AGENTS.md": "- Ask before you delete something.\n",
    "BOOTSTRAP.md": "- You are new here: write down what you are told.\n",
    "notes/meeting.md": "- [ ] Send the budget\n- Please call Ana.\n- Tom will pay.\n- [x] Print\n",
    "notes/plan.md": "# Plan\n\n1. Book the flights\n2. Rent a car\n",
    "standup.txt": "You need to fix the build. Tom will ship it.\n",
    "notes/会议纪要.md": "- [ ] 发预算\n- 小王负责订酒店\n",
    "projects/garden/log.md": "Nothing but rain.\n",
}
MEETING = ["Send the budget", "Call Ana"]
PLAN = ["Book the flights", "Rent a car"]
STANDUP = ["Fix the build"]
MINUTES = ["发预算"]


def a_workspace(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return a_workspace(tmp_path, WORKSPACE)


async def carried_out(call: ToolCall, root: Path) -> ToolResult:
    tool: Any = TOOLS[call.name]
    try:
        text = await tool.run(a_tool_context(root), tool.parameters.parse(call.arguments))
    except ToolError as error:
        return ToolResult(call_id=call.id, name=call.name, text=str(error), state=ResultState.ERROR)
    return ToolResult(call_id=call.id, name=call.name, text=text)


def a_request(*messages: Message, stable: str = "") -> ModelRequest:
    system = SystemPrompt(stable=stable)
    return ModelRequest(system=system, messages=messages, tools=OFFERS)


async def conversation(root: Path, *said: str, before: tuple[Message, ...] = ()) -> list[Message]:
    messages: list[Message] = [*before, *(UserMessage(text=STAMP + text) for text in said)]
    for _ in range(4):
        message = answer(a_request(*messages))
        messages.append(message)
        if message.stop is StopReason.END:
            return messages
        messages += [await carried_out(call, root) for call in message.tool_calls]
    raise AssertionError("the demo goes on asking")


async def reply(root: Path, *said: str) -> str:
    last = (await conversation(root, *said))[-1]
    assert isinstance(last, AssistantMessage)
    return last.text


def listed(text: str) -> list[str]:
    return [line.partition(". ")[2] for line in text.splitlines() if line[:1].isdigit()]


ASKS = [
    ("read notes/meeting.md and list the three things I have to do", MEETING),
    ("Read notes/meeting.md and list the three things I must do.", MEETING),
    ("what are my todos in notes/plan.md?", PLAN),
    ("What do I need to do after the meeting?", MEETING),
    ("my action items from standup.txt please", STANDUP),
    ("what's on my plate according to notes/plan.md", PLAN),
    ("Which tasks are there for me in `notes/meeting.md`?", MEETING),
    ("Open notes/plan.md and tell me what I should do next", PLAN),
    ("anything for me in notes/meeting.md?", MEETING),
    ("what does notes/meeting.md want from me", MEETING),
    ("what did they ask me to do in notes/meeting.md", MEETING),
    ("What did I promise in standup.txt?", STANDUP),
    ("standup.txt: what's mine?", STANDUP),
    ("List my to-dos from plan.md", PLAN),
    ("give me the next steps from the plan", PLAN),
    ("could you check the stand-up notes and tell me my part", STANDUP),
    ("what am I supposed to do after the meeting", MEETING),
    ("Please extract the follow-ups for me from (notes/meeting.md).", MEETING),
    ("I missed the meeting - what do I have to do?", MEETING),
    ("show my tasks: notes/plan.md!", PLAN),
    ("can you help me find my tasks in standup.txt?", STANDUP),
    ("what do I owe people after the meeting?", MEETING),
    ("my homework from ./notes/plan.md", PLAN),
    ("TODOs in notes/meeting.md?", MEETING),
    ("what is left for me to do in notes/plan.md", PLAN),
    ("what's still open in plan.md", PLAN),
    ("Which items are pending in notes/plan.md?", PLAN),
    ("请读一下 notes/meeting.md,列出我要做的三件事", MEETING),
    ("读一下notes/meeting.md，把会议里需要我做的三件事列出来。", MEETING),
    ("notes/plan.md 里我有哪些待办？", PLAN),
    ("看看 standup.txt，我该做什么？", STANDUP),
    ("帮我整理一下 notes/meeting.md 里我的任务", MEETING),
    ("notes/meeting.md 里有哪些事要我做", MEETING),
    ("会议纪要里有什么是我负责的？", MINUTES),
    ("读一下会议纪要.md，我要做什么？", MINUTES),
    ("notes/会议纪要.md 里我的行动项", MINUTES),
    ("我的计划里还有什么没做？", PLAN),
    ("plan.md 里还有什么没完成？", PLAN),
    ("notes/meeting.md 里我答应了什么？", MEETING),
    ("站会之后我需要做什么", STANDUP),
    ("列出 notes/plan.md 中的任务", PLAN),
    ("从plan.md里找出需要我做的事", PLAN),
    ("meeting.md 里交给我的是哪几件事？", MEETING),
    ("请告诉我 notes/plan.md 要我做什么", PLAN),
    ("麻烦看下`notes/meeting.md`，我得做哪些事", MEETING),
]


@pytest.mark.parametrize(("ask", "tasks"), ASKS, ids=[ask for ask, _ in ASKS])
async def test_the_tasks_of_a_file_are_found_however_they_are_asked_for(
    root: Path, ask: str, tasks: list[str]
) -> None:
    assert listed(await reply(root, ask)) == tasks


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        ("What time is it?", "It is Thursday, 2026-12-03 12:05 (Europe/Berlin)."),
        ("what's the date today", "It is Thursday, 2026-12-03"),
        ("tell me the time please", "It is Thursday"),
        ("what day is it?", "It is Thursday"),
        ("现在几点了？", "现在是 2026-12-03 12:05，星期四（Europe/Berlin）。"),
        ("今天星期几", "星期四"),
        ("今天几号？", "2026-12-03"),
        ("what can you do?", "I can list what a file of the workspace asks of you"),
        ("who are you?", "I am a demo and no language model"),
        ("help", "I can list what a file of the workspace asks of you"),
        ("你能做什么？", "我能列出工作区某个文件里需要你做的事"),
        ("你是谁", "我是一个演示"),
        ("write me a poem about rain", "paste a key into the settings of the page"),
        ("hi", "`script/run models add`"),
        ("写一首关于雨的诗", "在网页的设置里粘贴密钥"),
        ("", "I am a demo and no language model"),
        ("summarise notes/meeting.md", "so I cannot answer that"),
    ],
)
async def test_everything_else_is_answered_honestly(root: Path, ask: str, words: str) -> None:
    messages = await conversation(root, ask)

    assert len(messages) == 2
    assert isinstance(messages[-1], AssistantMessage)
    assert words in messages[-1].text


async def test_without_a_stamp_it_does_not_guess_the_time() -> None:
    said = UserMessage(text="what time is it?")

    assert answer(a_request(said)).text == "Nobody told me what time it is."


async def test_a_named_file_is_read_at_once_and_the_words_before_are_brief(root: Path) -> None:
    _, first, _, _ = await conversation(root, "what are my todos in notes/plan.md?")

    assert isinstance(first, AssistantMessage)
    assert [(c.name, json.loads(c.arguments)) for c in first.tool_calls] == [
        ("read_file", {"path": "notes/plan.md"})
    ]
    assert first.text == "Let me look."


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        ("my todos in notes/gone.md?", "I could not read notes/gone.md"),
        ("notes/gone.md 里我要做什么？", "我没能读到 notes/gone.md"),
        ("my todos in gone.txt?", "There is no file gone.txt in the workspace."),
        ("my todos in ../../etc/passwd.txt", "I could not read ../../etc/passwd.txt"),
        ("my todos in /etc/hosts.txt", "I could not read /etc/hosts.txt"),
        ("what must I do according to /etc/passwd?", "I could not read /etc/passwd"),
        ("read ../../etc/shadow and list my tasks", "I could not read ../../etc/shadow"),
        ("my tasks in ~/notes", "I could not read ~/notes"),
        ("my tasks in projects/garden/log.md", "asks nothing of you that is still open"),
        ("projects/garden/log.md 里我要做什么", "没有还需要你做的事"),
    ],
)
async def test_what_is_missing_or_empty_is_said_in_one_sentence(
    root: Path, ask: str, words: str
) -> None:
    text = await reply(root, ask)

    assert words in text
    assert "\n" not in text


async def test_without_a_hint_all_notes_are_looked_through(root: Path) -> None:
    text = await reply(root, "what do I have to do?")

    assert listed(text) == [*MEETING, *PLAN, *MINUTES, *STANDUP]
    assert "AGENTS.md" not in text
    assert "BOOTSTRAP.md" not in text


async def test_too_many_notes_are_asked_about(tmp_path: Path) -> None:
    a_workspace(tmp_path, {f"notes/{n}.md": "TODO: x" for n in range(9)})

    assert (await reply(tmp_path, "what are my todos?")).startswith("Which file do you mean?")


async def test_an_empty_workspace_is_called_empty(tmp_path: Path) -> None:
    assert await reply(tmp_path, "what are my todos?") == "There is no note in the workspace."


async def test_two_files_are_answered_in_the_order_they_were_named(root: Path) -> None:
    text = await reply(root, "my tasks in notes/plan.md and notes/meeting.md, please")

    assert listed(text) == [*PLAN, *MEETING]


async def test_only_the_latest_question_is_answered(root: Path) -> None:
    earlier = await conversation(root, "what are my todos in notes/plan.md?")

    later = await conversation(root, "what time is it?", before=tuple(earlier))

    assert len(later) == len(earlier) + 2
    assert isinstance(later[-1], AssistantMessage)
    assert later[-1].text.startswith("It is Thursday")


async def test_a_file_that_changed_is_read_again_when_asked_again(root: Path) -> None:
    earlier = await conversation(root, "what are my todos in notes/plan.md?")
    (root / "notes/plan.md").write_text("TODO: rest", "utf-8")

    later = await conversation(root, "and my todos in notes/plan.md now?", before=tuple(earlier))

    assert isinstance(later[-1], AssistantMessage)
    assert listed(later[-1].text) == ["Rest"]
    calls = [c.id for m in later if isinstance(m, AssistantMessage) for c in m.tool_calls]
    assert len(calls) == len(set(calls)) == 2


async def test_messages_that_came_together_are_answered_together(root: Path) -> None:
    text = await reply(root, "what are my todos in notes/plan.md?", "and what time is it?")

    assert listed(text) == PLAN
    assert "It is Thursday" in text


async def test_a_message_that_joins_between_the_call_and_the_answer_is_answered_too(
    root: Path,
) -> None:
    asked: list[Message] = [UserMessage(text=f"{STAMP}todos in notes/plan.md?")]
    asking = answer(a_request(*asked))
    asked += [asking, await carried_out(asking.tool_calls[0], root)]

    joined = await conversation(root, "notes/meeting.md, too: my todos", before=tuple(asked))

    assert isinstance(joined[-1], AssistantMessage)
    assert listed(joined[-1].text) == [*PLAN, *MEETING]


@pytest.mark.parametrize("state", [s for s in ResultState if s is not ResultState.OK])
async def test_a_call_that_did_not_end_well_is_told_and_not_repeated(
    root: Path, state: ResultState
) -> None:
    said = UserMessage(text="what are my todos in notes/plan.md?")
    asking = answer(a_request(said))
    result = await carried_out(asking.tool_calls[0], root)

    last = answer(a_request(said, asking, replace(result, state=state, text="it broke off")))

    assert last.text == "I could not read notes/plan.md: it broke off"
    assert last.tool_calls == ()


async def test_where_no_tools_are_offered_it_says_that_it_may_not_look() -> None:
    request = replace(a_request(UserMessage(text="my todos in notes/plan.md?")), tools=())

    assert answer(request).text == "I may not look at files in this conversation."


async def test_the_name_in_user_md_is_the_readers(tmp_path: Path) -> None:
    a_workspace(tmp_path, {"notes/plan.md": "- [ ] Lin: call the printer\n- [ ] Tom: rest\n"})
    said = UserMessage(text="my tasks in notes/plan.md")
    stable = (
        '<file name="IDENTITY.md">\n- Name: Tom\n</file>\n'
        '<file name="USER.md">\n# Your person\n\n- Name: Lin\n</file>\n'
    )
    asking = answer(a_request(said, stable=stable))
    result = await carried_out(asking.tool_calls[0], tmp_path)

    assert listed(answer(a_request(said, asking, result, stable=stable)).text) == [
        "Call the printer"
    ]


async def test_a_long_file_is_said_to_be_read_in_part(tmp_path: Path) -> None:
    a_workspace(tmp_path, {"notes/long.md": "TODO: begin\n" + "rain\n" * 500 + "TODO: end\n"})

    text = await reply(tmp_path, "my todos in notes/long.md")

    assert listed(text) == ["Begin"]
    assert text.endswith("I read only the beginning of notes/long.md; there is more in it.")


@pytest.mark.parametrize("said", ["what can you do?", "hi", " \n", "你能做什么？"])
async def test_the_words_come_one_by_one_and_make_the_whole(said: str) -> None:
    events = [event async for event in DemoModel().stream(a_request(UserMessage(text=said)))]

    *deltas, last = events
    assert isinstance(last, AssistantMessage)
    assert all(isinstance(delta, TextDelta) for delta in deltas)
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == last.text
    assert last.stop is StopReason.END


@pytest.mark.parametrize("piece", ["I do ", "todo ", "/a", "a.md ", "what ", "我", "\n", "[1:11] "])
async def test_a_message_of_a_megabyte_is_answered(root: Path, piece: str) -> None:
    assert await reply(root, piece * (1_000_000 // len(piece)))


WORDS = st.sampled_from(
    ["todo", "my", "tasks", "in", "notes/plan.md", "gone.txt", "what time", "is it", "你", "我要做",
     "什么", "会议", "help", "../", "/", "\n", "[12:05] ", "{path}", "%s", "`", "'", "a.md", "plan"]
)  # fmt: skip


@given(said=st.lists(st.text(max_size=40) | st.lists(WORDS, max_size=8).map(" ".join), max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
async def test_whatever_is_said_it_ends_in_an_answer(root: Path, said: list[str]) -> None:
    assert await reply(root, *said)


@pytest.mark.parametrize(
    "words", ["", "What is in this picture?", "What do I have to do?", "这张图里是什么？"]
)
async def test_a_picture_gets_one_good_sentence_and_nothing_is_looked_for(words: str) -> None:
    photo = Attachment(
        id="b" * 26,
        name="cat.png",
        media_type="image/png",
        size=2_048,
        path="attachments/b/cat.png",
    )
    message = UserMessage(text=with_files(STAMP + words, [photo]))
    said = answer(ModelRequest(system=SystemPrompt(stable=""), messages=(message,), tools=OFFERS))

    assert not said.tool_calls
    assert said.text.count("cat.png") == 1
    assert "attachments/" not in said.text
    chinese = "这" in words
    assert ("只读得懂文字" if chinese else "text is all I read") in said.text
    assert "\n" not in said.text


async def test_a_picture_beside_a_text_costs_the_text_nothing() -> None:
    files = [
        Attachment(id="b" * 26, name="cat.png", media_type="image/png", size=9, path="a/cat.png"),
        Attachment(
            id="c" * 26,
            name="meeting.md",
            media_type="text/markdown",
            size=9,
            path="notes/meeting.md",
            text="- [ ] Send the budget",
        ),
    ]
    message = UserMessage(text=with_files(f"{STAMP}Have a look.", files))
    said = answer(ModelRequest(system=SystemPrompt(stable=""), messages=(message,), tools=OFFERS))

    (call,) = said.tool_calls
    assert "notes/meeting.md" in call.arguments

"""What every provider promises, played over a real socket. Inherit, and name the double."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from datetime import timedelta
from typing import ClassVar

import pytest

from bot.contracts.errors import (
    ContextOverflow,
    KeyExhausted,
    KeyRefused,
    ModelDisconnected,
    ModelError,
    ModelUnavailable,
    ModelUnknown,
    RequestRefused,
)
from bot.contracts.messages import (
    AssistantMessage,
    ResultState,
    StopReason,
    ToolCall,
    ToolResult,
    UserMessage,
)
from bot.contracts.model import ModelEvent, TextDelta, ThinkingDelta, Warms
from bot.contracts.turn import Usage
from tests.doubles.model_server import Answer, Call, Gate, ModelServer, Raw
from tests.models.rig import NOW, Rig

PAGE = Raw(body="<!DOCTYPE html><html><h1>Welcome to nginx</h1></html>", kind="text/html")


class ChatModelContract:
    """Inherit it, name the provider and its double, and all of this is checked."""

    provider: ClassVar[str]
    double: ClassVar[type[ModelServer]]
    opening: ClassVar[int]
    """How many frames of the double's streams the first word takes."""

    @pytest.fixture
    async def rig(self) -> AsyncIterator[Rig]:
        async with AsyncExitStack() as stack:
            yield Rig(provider=self.provider, double=self.double, stack=stack)

    async def test_words_come_as_they_are_said_and_the_message_last(self, rig: Rig) -> None:
        await rig.plays(Answer(text=("Good ", "morning", ", 世界")))

        *deltas, last = await rig.hears()

        assert said(deltas) == "Good morning, 世界"
        assert last == AssistantMessage(
            text="Good morning, 世界",
            stop=StopReason.END,
            model="model-1",
            usage=Usage(input_tokens=11, output_tokens=7),
        )

    async def test_the_first_word_is_heard_before_the_last_is_said(self, rig: Rig) -> None:
        gate = Gate()
        await rig.plays(Answer(text=("first", "last"), hold=gate, after=self.opening))

        async with aclosing(rig.events()) as events:
            assert await anext(events) == TextDelta(text="first")
            gate.open()
            assert await anext(events) == TextDelta(text="last")

    async def test_calls_come_whole_and_in_order(self, rig: Rig) -> None:
        path = '{"path": "notes/é meeting.md"}'
        calls = (Call(name="read_file", arguments=path, id="a"), Call(name="time", id="b"))
        await rig.plays(Answer(text="I look.", calls=calls))

        message = await rig.message()

        assert message.stop is StopReason.TOOL_USE
        assert message.text == "I look."
        assert message.tool_calls == (
            ToolCall(id="a", name="read_file", arguments=path),
            ToolCall(id="b", name="time", arguments="{}"),
        )

    async def test_a_call_without_arguments_has_an_empty_object(self, rig: Rig) -> None:
        await rig.plays(Answer(calls=(Call(name="time", arguments=""),)))

        assert (await rig.message()).tool_calls[0].arguments == "{}"

    async def test_arguments_that_were_cut_off_stay_cut_off(self, rig: Rig) -> None:
        calls = (Call(name="read_file", arguments='{"path": "no'), Call(name="time", arguments=""))
        await rig.plays(Answer(calls=calls, stop="length"))

        message = await rig.message()

        assert message.stop is StopReason.LENGTH
        assert [call.arguments for call in message.tool_calls] == ['{"path": "no', ""]

    async def test_blank_and_doubled_ids_and_names_stay_as_they_came(self, rig: Rig) -> None:
        calls = (Call(name="", id=""), Call(name="time", id="x"), Call(name="time", id="x"))
        await rig.plays(Answer(calls=calls))

        message = await rig.message()

        assert [(c.id, c.name) for c in message.tool_calls] == [
            ("", ""),
            ("x", "time"),
            ("x", "time"),
        ]

    async def test_cached_tokens_are_part_of_the_input(self, rig: Rig) -> None:
        await rig.plays(Answer(text="hi", tokens=(100, 5, 80)))

        assert (await rig.message()).usage == Usage(
            input_tokens=100, output_tokens=5, cached_tokens=80
        )

    async def test_thinking_is_kept_apart_from_the_words(self, rig: Rig) -> None:
        await rig.plays(Answer(thinking="Hm.", text="Yes."))

        *deltas, message = await rig.hears()

        assert deltas == [ThinkingDelta(text="Hm."), TextDelta(text="Yes.")]
        assert isinstance(message, AssistantMessage)
        assert (message.text, message.thinking[0].text) == ("Yes.", "Hm.")

    @pytest.mark.parametrize(
        ("word", "stop"),
        [
            ("", StopReason.END),
            ("tool_use", StopReason.TOOL_USE),
            ("length", StopReason.LENGTH),
            ("refusal", StopReason.REFUSAL),
        ],
    )
    async def test_a_stop_reason(self, rig: Rig, word: str, stop: StopReason) -> None:
        await rig.plays(Answer(text="So", stop=word))

        assert (await rig.message()).stop is stop

    async def test_a_stop_reason_nobody_knows_is_a_fault(self, rig: Rig) -> None:
        await rig.plays(Answer(text="So", stop="tired"))

        error = await rig.fails()

        assert isinstance(error, ModelDisconnected)
        assert "'tired'" in str(error)

    async def test_an_end_without_a_stop_reason_is_a_fault(self, rig: Rig) -> None:
        await rig.plays(Answer(text="Half of it", stop=None))

        assert isinstance(await rig.fails(), ModelDisconnected)

    async def test_wherever_a_stream_is_cut_there_is_a_whole_answer_or_none(self, rig: Rig) -> None:
        answer = Answer(text=("One ", "two"), calls=(Call(name="time", id="a"),))
        await rig.plays(answer)
        whole = await rig.message()
        length = sum(len(frame) for frame in rig.server.stream(answer, rig.last))
        outcomes: list[bool] = []
        await rig.plays(*(_cut(answer, at) for at in range(0, length, 29)))

        for _ in range(0, length, 29):
            try:
                # Usage may come after the stop reason, and with it may be lost.
                assert replace(await rig.message(), usage=whole.usage) == whole
            except ModelDisconnected:
                outcomes.append(False)
            else:
                outcomes.append(True)

        assert outcomes == sorted(outcomes)
        assert False in outcomes

    async def test_silence_before_the_first_event_is_not_waited_out(self, rig: Rig) -> None:
        await rig.plays(Answer(text="never", stall=True, after=0), patience=0.05)

        error = await rig.fails()

        assert isinstance(error, ModelDisconnected)
        assert "nothing for 0.05 seconds" in str(error)

    async def test_silence_in_the_middle_is_not_waited_out(self, rig: Rig) -> None:
        await rig.plays(Answer(text="one two three four five", stall=True, after=4), patience=0.2)

        assert isinstance(await rig.fails(), ModelDisconnected)

    async def test_one_who_leaves_hangs_up(self, rig: Rig) -> None:
        gate = Gate()
        await rig.plays(Answer(text="one two three four five", hold=gate, after=4))
        call = asyncio.create_task(rig.hears())
        await gate.reached()

        call.cancel()

        with pytest.raises(asyncio.CancelledError):
            await call
        await rig.server.hung_up.wait()

    @pytest.mark.parametrize("frame", [b"data: {oops\n\n", b"data: [1]\n\n", b"data: \xff\xfe\n\n"])
    async def test_a_piece_that_cannot_be_read_is_a_fault(self, rig: Rig, frame: bytes) -> None:
        named = b"event: message_delta\n" + frame
        await rig.plays(Answer(frames=(named,)))

        assert isinstance(await rig.fails(), ModelDisconnected)

    async def test_an_answer_nested_without_end_is_a_fault(self, rig: Rig) -> None:
        deep = b"event: message_delta\ndata: " + b"[" * 200_000 + b"\n\n"
        await rig.plays(Answer(frames=(deep,)))

        assert isinstance(await rig.fails(), ModelDisconnected)

    async def test_an_empty_answer_is_a_fault(self, rig: Rig) -> None:
        await rig.plays(Raw(kind="text/event-stream"))

        assert isinstance(await rig.fails(), ModelDisconnected)

    @pytest.mark.parametrize(
        ("status", "expected"),
        [(200, ModelUnavailable), (403, ModelUnavailable), (404, ModelUnavailable),
         (502, ModelDisconnected), (503, ModelDisconnected)],
    )  # fmt: skip
    async def test_a_web_page_is_called_one(
        self, rig: Rig, status: int, expected: type[ModelError]
    ) -> None:
        await rig.plays(Raw(status=status, body=PAGE.body, kind=PAGE.kind))

        error = await rig.fails()

        assert type(error) is expected
        assert f"web page instead of a model's words ({status})" in str(error)
        assert "base_url" in str(error)
        assert "nginx" not in str(error)

    async def test_an_answer_that_is_no_stream_is_called_so(self, rig: Rig) -> None:
        await rig.plays(Raw(body='{"id": "1", "choices": []}'))

        error = await rig.fails()

        assert isinstance(error, ModelUnavailable)
        assert "application/json instead of a stream" in str(error)

    @pytest.mark.parametrize(
        ("status", "expected"),
        [
            (301, ModelUnavailable),
            (400, RequestRefused),
            (401, KeyRefused),
            (402, KeyExhausted),
            (403, KeyRefused),
            (404, ModelUnknown),
            (405, RequestRefused),
            (408, ModelDisconnected),
            (409, ModelDisconnected),
            (413, ContextOverflow),
            (422, RequestRefused),
            (429, KeyExhausted),
            (500, ModelDisconnected),
            (502, ModelDisconnected),
            (503, ModelUnavailable),
            (529, ModelUnavailable),
        ],
    )
    async def test_a_status_says_who_must_act_and_is_asked_once(
        self, rig: Rig, status: int, expected: type[ModelError]
    ) -> None:
        await rig.plays(Raw(status=status, headers={"location": "http://127.0.0.1:1/"}))

        error = await rig.fails()

        assert type(error) is expected
        assert str(status) in str(error)
        assert rig.server.base_url in str(error)
        assert "\n" not in str(error)
        assert len(rig.server.requests) == 1

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ('{"error": {"message": "Nope."}}', "Nope."),
            ('{"error": "Nope."}', "Nope."),
            ('{"detail": "Nope."}', "Nope."),
            ("Nope.\n\tNo.", "Nope. No."),
            ("[1]", "it did not say why"),
            ("null", "it did not say why"),
            ('{"error": {"message": null, "code": 7, "details": 3}}', "it did not say why"),
        ],
    )
    async def test_a_providers_own_sentence_is_passed_on(
        self, rig: Rig, body: str, said: str
    ) -> None:
        await rig.plays(Raw(status=400, body=body))

        assert str(await rig.fails()).endswith(f"refused the request (400): {said}")

    async def test_a_key_rests_as_long_as_it_was_told(self, rig: Rig) -> None:
        await rig.plays(Raw(status=429, headers={"retry-after": "90"}))

        error = await rig.fails()

        assert isinstance(error, KeyExhausted)
        assert error.until == NOW + timedelta(seconds=90)
        assert not error.spent

    async def test_a_server_that_stumbled_is_left_alone_as_long_as_it_asks(self, rig: Rig) -> None:
        await rig.plays(Raw(status=500, headers={"retry-after": "3"}))

        error = await rig.fails()

        assert isinstance(error, ModelDisconnected)
        assert error.retry_after == 3.0

    async def test_nobody_listening_is_said_with_the_address(self, rig: Rig) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{free.getsockname()[1]}"
        rig.opens(base_url=address)

        error = await rig.fails()

        assert isinstance(error, ModelUnavailable)
        assert address in str(error)
        assert "nothing listens there" in str(error)

    async def test_a_host_that_does_not_exist_is_said_so(self, rig: Rig) -> None:
        rig.opens(base_url="http://models.localhost.invalid")

        error = await rig.fails()

        assert isinstance(error, ModelUnavailable)
        assert "http://models.localhost.invalid" in str(error)

    async def test_a_refused_key_is_said_without_the_key(self, rig: Rig) -> None:
        await rig.plays(Answer(text="hi"))
        rig.opens(key="sk-wrong-1234567890")

        error = await rig.fails()

        assert isinstance(error, KeyRefused)
        assert "refused the key (401)" in str(error)
        assert "1234567890" not in str(error)

    async def test_a_missing_key_is_said_so(self, rig: Rig) -> None:
        await rig.plays(Answer(text="hi"))
        rig.opens(key=None)

        assert "wants a key (401) and none is set" in str(await rig.fails())

    async def test_a_secret_in_a_providers_sentence_is_masked(self, rig: Rig) -> None:
        body = json.dumps({"error": {"message": f"bad request with {ModelServer.key} in it"}})
        await rig.plays(Raw(status=400, body=body))

        error = await rig.fails()

        assert isinstance(error, RequestRefused)
        assert "bad request with *** in it" in str(error)

    async def test_a_long_sentence_is_shortened(self, rig: Rig) -> None:
        await rig.plays(Raw(status=400, body=json.dumps({"error": {"message": "so " * 5000}})))

        assert len(str(await rig.fails())) < 500

    async def test_the_words_for_too_long_are_understood_without_a_code(self, rig: Rig) -> None:
        said = "prompt is too long: 210000 tokens > 200000 maximum"
        await rig.plays(Raw(status=400, body=json.dumps({"error": {"message": said}})))

        assert isinstance(await rig.fails(), ContextOverflow)

    async def test_the_model_is_asked_what_the_request_says(self, rig: Rig) -> None:
        await rig.plays(Answer(text="hi"))

        await rig.hears()

        assert rig.server.complaints == []
        assert rig.last.system == "You are Stonechat.\n\nIt is Monday."
        assert rig.last.question == "hello"
        assert rig.last.tools == ("read_file",)
        assert rig.last.body["model"] == "model-1"

    async def test_a_call_and_its_result_go_back_as_they_were(self, rig: Rig) -> None:
        await rig.plays(
            Answer(text="I look.", calls=(Call(name="read_file", arguments='{"path": "a.md"}'),)),
            Answer(text="Done."),
        )
        asked = await rig.message()
        call = asked.tool_calls[0]

        await rig.message(
            UserMessage(text="read a.md"),
            asked,
            ToolResult(call_id=call.id, name=call.name, text="no file", state=ResultState.ERROR),
        )

        said = rig.last.said
        assert [one.role for one in said] == ["user", "assistant", "tool"]
        assert said[1].calls == (Call(id=call.id, name=call.name, arguments=call.arguments),)
        assert said[2].call_id == call.id
        assert "no file" in said[2].text

    async def test_a_model_can_be_warmed_and_closed_at_any_time(self, rig: Rig) -> None:
        await rig.plays(Answer(text="hi"))
        assert isinstance(rig.model, Warms)

        await rig.model.warm()
        await rig.model.warm()
        await rig.model.close()
        await rig.model.close()

        assert (await rig.message()).text == "hi"

    async def test_its_name_is_the_models(self, rig: Rig) -> None:
        await rig.plays()

        assert rig.model.name == "model-1"


def said(events: Sequence[ModelEvent]) -> str:
    """Return the words; how many came in one piece is chance."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def _cut(answer: Answer, at: int) -> Answer:
    return Answer(text=answer.text, calls=answer.calls, cut=at)

"""What a turn did on its way, as its record has it: the lines a screen showed while it ran."""

from collections.abc import Callable, Iterator, Sequence

from bot.contracts.channel import CallMade, Remark
from bot.contracts.messages import AssistantMessage, ResultState, ToolCall, ToolResult
from bot.contracts.transcript import CallStarted, Decided, Recorded
from bot.reply.directives import read_directives
from bot.reply.visible import visible


def steps_of(
    recorded: Sequence[Recorded], summary_of: Callable[[ToolCall], str]
) -> Iterator[Remark | CallMade]:
    """Return the words before calls, as people may see them, and the calls, in order (pure).

    A call without a result ended with its turn: it is unknown if it was started, and else
    never began.
    """
    entries = [one.entry for one in recorded]
    results = {e.call_id: e.state for e in entries if isinstance(e, ToolResult)}
    started = {e.call_id for e in entries if isinstance(e, CallStarted)}
    for message in entries:
        if isinstance(message, Decided) and message.is_approved:
            left = ResultState.UNKNOWN if message.call.id in started else ResultState.KILLED
            state = results.get(message.call.id, left)
            call = message.call
            yield CallMade(name=call.name, summary=summary_of(call), state=state)
        if not isinstance(message, AssistantMessage) or not message.tool_calls:
            continue
        words, _ = read_directives(visible(message.text))
        if words.strip():
            yield Remark(text=words.strip())
        for call in message.tool_calls:
            left = ResultState.UNKNOWN if call.id in started else ResultState.KILLED
            state = results.get(call.id, left)
            yield CallMade(name=call.name, summary=summary_of(call), state=state)

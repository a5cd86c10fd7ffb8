"""The turn at hand: what was said since the last answer, and the calls made for it."""

import json
import re
from typing import Final

from bot.contracts.messages import AssistantMessage, StopReason, ToolCall, ToolResult, UserMessage
from bot.contracts.model import ModelRequest
from bot.media.told import without_files
from bot.models.demo.words import SAYINGS

_STAMP: Final = re.compile(r"^\[(\w{3}) (\d{4}-\d\d-\d\d \d\d:\d\d) ([^,\]\n]+)[^\]\n]*\] ")
"""The day, the moment and the zone of a message, which stand before its words."""

_HEARD: Final = 2_000
"""Characters of a message that are looked at: no question is longer."""


class Turn:
    """Reads a request, and nothing but the request: the same one always gives the same."""

    def __init__(self, request: ModelRequest) -> None:
        ends = [
            at
            for at, m in enumerate(request.messages, start=1)
            if isinstance(m, AssistantMessage) and m.stop is not StopReason.TOOL_USE
        ]
        now = request.messages[max(ends, default=0) :]
        texts = [m.text for m in now if isinstance(m, UserMessage)] or [""]
        told = [without_files(_STAMP.sub("", text)) for text in texts]
        said = [one.words[:_HEARD] for one in told]
        results = {m.call_id: m for m in now if isinstance(m, ToolResult)}
        calls = [c for m in now if isinstance(m, AssistantMessage) for c in m.tool_calls]
        self.request = request
        self.said = "\n".join(said).replace("'", "’")
        self.attached = [path for one in told for path in one.paths]
        self.unseen = [name for one in told for name in one.unseen]
        self.stamp = _STAMP.match(texts[-1])
        self.wanted: list[ToolCall] = []
        self._language = SAYINGS["zh" if re.search("[一-鿿]", said[-1]) else "en"]
        self._done = {(c.name, c.arguments): results[c.id] for c in calls if c.id in results}

    def call(self, name: str, **arguments: object) -> ToolResult | None:
        """Return what became of a call; None means that it is asked for now."""
        written = json.dumps(arguments, ensure_ascii=False)
        if (done := self._done.get((name, written))) is None:
            call_id = f"demo-{len(self.request.messages)}-{len(self.wanted)}"
            self.wanted.append(ToolCall(id=call_id, name=name, arguments=written))
        return done

    def say(self, saying: str, **parts: object) -> str:
        """Return one of our sayings in the language of the latest message, else itself."""
        return str(self._language.get(saying, saying)).format(**parts)

"""A bot reduced to what a channel sees of it: it accepts, and a test says what happens next."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypedDict

from bot.bus.local import LocalBus
from bot.contracts.admission import Dispatch
from bot.contracts.approval import Approval
from bot.contracts.channel import Accepted, CallMade, Remark
from bot.contracts.delivery import Delivery, DeliveryState, OnUnknown
from bot.contracts.document import CodeBlock, Document, Paragraph, Span
from bot.contracts.errors import StoreUnavailable
from bot.contracts.events import (
    AttemptFailed,
    Delivered,
    Event,
    MessageDropped,
    MessageMade,
    ToolEnded,
    ToolStarted,
    TurnAbsorbed,
    TurnEnded,
    TurnQueued,
    TurnStarted,
    WordsCame,
)
from bot.contracts.inbound import ConversationKey, EventClass, Inbound, Source
from bot.contracts.ledger import Direction, Found, Line, Listed, TurnRecord
from bot.contracts.messages import ResultState
from bot.contracts.reply import ReplyKind, ReplyPayload, Target
from bot.contracts.session import AgentId, Route, SessionKey
from bot.contracts.store import Cursor
from bot.contracts.turn import (
    Arrival,
    Lane,
    Outcome,
    OutcomeKind,
    QueueMode,
    Rank,
    Turn,
    TurnId,
    TurnState,
    Usage,
)
from bot.contracts.waiting import Waited, WaitFor, WaitState

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
SESSION = SessionKey("agent:main:main")


@dataclass(frozen=True, kw_only=True)
class Heard:
    """What `receive` was given, and the turn it became."""

    inbound: Inbound
    turn_id: TurnId


class _Place(TypedDict):
    """What every event names."""

    conversation: ConversationKey
    turn_id: TurnId


class FakeGateway:
    """`receive` claims by source; `on_message` is told of each new message, if set."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.broken = False
        self.loses_news = False
        self.on_message: Callable[[TurnId, str], object] | None = None
        self.on_receive: Callable[[str], Awaitable[object]] | None = None
        """Awaited ``before`` and ``after`` a message is claimed: where the kernel waits, too."""
        self.questions: dict[str, Approval] = {}
        self._bus = LocalBus()
        self._records: dict[TurnId, TurnRecord] = {}
        self._claims: dict[tuple[ConversationKey, Source], Accepted] = {}
        self._lines: list[tuple[ConversationKey, Line]] = []
        self._titles: dict[ConversationKey, str | None] = {}
        self._calls: dict[str, str] = {}
        self._steps: dict[TurnId, list[Remark | CallMade]] = {}
        self._said: dict[TurnId, str] = {}
        self._seq = 0

    # What a channel calls.

    async def receive(self, *inbounds: Inbound, cursor: Cursor | None = None) -> Sequence[Accepted]:
        del cursor
        if self.on_receive is not None:
            await self.on_receive("before")
        self._check()
        accepted = [self._claim(inbound) for inbound in inbounds]
        if self.on_receive is not None:
            await self.on_receive("after")
        return accepted

    async def accepted(self, conversation: ConversationKey, source: Source) -> Accepted | None:
        self._check()
        found = self._claims.get((conversation, source))
        return None if found is None else replace(found, duplicate=True)

    async def cursor(self, key: str) -> int | None:
        del key
        return None

    async def lines(
        self, conversation: ConversationKey, *, after: int, limit: int = 200
    ) -> Sequence[Line]:
        self._check()
        found = [line for key, line in self._lines if key == conversation and line.seq > after]
        return found[-limit:]

    async def lines_before(
        self, conversation: ConversationKey, seq: int, *, limit: int = 200
    ) -> Sequence[Line]:
        self._check()
        found = [line for key, line in self._lines if key == conversation and line.seq < seq]
        return found[-limit:]

    async def question(self, code: str) -> Approval | None:
        self._check()
        return self.questions.get(code)

    async def wait(
        self, turn_id: TurnId, timeout_seconds: float, until: WaitFor = WaitFor.ENDED
    ) -> Waited:
        """Say how it stands: whoever waits here lets the turn end first."""
        del timeout_seconds, until
        self._check()
        record = self._records.get(turn_id)
        outcome = record.outcome if record else None
        return Waited(
            turn_id=turn_id,
            wait=WaitState.ENDED if outcome else WaitState.WAIT_EXPIRED,
            state=record.turn.state if record else None,
            outcome=outcome.kind if outcome else None,
        )

    async def steps(self, turn_id: TurnId) -> Sequence[Remark | CallMade]:
        self._check()
        return self._steps.get(turn_id, [])

    async def conversations(self, place: ConversationKey, *, limit: int = 200) -> Sequence[Listed]:
        self._check()
        keys = {key: None for key, _ in reversed(self._lines) if _is_in(key, place)}
        return [listed for key in keys if (listed := self._listed(key))][:limit]

    async def conversation(self, conversation: ConversationKey) -> Listed | None:
        self._check()
        return self._listed(conversation)

    async def search(
        self, place: ConversationKey, words: Sequence[str], *, limit: int = 50
    ) -> Sequence[Found]:
        self._check()
        return [
            Found(conversation=key, line=line)
            for key, line in reversed(self._lines)
            if _is_in(key, place) and _holds(line, words)
        ][:limit]

    async def rename(self, conversation: ConversationKey, title: str | None) -> bool:
        self._check()
        self._titles[conversation] = title
        return self._listed(conversation) is not None

    async def forget(self, conversation: ConversationKey) -> None:
        self._check()
        self._titles.pop(conversation, None)
        self._lines = [(key, line) for key, line in self._lines if key != conversation]
        for record in await self.open_turns(conversation):
            self.finish(
                record.turn.id, "", kind=OutcomeKind.INTERRUPTED, reason="deleted", deliver=False
            )

    async def open_turns(self, conversation: ConversationKey) -> Sequence[TurnRecord]:
        self._check()
        return [
            record
            for record in self._records.values()
            if record.outcome is None
            and record.turn.arrival.inbound.conversation_key == conversation
        ]

    async def turn(self, turn_id: TurnId) -> TurnRecord | None:
        self._check()
        record = self._records.get(turn_id)
        if record is not None and record.absorbed_by is not None:
            host = self._records[record.absorbed_by]
            return replace(record, outcome=host.outcome, ended_at=host.ended_at)
        return record

    def follow(self, conversation: ConversationKey) -> AbstractContextManager[AsyncIterator[Event]]:
        return self._bus.follow(conversation)

    # What a test calls.

    @property
    def said(self) -> list[str]:
        """Every message that was accepted, once each."""
        return [one.inbound.text for one in self.heard]

    def mend(self) -> None:
        self.broken = False

    def start(self, turn_id: TurnId, *, attempt: int = 1) -> None:
        record = self._records[turn_id]
        turn = replace(record.turn, state=TurnState.RUNNING, attempt=attempt)
        self._records[turn_id] = replace(record, turn=turn)
        self._tell(TurnStarted(**self._place(turn_id), attempt=attempt))

    def words(self, turn_id: TurnId, *pieces: str) -> None:
        for piece in pieces:
            self._said[turn_id] = self._said.get(turn_id, "") + piece
            self._tell(WordsCame(**self._place(turn_id), text=piece))

    def made(self, turn_id: TurnId, *, final: bool) -> None:
        words = self._said.pop(turn_id, "")
        if not final and words:
            self._steps.setdefault(turn_id, []).append(Remark(text=words))
        self._tell(MessageMade(**self._place(turn_id), final=final))

    def drop(self, turn_id: TurnId) -> None:
        self._tell(MessageDropped(**self._place(turn_id)))

    def fail_attempt(self, turn_id: TurnId, reason: str) -> None:
        self._tell(AttemptFailed(**self._place(turn_id), reason=reason))

    def call(self, turn_id: TurnId, call_id: str, name: str, summary: str) -> None:
        self._calls[call_id] = summary
        place = self._place(turn_id)
        self._tell(ToolStarted(**place, call_id=call_id, name=name, summary=summary))

    def result(self, turn_id: TurnId, call_id: str, name: str, state: ResultState) -> None:
        made = CallMade(name=name, summary=self._calls[call_id], state=state)
        self._steps.setdefault(turn_id, []).append(made)
        self._tell(ToolEnded(**self._place(turn_id), call_id=call_id, name=name, state=state))

    def absorb(self, turn_id: TurnId, *, into: TurnId) -> None:
        record = self._records[turn_id]
        turn = replace(record.turn, state=TurnState.ABSORBED)
        self._records[turn_id] = replace(record, turn=turn, absorbed_by=into)
        self._tell(TurnAbsorbed(**self._place(turn_id), into=into))

    def finish(
        self,
        turn_id: TurnId,
        text: str,
        *,
        kind: OutcomeKind = OutcomeKind.ANSWERED,
        reason: str = "",
        deliver: bool = True,
    ) -> None:
        """Commit the outcome and its one delivery; deliver it at once unless told otherwise."""
        record = self._records[turn_id]
        deliveries = (_delivery(record.turn, text, kind),) if text else ()
        outcome = Outcome(
            kind=kind,
            text=text if kind is OutcomeKind.ANSWERED else "",
            reason=reason,
            usage=Usage(input_tokens=120, output_tokens=8, model_calls=1),
        )
        turn = replace(record.turn, state=TurnState.FINISHED)
        self._records[turn_id] = replace(
            record, turn=turn, outcome=outcome, ended_at=NOW, deliveries=deliveries
        )
        self._tell(TurnEnded(**self._place(turn_id), outcome=kind, reason=reason))
        if deliver:
            self.deliver(turn_id)

    def deliver(self, turn_id: TurnId) -> None:
        record = self._records[turn_id]
        for delivery in record.deliveries:
            line = self._line(
                record.turn.arrival.inbound.conversation_key,
                turn_id,
                delivery.payload.fallback,
                delivery=delivery,
            )
            place = self._place(turn_id)
            self._tell(Delivered(**place, delivery_id=delivery.id, seq=line.seq))

    def answer(self, turn_id: TurnId, text: str) -> None:
        """The whole of a simple turn."""
        self.start(turn_id)
        self.words(turn_id, *re.findall(r"\S+\s*", text))
        self.made(turn_id, final=True)
        self.finish(turn_id, text)

    # The inside.

    def _claim(self, inbound: Inbound) -> Accepted:
        claim = (inbound.conversation_key, inbound.source)
        if claim in self._claims:
            return replace(self._claims[claim], duplicate=True)
        turn_id = TurnId(f"turn-{len(self._records) + 1}")
        seq = self._seq + 1
        turn = Turn(
            id=turn_id, seq=seq, arrival=_arrival(turn_id, inbound), state=TurnState.WAITING
        )
        self._records[turn_id] = TurnRecord(
            turn=turn, outcome=None, absorbed_by=None, ended_at=None
        )
        if inbound.event is EventClass.INTERACTION:
            self._seq += 1
        else:
            self._line(
                inbound.conversation_key,
                turn_id,
                inbound.text,
                heard=inbound,
            )
        accepted = Accepted(source=inbound.source, turn_id=turn_id, seq=seq)
        self._claims[claim] = accepted
        self.heard.append(Heard(inbound=inbound, turn_id=turn_id))
        self._tell(TurnQueued(**self._place(turn_id)))
        if self.on_message is not None:
            # As in the kernel, a turn takes a moment to begin.
            loop = asyncio.get_running_loop()
            loop.call_later(0.01, self.on_message, turn_id, inbound.text)
        return accepted

    def _line(
        self,
        conversation: ConversationKey,
        turn_id: TurnId,
        text: str,
        *,
        heard: Inbound | None = None,
        delivery: Delivery | None = None,
    ) -> Line:
        self._seq += 1
        steps = self._steps.get(turn_id, [])
        line = Line(
            seq=self._seq,
            direction=Direction.HEARD if delivery is None else Direction.SAID,
            turn_id=turn_id,
            at=NOW,
            text=text,
            source=heard.source if heard else None,
            edited_source=heard.edited_source if heard else None,
            attachments=heard.attachments if heard else (),
            tool_calls=sum(isinstance(step, CallMade) for step in steps) if delivery else 0,
            delivery_id=delivery.id if delivery else None,
            payload=delivery.payload if delivery else None,
        )
        self._lines.append((conversation, line))
        return line

    def _listed(self, conversation: ConversationKey) -> Listed | None:
        lines = [line for key, line in self._lines if key == conversation]
        if not lines:
            return None
        return Listed(
            key=conversation,
            title=self._titles.get(conversation),
            opening=lines[0].text or lines[0].attachments[0].name,
            first_seq=lines[0].seq,
            last_at=lines[-1].at,
        )

    def _place(self, turn_id: TurnId) -> _Place:
        inbound = self._records[turn_id].turn.arrival.inbound
        return _Place(conversation=inbound.conversation_key, turn_id=turn_id)

    def _tell(self, event: Event) -> None:
        if not self.loses_news:
            self._bus.publish(event)

    def _check(self) -> None:
        if self.broken:
            raise StoreUnavailable("Nothing can be written down: the disk is full.")


def _holds(line: Line, words: Sequence[str]) -> bool:
    text = " ".join([line.text, *(file.name for file in line.attachments)]).casefold()
    return all(word.casefold() in text for word in words)


def _is_in(conversation: ConversationKey, place: ConversationKey) -> bool:
    return replace(conversation, thread_id=None) == place


def document(text: str) -> Document:
    """Read the little markup that tests need: paragraphs, and code between fences."""
    blocks: list[Paragraph | CodeBlock] = []
    for part in text.split("\n\n"):
        if part.startswith("```"):
            language, _, code = part.strip("`").partition("\n")
            blocks.append(CodeBlock(code=code.rstrip("\n"), language=language))
        else:
            blocks.append(Paragraph(spans=(Span(text=part),)))
    return Document(blocks=tuple(blocks))


def _arrival(turn_id: TurnId, inbound: Inbound) -> Arrival:
    return Arrival(
        turn_id=turn_id,
        inbound=inbound,
        admission=Dispatch(reason="owner"),
        route=Route(agent_id=AgentId("main"), session_key=SESSION, matched_by="default"),
        rank=Rank.OWNER,
        mode=QueueMode.STEER,
        lane=Lane.PEOPLE,
        target=Target(
            channel=inbound.channel,
            account=inbound.account,
            conversation_id=inbound.conversation.id,
            thread_id=inbound.conversation.thread_id,
        ),
        received_at=NOW,
        fresh_until=NOW,
    )


def _delivery(turn: Turn, text: str, kind: OutcomeKind) -> Delivery:
    stopped_midway = kind is OutcomeKind.INTERRUPTED and "\n\n" in text  # its words, and the mark
    answered = kind is OutcomeKind.ANSWERED or stopped_midway
    return Delivery(
        id=f"{turn.id}:0" if answered else f"{turn.id}!{kind.value}",
        turn_id=turn.id,
        session_key=SESSION,
        target=turn.arrival.target,
        payload=ReplyPayload(
            kind=ReplyKind.ANSWER if answered else ReplyKind.NOTICE,
            body=document(text),
            fallback=text,
        ),
        on_unknown=OnUnknown.REPEAT,
        state=DeliveryState.PENDING,
    )

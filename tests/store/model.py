"""The store as plain lists: what the real one is compared with, verb by verb."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from bot.contracts.delivery import DeliveryState as D
from bot.contracts.delivery import OnUnknown
from bot.contracts.turn import Arrival, Lane, QueueMode
from bot.contracts.turn import TurnState as T

SESSION_CAP = 20
_OPEN = (D.PENDING, D.SENDING, D.UNKNOWN)


@dataclass(slots=True)
class ModelTurn:
    arrival: Arrival
    text: str
    state: T = T.WAITING
    attempt: int = 0
    crashes: int = 0
    held: bool = False
    stop_asked: bool = False


@dataclass(slots=True)
class ModelDelivery:
    id: str
    turn: ModelTurn
    rule: OnUnknown
    state: D = D.PENDING
    attempt: int = 0
    repeats: int = 0
    held: bool = False
    not_before: datetime | None = None

    def due(self, now: datetime) -> bool:
        return not self.held and (self.not_before is None or self.not_before <= now)


@dataclass(slots=True)
class Model:
    """Every list is in the order in which things came."""

    turns: list[ModelTurn] = field(default_factory=list)
    deliveries: list[ModelDelivery] = field(default_factory=list)
    heard: dict[str, list[str]] = field(default_factory=dict)
    ready: dict[Lane, list[str]] = field(default_factory=lambda: {lane: [] for lane in Lane})
    """Sessions where something waits and nothing runs, in the order in which they became so."""

    def waiting(self, session: str) -> list[ModelTurn]:
        return [turn for turn in self._of(session) if turn.state is T.WAITING]

    def running(self, session: str) -> ModelTurn | None:
        return next((turn for turn in self._of(session) if turn.state is T.RUNNING), None)

    def find(self, arrival: Arrival) -> ModelTurn | None:
        here, source = arrival.inbound.conversation_key, arrival.inbound.source
        return next(
            (
                turn
                for turn in self.turns
                if turn.arrival.inbound.source == source
                and turn.arrival.inbound.conversation_key.conversation_id == here.conversation_id
            ),
            None,
        )

    def open(self, arrival: Arrival) -> str:
        session = arrival.route.session_key
        if self.find(arrival) is not None:
            return "duplicate"
        if len(self.waiting(session)) >= SESSION_CAP:
            return "full"
        running = self.running(session)
        if arrival.mode is QueueMode.INTERRUPT and running is not None:
            running.stop_asked = True
        self.turns.append(ModelTurn(arrival, arrival.inbound.text))
        self.line_up(session)
        return "opened"

    def stop(self, arrival: Arrival) -> None:
        session = arrival.route.session_key
        running, waiting = self.running(session), self.waiting(session)
        if running is not None:
            running.stop_asked = True
        for turn in waiting:
            turn.state = T.FINISHED
            self.queue(turn, [f"{turn.arrival.turn_id}!stopped"])
        self.line_up(session)
        stop = ModelTurn(arrival, arrival.inbound.text, T.FINISHED)
        self.turns.append(stop)
        if running is None and not waiting:
            self.queue(stop, [f"{arrival.turn_id}!door:0"])

    def take(self, lanes: Collection[Lane], now: datetime) -> ModelTurn | None:
        left = [t for t in self.turns if t.state is T.RUNNING and not t.held]
        for turn in (*self._people_first(left, lanes), *self._due(lanes, now)):
            if turn.attempt == 0:
                self._hear(turn, turn)
            turn.state, turn.held, turn.attempt = T.RUNNING, True, turn.attempt + 1
            self.line_up(turn.arrival.route.session_key)
            return turn
        return None

    def line_up(self, session: str) -> None:
        """Give a session a place at the end of each line where it has to stand, or take it away."""
        idle = self.running(session) is None
        for lane, line in self.ready.items():
            stands = idle and any(t.arrival.lane is lane for t in self.waiting(session))
            if stands and session not in line:
                line.append(session)
            elif not stands and session in line:
                line.remove(session)

    def _due(self, lanes: Collection[Lane], now: datetime) -> list[ModelTurn]:
        due = []
        for lane in (Lane.PEOPLE, Lane.BACKGROUND):
            for session in self.ready[lane] if lane in lanes else ():
                due += [
                    turn
                    for turn in self.waiting(session)
                    if turn.arrival.lane is lane
                    and (turn.arrival.not_before is None or turn.arrival.not_before <= now)
                ][:1]
        return due

    def absorb(self, host: ModelTurn, modes: Collection[QueueMode], now: datetime) -> list[str]:
        joining = [
            turn
            for turn in self.waiting(host.arrival.route.session_key)
            if not host.stop_asked
            and turn.arrival.mode in modes
            and turn.arrival.rank >= host.arrival.rank
            and turn.arrival.inbound.conversation_key == host.arrival.inbound.conversation_key
            and (turn.arrival.not_before is None or turn.arrival.not_before <= now)
        ]
        for turn in joining:
            turn.state = T.ABSORBED
            self._hear(host, turn)
        return [turn.text for turn in joining]

    def finish(self, turn: ModelTurn, rule: OnUnknown, parts: int) -> None:
        turn.state, turn.held = T.FINISHED, False
        self.line_up(turn.arrival.route.session_key)
        self.queue(turn, [f"{turn.arrival.turn_id}:{n}" for n in range(parts)], rule)

    def queue(
        self, turn: ModelTurn, ids: list[str], rule: OnUnknown = OnUnknown.REPEAT_ONCE
    ) -> None:
        self.deliveries += [ModelDelivery(id=one, turn=turn, rule=rule) for one in ids]

    def lease(self, now: datetime) -> ModelDelivery | None:
        first: dict[object, ModelDelivery] = {}
        for one in self.deliveries:
            if one.state in _OPEN:
                first.setdefault(one.turn.arrival.target.conversation_key, one)
        for one in first.values():
            if one.due(now):
                one.held, one.attempt = True, one.attempt + 1
                one.state = D.SENDING if one.state is D.PENDING else D.UNKNOWN
                return one
        return None

    def give_up(self, gone: ModelDelivery, state: D) -> None:
        later = self.deliveries[self.deliveries.index(gone) + 1 :]
        gone.state, gone.held = state, False
        for one in later:
            if "!" not in gone.id + one.id and one.turn is gone.turn and one.state is D.PENDING:
                one.state = D.CANCELLED

    def crash(self) -> None:
        for turn in self.turns:
            turn.crashes += turn.held
            turn.held = False
        for one in self.deliveries:
            one.held = False
            if one.state is D.SENDING:
                one.state = D.UNKNOWN

    def _of(self, session: str) -> list[ModelTurn]:
        return [turn for turn in self.turns if turn.arrival.route.session_key == session]

    def _hear(self, host: ModelTurn, turn: ModelTurn) -> None:
        self.heard.setdefault(host.arrival.route.session_key, []).append(turn.text)

    @staticmethod
    def _people_first(turns: list[ModelTurn], lanes: Collection[Lane]) -> list[ModelTurn]:
        allowed = [turn for turn in turns if turn.arrival.lane in lanes]
        return sorted(allowed, key=lambda turn: turn.arrival.lane is Lane.BACKGROUND)

"""Which ids are one room: those it had before it moved, and the one it has."""

from collections.abc import Iterable, Mapping

from bot.contracts.moved import Move


class MovedRooms:
    """All moves that were ever reported, in memory. A look-up costs the same however many."""

    def __init__(self, moves: Iterable[Move] = ()) -> None:
        self._first: dict[tuple[str, str, str], str] = {}
        self._names: dict[tuple[str, str, str], tuple[str, ...]] = {}
        for move in moves:
            self.note(move)

    def note(self, move: Move) -> None:
        """Remember a move. The order in which moves are noted does not matter.

        One that was reported before changes nothing, nor does one that leads back, or that
        says of a room's id that it was somebody else's before.
        """
        before = self.first(move.channel, move.account, move.before)
        now = self.first(move.channel, move.account, move.now)
        if before == now or now != move.now:
            return
        names = (
            *self.names(move.channel, move.account, move.before),
            *self.names(move.channel, move.account, move.now),
        )
        for name in names:
            self._first[move.channel, move.account, name] = before
            self._names[move.channel, move.account, name] = names

    def first(self, channel: str, account: str, room_id: str) -> str:
        """Return the id under which the room's session began."""
        return self._first.get((channel, account, room_id), room_id)

    def names(self, channel: str, account: str, room_id: str) -> tuple[str, ...]:
        """Return every id the room has had, the first one first; at least *room_id*."""
        return self._names.get((channel, account, room_id), (room_id,))

    @property
    def all_names(self) -> Mapping[tuple[str, str, str], tuple[str, ...]]:
        """Every id of every room that moved: channel, account and id, and all its ids."""
        return self._names

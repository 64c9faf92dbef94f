"""What becomes true with a turn: writes that are done in the very transaction that keeps the turn, or not at all.

A turn that books, notifies or sends mail only prepares it; with the turn it is kept, and leaves. Whatever kills the
process before that, the event is served again and nothing of it has happened (field lessons of doubled effects).
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from sqlalchemy import Connection

from greenroom.store.locks import Turn

__all__ = ["WORK_TURNS", "TurnWork", "WithTurn"]

WORK_TURNS = (Turn.PEOPLE, Turn.CONVERSATIONS, Turn.APPOINTMENTS)
"""What a transaction needs that does such writes: they may be about any of these."""

WithTurn: TypeAlias = Callable[[Connection], None]
"""One write; it may be called again after a roll-back, so it has no effect of its own."""


class TurnWork:
    """The writes of the turn that is under way; made for one world, used for each of its turns in order."""

    def __init__(self) -> None:
        self._prepared: list[WithTurn] = []
        self.kept = 0
        """How many writes are in the database."""

    def add(self, write: WithTurn) -> None:
        """Do this when the turn is kept; in the order in which they were added."""
        self._prepared.append(write)

    def prepared(self) -> Sequence[WithTurn]:
        """What is to be done now."""
        return tuple(self._prepared)

    def done(self, count: int) -> None:
        """The first `count` of them are in the database."""
        del self._prepared[:count]
        self.kept += count

    def drop(self) -> None:
        """The turn is not kept: forget what it prepared."""
        self._prepared.clear()

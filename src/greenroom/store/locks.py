"""Taking turns between processes, where rows alone don't keep them apart.

Whoever changes rows that other processes change too, has the turn for their subject from the beginning of its
transaction (`Writer.write`), and takes several turns in the order in which they stand here. So nobody waits for a turn
while holding a row or a later turn, and no two processes ever wait for each other.
"""

from collections.abc import Collection
from enum import IntEnum

from sqlalchemy import Connection, func, select

__all__ = ["Turn", "take_turn", "take_turns"]


class Turn(IntEnum):
    """What only one process does at a time. The numbers only have to be unlike anybody else's, and in this order."""

    SCHEMA = 7_305_611
    DEFINITIONS = 7_305_612
    """What people wrote, what is published, and our own keys."""
    PEOPLE = 7_305_613
    """People and what they are known by; also to look at somebody who must stay as they are until the end."""
    CONVERSATIONS = 7_305_614
    """Conversations, and what comes, leaves and happens for them: events, messages, errands, timers, reviews."""
    APPOINTMENTS = 7_305_615
    SANDBOXES = 7_305_616
    """Removing what was kept in them."""


def take_turn(connection: Connection, turn: Turn) -> None:
    """Until this transaction ends no other process holds the same turn. On SQLite every write is such a turn."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(int(turn))))


def take_turns(connection: Connection, turns: Collection[Turn]) -> None:
    """Each of these, in their one order; the first thing of a transaction."""
    for turn in sorted(set(turns)):
        take_turn(connection, turn)

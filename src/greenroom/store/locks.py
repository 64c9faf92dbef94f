"""Taking turns between processes, where rows alone don't keep them apart."""

from enum import IntEnum

from sqlalchemy import Connection, func, select

__all__ = ["Turn", "take_turn"]


class Turn(IntEnum):
    """What only one process does at a time. The numbers only have to be unlike anybody else's."""

    SCHEMA = 7_305_611
    DEFINITIONS = 7_305_612
    PEOPLE = 7_305_613
    CONVERSATIONS = 7_305_614
    APPOINTMENTS = 7_305_615


def take_turn(connection: Connection, turn: Turn) -> None:
    """Until this transaction ends no other process holds the same turn. On SQLite every write is such a turn."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(int(turn))))

"""Rows that leave the platform: what messages of a channel and errands have in common.

A row stays until it has been taken for good, so a dead receiver loses none. Those of one lane leave in order: the next
one waits for the one before. Whoever sends a row takes it for a while by putting `due_at` off; when that process dies,
another one sends it after that while, with the same key. Of one receiver only some rows are under way at a time, so
that one which keeps everybody waiting leaves room for the others.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Connection, Row, Select, func, select

from greenroom.clock import Clock
from greenroom.conversation.sent import SentStatus
from greenroom.store.encoding import visible
from greenroom.store.locks import Turn
from greenroom.store.partition import Rows
from greenroom.store.reader import Reader
from greenroom.store.times import has_come, stamp
from greenroom.store.writer import Writer

__all__ = ["HOLD_S", "Queue", "Queued", "add_once", "new_row", "next_try_at"]

HOLD_S = 60
"""Seconds for which a row is taken; sending one takes less."""


_EACH = 5
"""Rows of one receiver that are under way at a time, in all processes together."""


class Queued(Protocol):
    """What every taken row tells of itself."""

    @property
    def number(self) -> int: ...


class Queue:
    """The rows of one table that wait to leave, and those that left."""

    def __init__(
        self,
        rows: Rows,
        *,
        lane: str,
        receiver: tuple[str, str],
        shown: Select[*tuple[Any, ...]],
        reader: Reader,
        writer: Writer,
        clock: Clock,
    ) -> None:
        """Over these rows.

        Args:
            rows: With the columns `number`, `status`, `tries`, `due_at`, `held_by`, `error` and `finished_at`.
            lane: The column of which the rows that are alike leave in order.
            receiver: The columns of which the rows that are alike are for the same receiver.
            shown: What is read of a taken row: a select from `rows`.
            reader: The way out of the database.
            writer: The way in.
            clock: What time it is.
        """
        self._rows = rows
        self._lane = rows.c[lane]
        self._receiver = tuple(rows.c[name] for name in receiver)
        self._shown = shown
        self._reader = reader
        self._writer = writer
        self._clock = clock

    async def take(self, holder: str, *, limit: int, **of: str) -> Sequence[Row[*tuple[Any, ...]]]:
        """The rows that are due, the first of each lane, for this holder alone during `HOLD_S` seconds.

        `of` are values that columns must have; what has others still comes first in its lane. `tries` of what is given
        back is as it was before this one.
        """
        if not await self._reader.read(lambda connection: connection.execute(self._due(of).limit(1)).first()):
            return ()
        return await self._writer.write(
            lambda connection: self._take(connection, holder, limit, of), Turn.CONVERSATIONS
        )

    async def sent(self, row: Queued, holder: str) -> None:
        """Its receiver has it."""
        await self._finish(row, holder, SentStatus.SENT, None)

    async def refused(self, row: Queued, holder: str, why: str) -> None:
        """Its receiver will never take it: it is kept, and the next one leaves."""
        await self._finish(row, holder, SentStatus.REFUSED, why)

    async def put_off(self, row: Queued, holder: str, why: str, *, seconds: float) -> None:
        """It could not be sent; try again after so many seconds."""
        values = {"due_at": stamp(self._clock, after_s=seconds), "held_by": None, "error": visible(why)}
        later = self._rows.update(values, number=row.number, held_by=holder)
        await self._writer.write(lambda connection: connection.execute(later), Turn.CONVERSATIONS)

    def _due(self, of: Mapping[str, str]) -> Select[*tuple[Any, ...]]:
        columns = self._rows.c
        return self._shown.where(*self._is_due(of)).order_by(columns.due_at, columns.number)

    def _is_due(self, of: Mapping[str, str]) -> Sequence[ColumnElement[bool]]:
        columns = self._rows.c
        waiting = columns.status == SentStatus.WAITING.value
        first = select(func.min(columns.number)).where(waiting).group_by(self._lane)
        named = [columns[name] == value for name, value in of.items()]
        return (waiting, has_come(columns.due_at, self._clock), columns.number.in_(first), *named)

    def _room(self, connection: Connection, of: Mapping[str, str], limit: int) -> Select[*tuple[Any, ...]]:
        """The rows that are due and whose receiver has not as many under way as it may have."""
        columns, receiver = self._rows.c, self._receiver
        held = (columns.held_by.is_not(None), ~has_come(columns.due_at, self._clock))
        counted = select(func.count(), *receiver).where(*held).group_by(*receiver)
        under_way: dict[tuple[Any, ...], int] = {tuple(row[1:]): row[0] for row in connection.execute(counted)}
        place = func.row_number().over(partition_by=receiver, order_by=(columns.due_at, columns.number))
        placed = select(place.label("place"), columns.number, *receiver).where(*self._is_due(of)).subquery()
        chosen = select(placed.c).where(placed.c.place <= _EACH).order_by(placed.c.place, placed.c.number)
        rows: list[tuple[Any, ...]] = [tuple(row) for row in connection.execute(chosen)]
        numbers = [row[1] for row in rows if row[0] + under_way.get(row[2:], 0) <= _EACH]
        return self._due(of).where(columns.number.in_(numbers[:limit]))

    def _take(
        self, connection: Connection, holder: str, limit: int, of: Mapping[str, str]
    ) -> Sequence[Row[*tuple[Any, ...]]]:
        rows = connection.execute(self._room(connection, of, limit)).all()
        for row in rows:
            taken = {"held_by": holder, "due_at": stamp(self._clock, after_s=HOLD_S), "tries": row.tries + 1}
            connection.execute(self._rows.update(taken, number=row.number))
        return rows

    async def _finish(self, row: Queued, holder: str, status: SentStatus, error: str | None) -> None:
        values = {
            "status": status.value,
            "held_by": None,
            "error": None if error is None else visible(error),
            "finished_at": stamp(self._clock),
        }
        finished = self._rows.update(values, number=row.number, held_by=holder)
        await self._writer.write(lambda connection: connection.execute(finished), Turn.CONVERSATIONS)


def new_row(prefix: str, name: str, *, now: str, due_at: str | None = None) -> dict[str, Any]:
    """What every new row has, due at once unless it says otherwise.

    Its key follows from its name, so that the same thing has the same key.
    """
    return {
        "key": f"{prefix}-{sha256(name.encode()).hexdigest()[:40]}",
        "status": SentStatus.WAITING.value,
        "tries": 0,
        "due_at": due_at or now,
        "created_at": now,
    }


def next_try_at(row: Row[*tuple[Any, ...]]) -> str | None:
    """When it is tried again; None when it isn't, or when it is being tried now."""
    return row.due_at if row.status == SentStatus.WAITING.value and row.held_by is None else None


def add_once(connection: Connection, rows: Rows, row: Mapping[str, Any]) -> None:
    """Insert a row unless there is one of its key."""
    if connection.execute(select(rows.c.number).where(rows.c.key == row["key"])).first() is None:
        connection.execute(rows.insert(row))

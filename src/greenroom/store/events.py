"""What happened in a run, append-only: other processes read on from the last event they know (design: durable runs)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, insert, select, update

from greenroom.clock import Clock
from greenroom.conversation.json_values import Json
from greenroom.errors import NotFound
from greenroom.store.encoding import decode_text, encode_text
from greenroom.store.reader import Reader
from greenroom.store.tables import run_events, runs
from greenroom.store.times import stamp
from greenroom.store.writer import Writer

__all__ = ["Events", "StoredEvent", "append_event"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """One event of a run. `seq` counts from 1 within the run, without gaps."""

    seq: int
    kind: str
    at: str
    data: Mapping[str, Json]


_next = (
    update(runs)
    .where(runs.c.run_id == bindparam("of_run"))
    .values(last_event=runs.c.last_event + 1)
    .returning(runs.c.last_event)
)
_append = insert(run_events)


def append_event(connection: Connection, run_id: str, *, kind: str, at: str, data: str) -> int:
    """Append inside a transaction that does something else too; gives the event's number.

    The run's row is held until the commit, so that numbers become visible in their order and without gaps.

    Raises:
        NotFound: there is no such run.
    """
    seq = connection.execute(_next, {"of_run": run_id}).scalar_one_or_none()
    if seq is None:
        raise NotFound("run", run_id)
    connection.execute(_append, {"run_id": run_id, "seq": seq, "kind": kind, "at": at, "data": data})
    return seq


class Events:
    """The events of every run."""

    def __init__(self, *, reader: Reader, writer: Writer, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._clock = clock

    async def append(self, run_id: str, kind: str, data: Mapping[str, Json]) -> int:
        """Append one; gives its number.

        Raises:
            NotFound: there is no such run.
        """
        text = encode_text(data)
        at = stamp(self._clock)
        return await self._writer.write(
            lambda connection: append_event(connection, run_id, kind=kind, at=at, data=text)
        )

    async def after(self, run_id: str, seq: int = 0, *, limit: int = 500) -> Sequence[StoredEvent]:
        """What came after the event with this number, the earliest first; 0 is from the beginning."""
        query = (
            select(run_events.c.seq, run_events.c.kind, run_events.c.at, run_events.c.data)
            .where(run_events.c.run_id == run_id, run_events.c.seq > seq)
            .order_by(run_events.c.seq)
            .limit(limit)
        )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(
            StoredEvent(seq=row.seq, kind=row.kind, at=row.at, data=decode_text(dict[str, Json], row.data))
            for row in rows
        )

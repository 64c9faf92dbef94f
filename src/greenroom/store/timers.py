"""What happens by itself at a time: reminders, follow-ups and outreach; always live (features.md A7, A10).

There is at most one timer of a kind, agent, name and subject, so nothing is ever said twice. A timer that fires is
marked in the very transaction that keeps what it says: whatever kills the process, both are there or neither, and of
two processes that fire it at once one keeps nothing.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, case, func, select

from greenroom.clock import Clock
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.timers import Timer, TimerPage, TimerStatus
from greenroom.errors import StoreError
from greenroom.store.chunks import chunks
from greenroom.store.encoding import visible
from greenroom.store.locks import Turn
from greenroom.store.pages import no_mark
from greenroom.store.partition import Share
from greenroom.store.reader import Reader
from greenroom.store.tables import outbox, timers
from greenroom.store.times import as_utc, stamp
from greenroom.store.turn_work import WORK_TURNS, WithTurn
from greenroom.store.writer import Writer

__all__ = ["NewTimer", "NotSaid", "TimerFilter", "Timers"]


_EVERY_END = frozenset({TimerStatus.DONE, TimerStatus.SKIPPED, TimerStatus.CANCELLED})


class NotSaid(StoreError):
    """Something that an agent was to say by itself, when what it rested on has changed; nothing was kept."""

    def __init__(self, why: str, *, becomes: TimerStatus | None = TimerStatus.SKIPPED) -> None:
        self.why = why
        self.becomes = becomes
        """What becomes of its timer; None: it may be said another time."""
        super().__init__(f"it was not said: {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTimer:
    """A timer, before it is kept."""

    kind: OwnMessageKind
    agent: str
    name: str
    subject: str
    due_at: datetime
    """With a time zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerFilter:
    """Which timers; left out, all of them."""

    kind: OwnMessageKind | None = None
    agent: str | None = None
    names: tuple[str, ...] = ()
    """One of these; left out, any."""
    status: TimerStatus | None = None


class Timers:
    """The timers of one share."""

    def __init__(self, *, reader: Reader, writer: Writer, share: Share, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._rows = timers.of(share)
        self._outbox = outbox.of(share)
        self._clock = clock

    async def enrol(self, new: Sequence[NewTimer], *, again: frozenset[TimerStatus] = frozenset()) -> int:
        """Keep those that are not there yet, and let those wait anew that ended so; how many wait now of these."""

        def work(connection: Connection) -> int:
            return sum(self._enrol(connection, timer, again) for timer in new)

        return await self._writer.write(work, Turn.CONVERSATIONS)

    def setting(self, timer: NewTimer) -> WithTurn:
        """The write that sets a timer to its time, whatever became of it before, as an appointment is booked or moved.

        For `TurnWork.add` or any transaction of the store.
        """

        def write(connection: Connection) -> None:
            self._enrol(connection, timer, _EVERY_END | {TimerStatus.WAITING})

        return write

    def cancelling(self, kind: OwnMessageKind, subject: str, why: str) -> WithTurn:
        """The write that cancels the timers of a kind that wait for something, as an appointment is cancelled."""

        def write(connection: Connection) -> None:
            named = {"kind": kind.value, "subject": visible(subject), "status": TimerStatus.WAITING.value}
            connection.execute(self._rows.update(self._ended(TimerStatus.CANCELLED, why), **named))

        return write

    def firing(self, timer: Timer) -> WithTurn:
        """The write that marks it done; it raises `NotSaid` when it doesn't wait any more."""

        def write(connection: Connection) -> None:
            done = self._rows.update(self._ended(TimerStatus.DONE, None), **_waiting(timer))
            if not connection.execute(done).rowcount:
                raise NotSaid("another process has done it", becomes=None)

        return write

    async def due(self, kind: OwnMessageKind, agent: str, *, limit: int, names: Sequence[str] = ()) -> Sequence[Timer]:
        """Those of an agent that wait and whose time has come, the earliest first; of these names, or of any."""
        columns = self._rows.c
        wanted = TimerFilter(kind=kind, agent=agent, names=tuple(names), status=TimerStatus.WAITING)
        query = (
            select(self._rows.source)
            .where(*self._conditions(wanted), columns.due_at <= stamp(self._clock))
            .order_by(columns.due_at, columns.number)
            .limit(limit)
        )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(_timer(row) for row in rows)

    async def of_subjects(self, kind: OwnMessageKind, agent: str, subjects: Sequence[str]) -> Sequence[Timer]:
        """Every timer of a kind for these."""
        columns, found = self._rows.c, list[Timer]()
        for named in chunks(map(visible, subjects)):
            query = select(self._rows.source).where(
                columns.kind == kind.value, columns.agent == visible(agent), columns.subject.in_(named)
            )
            rows = await self._reader.read(lambda connection, query=query: connection.execute(query).all())
            found += [_timer(row) for row in rows]
        return await self._with_deliveries(found)

    async def of_subject(self, kind: OwnMessageKind, subject: str) -> Sequence[Timer]:
        """Those of a kind for one conversation or appointment, the earliest first."""
        columns = self._rows.c
        query = (
            select(self._rows.source)
            .where(columns.kind == kind.value, columns.subject == visible(subject))
            .order_by(columns.due_at, columns.number)
        )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return await self._with_deliveries([_timer(row) for row in rows])

    async def end(self, timer: Timer, status: TimerStatus, why: str) -> None:
        """Skip or cancel one, unless it ended in the meantime."""
        ended = self._rows.update(self._ended(status, why), **_waiting(timer))
        await self._writer.write(lambda connection: connection.execute(ended), Turn.CONVERSATIONS)

    async def end_all(self, kind: OwnMessageKind, agent: str, name: str, status: TimerStatus, why: str) -> None:
        """Skip or cancel all of this name that wait."""
        named = {"kind": kind.value, "agent": visible(agent), "name": visible(name)}
        ended = self._rows.update(self._ended(status, why), **named, status=TimerStatus.WAITING.value)
        await self._writer.write(lambda connection: connection.execute(ended), Turn.CONVERSATIONS)

    async def drop_forgotten(self, kind: OwnMessageKind, agent: str, known: Set[str]) -> None:
        """Cancel what waits under a name that the agent no longer has."""
        waiting = await self.counts(TimerFilter(kind=kind, agent=agent, status=TimerStatus.WAITING))
        for name in waiting.keys() - known:
            await self.end_all(kind, agent, name, TimerStatus.CANCELLED, "the agent has it no longer")

    async def fire(self, timer: Timer, *writes: WithTurn) -> None:
        """Mark one done together with these writes, or do neither. Raises `NotSaid` as `firing` does."""

        def work(connection: Connection) -> None:
            for write in (self.firing(timer), *writes):
                write(connection)

        await self._writer.write(work, *(WORK_TURNS if writes else (Turn.CONVERSATIONS,)))

    async def put_off(self, timer: Timer, until: datetime) -> None:
        """Let it wait until this moment."""
        later = self._rows.update({"due_at": as_utc(until)}, **_waiting(timer))
        await self._writer.write(lambda connection: connection.execute(later), Turn.CONVERSATIONS)

    async def page(self, wanted: TimerFilter, *, limit: int = 50, after: str | None = None) -> TimerPage:
        """Some timers, the newest first; `after` is the `next` of the page before.

        Raises:
            UsageError: `after` is no such mark.
        """
        columns = self._rows.c
        query = select(self._rows.source).where(*self._conditions(wanted)).order_by(columns.number.desc())
        if after is not None:
            query = query.where(columns.number < _placed(after))
        rows = await self._reader.read(lambda connection: connection.execute(query.limit(limit + 1)).all())
        shown = await self._with_deliveries([_timer(row) for row in rows[:limit]])
        return TimerPage(timers=shown, next=str(shown[-1].number) if len(rows) > limit and shown else None)

    async def counts(self, wanted: TimerFilter) -> Mapping[str, Mapping[TimerStatus, int]]:
        """How many there are by name and status."""
        columns = self._rows.c
        query = (
            select(columns.name, columns.status, func.count().label("timers"))
            .where(*self._conditions(wanted))
            .group_by(columns.name, columns.status)
            .order_by(columns.name, columns.status)
        )
        found: dict[str, dict[TimerStatus, int]] = {}
        for row in await self._reader.read(lambda connection: connection.execute(query).all()):
            found.setdefault(row.name, {})[TimerStatus(row.status)] = row.timers
        return found

    async def undelivered(self, wanted: TimerFilter) -> Mapping[str, Mapping[SentStatus, int]]:
        """How many were said whose channel does not have it, by name: what waits to leave, and what was refused."""
        columns = self._rows.c
        query = self._not_sent().where(*self._conditions(wanted)).group_by(columns.number, columns.name).subquery()
        counted = (
            select(query.c.name, query.c.became, func.count().label("timers"))
            .group_by(query.c.name, query.c.became)
            .order_by(query.c.name, query.c.became.desc())
        )
        found: dict[str, dict[SentStatus, int]] = {}
        for row in await self._reader.read(lambda connection: connection.execute(counted).all()):
            found.setdefault(row.name, {})[SentStatus(row.became)] = row.timers
        return found

    async def _with_deliveries(self, found: Sequence[Timer]) -> tuple[Timer, ...]:
        """These, with what became of what they had said."""
        columns, unsent = self._rows.c, dict[int, Row[*tuple[Any, ...]]]()
        said = [timer.number for timer in found if timer.status is TimerStatus.DONE]
        for some in chunks(said):
            among = columns.number.in_(some)
            query = self._not_sent().where(among).group_by(columns.number, columns.name)
            rows = await self._reader.read(lambda connection, query=query: connection.execute(query).all())
            unsent |= {row.number: row for row in rows}
        return tuple(
            _delivered(timer, unsent.get(timer.number)) if timer.status is TimerStatus.DONE else timer
            for timer in found
        )

    def _not_sent(self) -> Select[*tuple[Any, ...]]:
        """Each that was said, once grouped, with what became of its message when that is not with its channel.

        A timer that was set anew is asked for its last message alone.
        """
        timer, message = self._rows.c, self._outbox.c
        joined = (message.timer == timer.number) & (message.created_at >= timer.created_at)
        # Of several messages one that waits decides: "waiting" comes after "refused".
        waits = (message.status == SentStatus.WAITING.value) & message.held_by.is_(None) & (message.tries > 0)
        return (
            select(
                timer.number,
                timer.name,
                func.max(message.status).label("became"),
                func.max(message.error).label("error"),
                func.max(case((waits, message.due_at))).label("next_try_at"),
            )
            .join_from(self._rows.source, self._outbox.source, joined)
            .where(timer.status == TimerStatus.DONE.value, message.status != SentStatus.SENT.value)
        )

    def _enrol(self, connection: Connection, new: NewTimer, again: frozenset[TimerStatus]) -> bool:
        columns = self._rows.c
        named = {
            "kind": new.kind.value,
            "agent": visible(new.agent),
            "name": visible(new.name),
            "subject": visible(new.subject),
        }
        waiting = {
            "due_at": as_utc(new.due_at),
            "status": TimerStatus.WAITING.value,
            "why": None,
            "created_at": stamp(self._clock),
            "finished_at": None,
        }
        query = select(columns.number, columns.status).where(*(columns[key] == value for key, value in named.items()))
        known = connection.execute(query).one_or_none()
        if known is None:
            connection.execute(self._rows.insert({**named, **waiting}))
        elif TimerStatus(known.status) in again:
            connection.execute(self._rows.update(waiting, number=known.number))
        else:
            return False
        return True

    def _conditions(self, wanted: TimerFilter) -> Sequence[ColumnElement[bool]]:
        columns = self._rows.c
        exactly = {
            columns.kind: wanted.kind,
            columns.agent: wanted.agent,
            columns.status: wanted.status,
        }
        conditions = [column == visible(str(value)) for column, value in exactly.items() if value is not None]
        named = [columns.name.in_([visible(name) for name in wanted.names])] if wanted.names else []
        return [*conditions, *named]

    def _ended(self, status: TimerStatus, why: str | None) -> Mapping[str, Any]:
        told = None if why is None else visible(why)
        return {"status": status.value, "why": told, "finished_at": stamp(self._clock)}


def _waiting(timer: Timer) -> Mapping[str, Any]:
    """Names a timer as long as it waits for the time that it was read with."""
    return {"number": timer.number, "status": TimerStatus.WAITING.value, "due_at": timer.due_at}


def _timer(row: Row[*tuple[Any, ...]]) -> Timer:
    return Timer(
        number=row.number,
        kind=OwnMessageKind(row.kind),
        agent=row.agent,
        name=row.name,
        subject=row.subject,
        due_at=row.due_at,
        status=TimerStatus(row.status),
        why=row.why,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )


def _placed(mark: str) -> int:
    if not mark.isdecimal():
        raise no_mark(mark)
    return int(mark)


def _delivered(timer: Timer, unsent: Row[*tuple[Any, ...]] | None) -> Timer:
    """One that was said, with what became of its message; `unsent` is none when its channel has it."""
    if unsent is None:
        return replace(timer, delivery=SentStatus.SENT)
    return replace(timer, delivery=SentStatus(unsent.became), error=unsent.error, next_try_at=unsent.next_try_at)

"""Appointments of one agent in one share (features.md A5, A8); `world.ports.AppointmentStore`.

Nobody can have a time twice: whoever books takes a turn, so that looking and writing are one step for everybody. In a
live turn a booking is at first a row that holds its time, and a cancellation or the old time of a move is nothing yet;
with the turn they become true, in its very transaction. A turn that is not kept leaves at most a hold, which runs out
by itself, and which goes at once when the same conversation is served again.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeAlias

from sqlalchemy import Connection, select

from greenroom.clock import Clock
from greenroom.conversation.appointments import Appointment, AppointmentStatus, Busy
from greenroom.errors import HoldLost, NotFound, TimeTaken
from greenroom.store.encoding import decode_text, encode_text, visible
from greenroom.store.locks import Turn
from greenroom.store.partition import Share
from greenroom.store.reader import Reader
from greenroom.store.tables import appointments
from greenroom.store.times import as_utc, stamp
from greenroom.store.turn_work import TurnWork, WithTurn
from greenroom.store.writer import Writer

__all__ = ["HOLD_S", "Appointments"]

HOLD_S = 300
"""Seconds for which a turn under way holds a time; a turn takes less (`reply_seconds` and `settle_seconds`). One that
takes longer keeps its time all the same, unless somebody else has booked it by then."""

_BOOKED = AppointmentStatus.BOOKED.value


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """What this turn did, as the turn itself sees it already, and how it becomes true with the turn."""

    appointment: Appointment
    write: WithTurn

    def __call__(self, connection: Connection) -> None:
        """Make it true."""
        self.write(connection)


class _Keep(Protocol):
    def __call__(self, connection: Connection, until: str) -> None: ...


_Seen: TypeAlias = Mapping[str, Appointment]
"""The appointments that this turn made, moved or cancelled, by their id."""


class Appointments:
    """Reads, books, moves and cancels. Without `with_turn` everything is true at once."""

    def __init__(
        self,
        *,
        reader: Reader,
        writer: Writer,
        share: Share,
        clock: Clock,
        agent: str,
        conversation: str = "",
        with_turn: TurnWork | None = None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._rows = appointments.of(share)
        self._clock = clock
        self._agent = visible(agent)
        self._conversation = visible(conversation)
        self._with_turn = with_turn
        self._writing = asyncio.Lock()

    async def busy(self, since: datetime, until: datetime) -> Sequence[Busy]:
        """The agent's times that are taken between two moments, the earliest first; holds of others included.

        What this turn freed is free for it already.
        """
        seen = self._seen()
        found = await self._reader.read(lambda connection: self._taken(connection, seen, since, until))
        times = [Busy(start=each.start, end=each.end, representative=each.representative) for each in found]
        return tuple(sorted(times, key=lambda busy: (busy.start, busy.end)))

    async def of_person(self, person_id: str) -> Sequence[Appointment]:
        """A person's appointments, the earliest first, cancelled ones included; what this turn did is seen."""
        columns = self._rows.c
        query = select(columns.body).where(
            columns.person_id == visible(person_id), columns.agent == self._agent, columns.held_until.is_(None)
        )
        bodies = await self._reader.read(lambda connection: connection.execute(query).scalars().all())
        kept = [decode_text(Appointment, body) for body in bodies]
        seen = self._seen()
        mine = [each for each in seen.values() if each.person_id == person_id]
        found = [*(each for each in kept if each.appointment_id not in seen), *mine]
        return tuple(sorted(found, key=lambda each: (each.start, each.appointment_id)))

    async def known(self, ids: Collection[str]) -> Collection[str]:
        """Which of these appointments are the agent's, in this share."""
        columns = self._rows.c
        query = select(columns.appointment_id).where(
            columns.agent == self._agent, columns.appointment_id.in_([visible(each) for each in ids])
        )
        return frozenset(await self._reader.read(lambda connection: connection.execute(query).scalars().all()))

    async def book(self, appointment: Appointment) -> Appointment:
        """Keep a new one; its id is given here.

        Raises:
            TimeTaken: somebody else has the time.
        """
        made = _as_kept(replace(appointment, appointment_id=self._clock.new_id("appointment")))
        name = made.appointment_id

        def keep(connection: Connection, until: str) -> None:
            self._hold_over(connection, name, until, {"held_until": None, "updated_at": stamp(self._clock)})

        return await self._take(made, row=name, moves=None, keep=keep)

    async def move(self, appointment_id: str, *, start: datetime, end: datetime, representative: str) -> Appointment:
        """Another time for one that is booked.

        Raises:
            NotFound: there is no such appointment, or it is cancelled.
            TimeTaken: somebody else has the time.
        """
        before = await self._get(appointment_id)
        if before.status is not AppointmentStatus.BOOKED:
            raise NotFound("booked appointment", appointment_id)
        to = {"start": start, "end": end, "representative": representative}
        moved = _as_kept(replace(before, **to))
        row = self._clock.new_id("hold")

        def keep(connection: Connection, until: str) -> None:
            self._hold_over(connection, row, until, None)
            self._change(connection, appointment_id, to, only_booked=True)

        return await self._take(moved, row=row, moves=appointment_id, keep=keep)

    async def cancel(self, appointment_id: str) -> Appointment:
        """Take one back; a second time changes nothing.

        Raises:
            NotFound: there is no such appointment.
        """
        before = await self._get(appointment_id)
        if before.status is AppointmentStatus.CANCELLED:
            return before
        status = {"status": AppointmentStatus.CANCELLED}
        cancelled = replace(before, **status)

        def write(connection: Connection) -> None:
            self._change(connection, appointment_id, status, only_booked=False)

        if self._with_turn is None:
            await self._writer.write(write, Turn.APPOINTMENTS)
        else:
            self._with_turn.add(_Change(appointment=cancelled, write=write))
        return cancelled

    async def _take(self, appointment: Appointment, *, row: str, moves: str | None, keep: _Keep) -> Appointment:
        """Have its time: held until the turn is kept, or for good at once."""
        work = self._with_turn
        # One after the other: a hold that isn't among the turn's changes yet would look as if an earlier turn left it.
        async with self._writing:
            seen = self._seen()
            until = as_utc(self._clock.now() + timedelta(seconds=HOLD_S))
            times = {"held_until": until, "moves": moves}

            def take(connection: Connection) -> None:
                self._drop_old_holds(connection, seen)
                self._refuse_taken(connection, seen, appointment)
                now = stamp(self._clock)
                of = {"agent": self._agent, "conversation": self._conversation or None, "created_at": now}
                new = {**_columns(appointment), **of, **times, "updated_at": now, "appointment_id": row}
                connection.execute(self._rows.insert(new))
                if work is None:
                    keep(connection, until)

            await self._writer.write(take, Turn.APPOINTMENTS)
            if work is not None:
                work.add(_Change(appointment=appointment, write=lambda connection: keep(connection, until)))
        return appointment

    def _seen(self) -> _Seen:
        changes = () if self._with_turn is None else self._with_turn.prepared()
        return {
            change.appointment.appointment_id: change.appointment for change in changes if isinstance(change, _Change)
        }

    async def _get(self, appointment_id: str) -> Appointment:
        """As this turn sees it."""
        seen = self._seen().get(appointment_id)
        if seen is not None:
            return seen
        return await self._reader.read(lambda connection: self._find(connection, appointment_id))

    def _find(self, connection: Connection, appointment_id: str, *, for_update: bool = False) -> Appointment:
        columns = self._rows.c
        query = select(columns.body).where(
            columns.appointment_id == visible(appointment_id),
            columns.agent == self._agent,
            columns.held_until.is_(None),
        )
        if for_update:
            query = query.with_for_update()
        body = connection.execute(query).scalar_one_or_none()
        if body is None:
            raise NotFound("appointment", appointment_id)
        return decode_text(Appointment, body)

    def _taken(self, connection: Connection, seen: _Seen, since: datetime, until: datetime) -> list[Appointment]:
        """What stands between two moments, as this turn sees it."""
        columns = self._rows.c
        query = select(columns.appointment_id, columns.conversation, columns.held_until, columns.body).where(
            columns.agent == self._agent,
            columns.status == _BOOKED,
            columns.end_at > as_utc(since),
            columns.start_at < as_utc(until),
        )
        now = stamp(self._clock)
        others = [
            decode_text(Appointment, row.body)
            for row in connection.execute(query)
            if row.appointment_id not in seen
            and (row.held_until is None or self._is_held_from_us(row.conversation, row.held_until, now))
        ]
        booked = (each for each in seen.values() if each.status is AppointmentStatus.BOOKED)
        return [*others, *(each for each in booked if each.end > since and each.start < until)]

    def _is_held_from_us(self, holder: str | None, until: str, now: str) -> bool:
        """Our own holds are among what this turn did, or were left by a turn that was not kept."""
        return until > now and not (self._conversation and holder == self._conversation)

    def _refuse_taken(self, connection: Connection, seen: _Seen, wanted: Appointment) -> None:
        for each in self._taken(connection, seen, wanted.start, wanted.end):
            if each.appointment_id != wanted.appointment_id and each.representative == wanted.representative:
                raise TimeTaken(wanted.start.isoformat(timespec="minutes"))

    def _drop_old_holds(self, connection: Connection, seen: _Seen) -> None:
        """Those that have run out, and those that an earlier try at this turn left."""
        columns = self._rows.c
        held = select(columns.appointment_id, columns.conversation, columns.moves, columns.held_until).where(
            columns.agent == self._agent, columns.held_until > ""
        )
        now = stamp(self._clock)
        for hold in connection.execute(held).all():
            is_this_turns = (hold.moves or hold.appointment_id) in seen
            if not is_this_turns and not self._is_held_from_us(hold.conversation, hold.held_until, now):
                # By both columns: what has become true in the meantime must stay.
                gone = self._rows.delete(appointment_id=hold.appointment_id, held_until=hold.held_until)
                connection.execute(gone)

    def _hold_over(self, connection: Connection, row: str, until: str, values: Mapping[str, Any] | None) -> None:
        """End a hold: let its row go, or become an appointment. Raises `HoldLost` when somebody took it away."""
        mine = {"appointment_id": row, "held_until": until}
        ending = self._rows.delete(**mine) if values is None else self._rows.update(values, **mine)
        if not connection.execute(ending).rowcount:
            raise HoldLost(self._conversation, "held a time that is taken by now")

    def _change(
        self, connection: Connection, appointment_id: str, values: Mapping[str, Any], *, only_booked: bool
    ) -> None:
        before = self._find(connection, appointment_id, for_update=True)
        if only_booked and before.status is not AppointmentStatus.BOOKED:
            raise HoldLost(self._conversation, f"moves the appointment {appointment_id!r}, which is cancelled by now")
        columns = {**_columns(replace(before, **values)), "updated_at": stamp(self._clock)}
        connection.execute(self._rows.update(columns, appointment_id=visible(appointment_id)))


def _as_kept(appointment: Appointment) -> Appointment:
    """As it will be read: the moments with the offset that they were written with."""
    return decode_text(Appointment, encode_text(appointment))


def _columns(appointment: Appointment) -> dict[str, Any]:
    person = appointment.person_id
    return {
        "representative": visible(appointment.representative),
        "status": appointment.status.value,
        "start_at": as_utc(appointment.start),
        "end_at": as_utc(appointment.end),
        "person_id": None if person is None else visible(person),
        "body": encode_text(appointment),
    }

"""Looking at the appointments of one share: one of them, or a page in the order of their beginning.

What a turn under way only holds is no appointment yet, and in no list.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, select, tuple_

from greenroom.conversation.appointments import Appointment, AppointmentPage, AppointmentRecord, AppointmentStatus
from greenroom.errors import NotFound
from greenroom.store.encoding import decode_text, visible
from greenroom.store.pages import mark_of, place_of
from greenroom.store.partition import Share
from greenroom.store.reader import Reader
from greenroom.store.tables import appointments
from greenroom.store.times import as_utc

__all__ = ["AppointmentFilter", "AppointmentLists"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointmentFilter:
    """Which appointments; left out, all of them."""

    agent: str | None = None
    person_id: str | None = None
    representative: str | None = None
    """Empty: those that are with nobody in particular."""
    status: AppointmentStatus | None = None
    since: datetime | None = None
    """Those that begin at this moment or later."""
    until: datetime | None = None
    """Those that begin before this moment."""


class AppointmentLists:
    """Reads; what is booked, moved and cancelled stands in `Appointments`."""

    def __init__(self, *, reader: Reader, share: Share) -> None:
        self._reader = reader
        self._rows = appointments.of(share)

    async def page(self, wanted: AppointmentFilter, *, limit: int = 50, after: str | None = None) -> AppointmentPage:
        """Some appointments, the earliest first; `after` is the `next` of the page before.

        Raises:
            UsageError: `after` is no such mark.
        """
        columns = self._rows.c
        query = self._narrowed(wanted).order_by(columns.start_at, columns.appointment_id).limit(limit + 1)
        if after is not None:
            query = query.where(
                tuple_(columns.start_at, columns.appointment_id) > tuple_(*place_of(after, "appointments"))
            )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        shown = rows[:limit]
        more = len(rows) > limit and shown
        return AppointmentPage(
            appointments=tuple(_record(row) for row in shown),
            next=mark_of(shown[-1].start_at, shown[-1].appointment_id) if more else None,
        )

    async def get(self, appointment_id: str) -> AppointmentRecord:
        """One appointment.

        Raises:
            NotFound: there is none of that id in this share.
        """
        query = self._query().where(self._rows.c.appointment_id == visible(appointment_id))

        def read(connection: Connection) -> Row[*tuple[Any, ...]] | None:
            return connection.execute(query).one_or_none()

        row = await self._reader.read(read)
        if row is None:
            raise NotFound("appointment", appointment_id)
        return _record(row)

    def _query(self) -> Select[*tuple[Any, ...]]:
        columns = self._rows.c
        return select(
            columns.appointment_id,
            columns.agent,
            columns.conversation,
            columns.start_at,
            columns.body,
            columns.created_at,
            columns.updated_at,
        ).where(columns.held_until.is_(None))

    def _narrowed(self, wanted: AppointmentFilter) -> Select[*tuple[Any, ...]]:
        columns, query = self._rows.c, self._query()
        exactly = {
            columns.agent: wanted.agent,
            columns.person_id: wanted.person_id,
            columns.representative: wanted.representative,
            columns.status: None if wanted.status is None else wanted.status.value,
        }
        query = query.where(*(column == visible(value) for column, value in exactly.items() if value is not None))
        if wanted.since is not None:
            query = query.where(columns.start_at >= as_utc(wanted.since))
        if wanted.until is not None:
            query = query.where(columns.start_at < as_utc(wanted.until))
        return query


def _record(row: Row[*tuple[Any, ...]]) -> AppointmentRecord:
    return AppointmentRecord(
        appointment=decode_text(Appointment, row.body),
        agent=row.agent,
        conversation=row.conversation,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )

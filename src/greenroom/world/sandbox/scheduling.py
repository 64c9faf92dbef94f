"""Appointments of one case, captured (features.md A5, A8): they block their time for that case only.

What is really taken is read for real, unless the case says under `world.calendar` what is.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

from greenroom.conversation.appointments import Appointment, AppointmentStatus, Busy
from greenroom.documents.agent import Agent
from greenroom.documents.scheduling import CaseCalendar, Scheduling
from greenroom.documents.suite import Case, PersonStart
from greenroom.documents.zones import zone_named
from greenroom.errors import NotFound, TimeTaken
from greenroom.world.availability import instant

__all__ = ["GivenTimes", "MemoryAppointments", "starting_appointments"]


def starting_appointments(case: Case, agent: Agent, person_id: str) -> Sequence[Appointment]:
    """What a case begins with; times without an offset are the agent's."""
    zone = zone_named(agent.time_zone)
    slot = (agent.scheduling or Scheduling()).slot_minutes
    own = case.person.representative if isinstance(case.person, PersonStart) else ""
    given: list[Appointment] = []
    for number, written in enumerate(case.appointments, start=1):
        start = _moment(written.start, zone)
        length = timedelta(minutes=slot if written.minutes is None else written.minutes)
        given.append(
            Appointment(
                appointment_id=f"appointment-{number}",
                title=written.title,
                start=start,
                end=start + length if written.end is None else _moment(written.end, zone),
                representative=written.representative or own,
                status=written.status,
                person_id=person_id,
                notes=written.notes,
            )
        )
    return given


def _moment(written: datetime, zone: tzinfo) -> datetime:
    return instant(written, zone) if written.tzinfo is None else written


class GivenTimes:
    """What a case says is taken, in place of what really is."""

    def __init__(self, calendar: CaseCalendar, agent: Agent) -> None:
        zone = zone_named(agent.time_zone)
        self._busy = tuple(
            Busy(start=_moment(each.start, zone), end=_moment(each.end, zone), representative=each.representative)
            for each in calendar.busy
        )

    async def busy(self, since: datetime, until: datetime) -> Sequence[Busy]:
        """The times that are taken between two moments."""
        return [each for each in self._busy if each.start < until and each.end > since]


class MemoryAppointments:
    """Appointments in memory: gone when the case is over, and with the process at the latest (features.md A11)."""

    def __init__(self, given: Sequence[Appointment] = ()) -> None:
        self._kept = {each.appointment_id: each for each in given}

    async def busy(self, since: datetime, until: datetime) -> Sequence[Busy]:
        """The times that are taken between two moments."""
        return [
            Busy(start=each.start, end=each.end, representative=each.representative)
            for each in self._booked()
            if each.start < until and each.end > since
        ]

    async def of_person(self, person_id: str) -> Sequence[Appointment]:
        """A person's appointments, the earliest first, cancelled ones included."""
        mine = (each for each in self._kept.values() if each.person_id == person_id)
        return sorted(mine, key=lambda each: (each.start, each.appointment_id))

    async def book(self, appointment: Appointment) -> Appointment:
        """Keep a new one. Raises `TimeTaken` when its representative has another then."""
        return self._keep(replace(appointment, appointment_id=f"appointment-{len(self._kept) + 1}"))

    async def move(self, appointment_id: str, *, start: datetime, end: datetime, representative: str) -> Appointment:
        """Another time for one that is booked. Raises `NotFound`, `TimeTaken`."""
        before = self._get(appointment_id)
        if before.status is not AppointmentStatus.BOOKED:
            raise NotFound("booked appointment", appointment_id)
        return self._keep(replace(before, start=start, end=end, representative=representative))

    async def cancel(self, appointment_id: str) -> Appointment:
        """Take one back; a second time changes nothing. Raises `NotFound`."""
        return self._keep(replace(self._get(appointment_id), status=AppointmentStatus.CANCELLED))

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()

    def _get(self, appointment_id: str) -> Appointment:
        found = self._kept.get(appointment_id)
        if found is None:
            raise NotFound("appointment", appointment_id)
        return found

    def _booked(self) -> list[Appointment]:
        return [each for each in self._kept.values() if each.status is AppointmentStatus.BOOKED]

    def _keep(self, wanted: Appointment) -> Appointment:
        """Keep it as it is now, unless it is to hold at a time that is taken. Nothing else happens in between."""
        for each in self._booked() if wanted.status is AppointmentStatus.BOOKED else ():
            is_another = each.appointment_id != wanted.appointment_id
            overlaps = each.start < wanted.end and each.end > wanted.start
            if is_another and overlaps and each.representative == wanted.representative:
                raise TimeTaken(wanted.start.isoformat(timespec="minutes"))
        self._kept[wanted.appointment_id] = wanted
        return wanted

"""The appointments of a case by the numbers that checks call them by (semantics: checks and matchers)."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from greenroom.conversation.appointments import Appointment, Busy
from greenroom.world.ports import AppointmentStore

__all__ = ["NumberedAppointments"]


class NumberedAppointments:
    """A store of appointments that remembers in which order they were booked in this case.

    Those that were there before come first, in the order in which the case gives them.
    """

    def __init__(self, store: AppointmentStore) -> None:
        self._store = store
        self._booked: list[str] = []

    async def busy(self, since: datetime, until: datetime) -> Sequence[Busy]:
        """The times that are taken between two moments."""
        return await self._store.busy(since, until)

    async def of_person(self, person_id: str) -> Sequence[Appointment]:
        """A person's appointments, the earliest first, cancelled ones included."""
        return await self._store.of_person(person_id)

    async def book(self, appointment: Appointment) -> Appointment:
        """Keep a new one. Raises `TimeTaken`."""
        booked = await self._store.book(appointment)
        self._booked.append(booked.appointment_id)
        return booked

    async def move(self, appointment_id: str, *, start: datetime, end: datetime, representative: str) -> Appointment:
        """Another time for one that is booked. Raises `NotFound`, `TimeTaken`."""
        return await self._store.move(appointment_id, start=start, end=end, representative=representative)

    async def cancel(self, appointment_id: str) -> Appointment:
        """Take one back. Raises `NotFound`."""
        return await self._store.cancel(appointment_id)

    def numbered(self, appointments: Sequence[Appointment]) -> Mapping[str, Appointment]:
        """These by their numbers, from 1; each has the same number at every moment."""
        given = sorted(
            (each for each in appointments if each.appointment_id not in self._booked),
            # The ids of given ones are counted: `appointment-2` comes before `appointment-10`.
            key=lambda each: (len(each.appointment_id), each.appointment_id),
        )
        by_id = {each.appointment_id: each for each in appointments}
        booked = {
            str(len(given) + number): by_id[name] for number, name in enumerate(self._booked, start=1) if name in by_id
        }
        return {**{str(number): each for number, each in enumerate(given, start=1)}, **booked}

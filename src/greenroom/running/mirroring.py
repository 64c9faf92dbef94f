"""Writing appointments into the business's own calendars: the errands of the kind `calendar`.

What is written is the appointment as it stands when the errand is done, so that a repeat changes nothing and errands
that come late undo nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from greenroom.conversation.appointments import AppointmentRecord, AppointmentStatus
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import Person, full_name
from greenroom.documents.agent import Agent
from greenroom.errors import CalendarUnreachable, GreenroomError, NotFound
from greenroom.running.errands import AgentOf
from greenroom.store.appointment_lists import AppointmentLists
from greenroom.store.errands import DueErrand
from greenroom.store.people import People
from greenroom.world.calendars import Calendars, MirroredEvent, calendar_of, home_of
from greenroom.world.live.sending import Sending, SendingResult

__all__ = ["Mirroring"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirroring:
    """Makes calendars say what appointments are like."""

    agent: AgentOf
    calendars: Calendars
    environment: Mapping[str, str]
    appointments: AppointmentLists
    people: People

    async def send(self, errand: DueErrand) -> Sending:
        """One appointment: into the calendar where it belongs, and out of those where it was."""
        body = cast("Mapping[str, Json]", errand.body)
        touched = cast("Sequence[str]", body["calendars"])
        try:
            record = await self.appointments.get(cast("str", body["appointment"]))
        except NotFound as reason:
            return Sending(result=SendingResult.REFUSED, why=str(reason))
        try:
            agent = await self.agent(errand.agent)
            await self._write(agent, record, touched)
        except GreenroomError as reason:
            return Sending(result=SendingResult.FAILED, why=str(reason))
        return Sending(result=SendingResult.SENT)

    async def _write(self, agent: Agent, record: AppointmentRecord, touched: Sequence[str]) -> None:
        """Every calendar, also when one of them fails. Raises the last `CalendarUnreachable`."""
        it = record.appointment
        home = home_of(agent, it.representative) if it.status is AppointmentStatus.BOOKED else None
        failed: CalendarUnreachable | None = None
        places = [*touched] if home is None or home in touched else [*touched, home]
        for key in places:
            try:
                access = calendar_of(agent, key, self.environment)
                if access is not None and key == home:
                    await self.calendars.put(access, await self._event(agent, record))
                elif access is not None:
                    await self.calendars.remove(access, it.appointment_id)
            except CalendarUnreachable as reason:
                failed = reason
        if failed is not None:
            raise failed

    async def _event(self, agent: Agent, record: AppointmentRecord) -> MirroredEvent:
        it = record.appointment
        person = await self._person(it.person_id)
        name = full_name(person) if person is not None else ""
        contact = (person.email, person.phone) if person is not None else ()
        lines = [it.notes, *contact, f"Booked with {agent.name or agent.id}"]
        return MirroredEvent(
            appointment_id=it.appointment_id,
            start=it.start,
            end=it.end,
            title=f"{it.title}: {name}" if name else it.title,
            description="\n".join(line for line in lines if line),
            written_at=datetime.fromisoformat(record.updated_at),
        )

    async def _person(self, person_id: str | None) -> Person | None:
        if person_id is None:
            return None
        try:
            return (await self.people.get(person_id)).person
        except NotFound:
            return None

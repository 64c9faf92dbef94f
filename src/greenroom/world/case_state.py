"""What a case's world holds, for checks of the end state (features.md E1)."""

from dataclasses import dataclass

from greenroom.conversation.appointments import known_of_appointment
from greenroom.conversation.people import known_values
from greenroom.conversation.world_state import WorldState
from greenroom.documents.state import PERSON
from greenroom.world.numbered_appointments import NumberedAppointments
from greenroom.world.ports import People, Scheduling

__all__ = ["CaseState"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseState:
    """Where to look: the case's person, and the appointments of theirs."""

    identity: str
    people: People
    scheduling: Scheduling
    numbered: NumberedAppointments

    async def now(self) -> WorldState:
        """Both as they are persisted now; appointments by the agent's clock."""
        person = await self.people.find(self.identity)
        if person is None:
            return WorldState(roots={"people": {}, "appointments": {}})
        appointments = self.numbered.numbered(await self.scheduling.of_person(person.person_id))
        return WorldState(
            roots={
                "people": {PERSON: known_values(person)},
                "appointments": {number: known_of_appointment(each) for number, each in appointments.items()},
            }
        )

"""The people of one case: its own copy, and whoever the agent puts on record (features.md A5–A7)."""

from dataclasses import replace
from datetime import UTC

from greenroom.clock import Clock
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import Person, with_written
from greenroom.documents.suite import Case, PersonStart
from greenroom.errors import NotFound
from greenroom.world.ports import PeopleStore, WrittenField
from greenroom.world.written import effect_of_writing

__all__ = ["MemoryPeople", "SandboxPeople", "starting_person"]

_VISITOR = PersonStart(first_name="Test", last_name="visitor")


def starting_person(case: Case, person_id: str) -> Person | None:
    """The fresh copy a case starts with; None for a cold inbound (features.md A6). A visitor is called Test visitor."""
    written = _VISITOR if case.person == "visitor" else case.person
    if written is None:
        return None
    return Person(
        person_id=person_id,
        first_name=written.first_name,
        last_name=written.last_name,
        email=written.email,
        phone=written.phone,
        company=written.company,
        title=written.title,
        product_interest=written.product_interest,
        status=written.status,
        representative=written.representative,
        fields=written.fields,
        consent=written.consent,
        notes=written.notes,
        tags=written.tags,
    )


class MemoryPeople:
    """People in memory, found by the conversation identity alone: no phone number finds anybody (features.md A7).

    The sandbox partition of one case: it is gone when the case is over, and with the process at the latest.
    """

    def __init__(self, conversation: str, identity: str, person: Person | None, clock: Clock) -> None:
        self._conversation = conversation
        self._clock = clock
        self._people: dict[str, Person] = {}
        self._bound: dict[str, str] = {}
        if person is not None:
            self._bind(identity, person)

    async def find(self, identity: str) -> Person | None:
        """The person this identity is bound to, as persisted now."""
        person_id = self._bound.get(identity)
        return None if person_id is None else self._people[person_id]

    async def create(self, identity: str) -> Person:
        """A new person bound to this identity; the one already bound, if there is one."""
        return await self.add(Person(person_id=""), identity)

    async def add(self, person: Person, identity: str) -> Person:
        """The same, with what is known of them."""
        found = await self.find(identity)
        if found is None:
            found = replace(person, person_id=f"{self._conversation}/person-{len(self._people) + 1}")
            self._bind(identity, found)
        return found

    async def write(self, person_id: str, field: str, value: Json) -> Person:
        """Set one field. Raises `NotFound` for a person that isn't in this sandbox."""
        before = self._people.get(person_id)
        if before is None:
            raise NotFound("person", person_id)
        at = self._clock.now().astimezone(UTC).isoformat(timespec="milliseconds")
        person = self._people[person_id] = with_written(before, field, value, at)
        return person

    def clear(self) -> None:
        """Remove everybody."""
        self._people.clear()
        self._bound.clear()

    def _bind(self, identity: str, person: Person) -> None:
        self._people[person.person_id] = person
        self._bound[identity] = person.person_id


class SandboxPeople:
    """Writes the case's copy, and says what a live record would have got."""

    def __init__(self, store: PeopleStore) -> None:
        self._store = store

    async def find(self, identity: str) -> Person | None:
        """The person this identity is bound to, as persisted now."""
        return await self._store.find(identity)

    async def create(self, identity: str) -> Person:
        """A new person bound to this identity; the one already bound, if there is one."""
        return await self._store.create(identity)

    async def write(self, person_id: str, field: str, value: Json) -> WrittenField:
        """Set one field of the case's copy. Raises `NotFound` for a person that isn't in this sandbox."""
        person = await self._store.write(person_id, field, value)
        return WrittenField(person=person, effect=effect_of_writing(person_id, field, value, captured=True))

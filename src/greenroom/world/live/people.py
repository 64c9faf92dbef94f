"""People as the store keeps them."""

from greenroom.conversation.json_values import Json
from greenroom.conversation.people import Person, full_name
from greenroom.world.ports import PeopleStore, WrittenField
from greenroom.world.written import effect_of_writing

__all__ = ["LivePeople"]


class LivePeople:
    """Reads and writes customers' records."""

    def __init__(self, store: PeopleStore) -> None:
        self._store = store

    async def find(self, identity: str) -> Person | None:
        """The person this identity is bound to."""
        return await self._store.find(identity)

    async def told_to_the_team(self, identity: str) -> str:
        """Whom the team has to do with: as far as it is known the name, how to reach them, and the channel's name."""
        person = await self.find(identity)
        known = () if person is None else (full_name(person), person.company, person.phone, person.email)
        return ", ".join(dict.fromkeys(one for one in (*known, identity) if one))

    async def create(self, identity: str) -> Person:
        """A new person on record, bound to this identity."""
        return await self._store.create(identity)

    async def write(self, person_id: str, field: str, value: Json) -> WrittenField:
        """Set one field of the record. Raises `NotFound` for a person that isn't on record."""
        person = await self._store.write(person_id, field, value)
        return WrittenField(person=person, effect=effect_of_writing(person_id, field, value, captured=False))

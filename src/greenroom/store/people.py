"""The people of one partition, found by the conversation identity bound to them (features.md A5); `PeopleStore`."""

from sqlalchemy import Connection, insert, select, update

from greenroom.clock import Clock
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import Person, with_field
from greenroom.errors import NotFound
from greenroom.store.encoding import decode_text, encode_text, visible
from greenroom.store.locks import Turn, take_turn
from greenroom.store.partition import Share
from greenroom.store.reader import Reader
from greenroom.store.tables import identities, people
from greenroom.store.times import stamp
from greenroom.store.writer import Writer

__all__ = ["People"]


class People:
    """Reads and writes people. A phone or an email of theirs finds nobody: only a bound identity does."""

    def __init__(self, *, reader: Reader, writer: Writer, share: Share, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._share = share
        self._clock = clock

    async def find(self, identity: str) -> Person | None:
        """The person this identity is bound to."""
        return await self._reader.read(lambda connection: self._find(connection, identity))

    async def create(self, identity: str) -> Person:
        """A new person bound to this identity; the one already bound when two come at once."""
        return await self._writer.write(lambda connection: self._create(connection, identity))

    async def write(self, person_id: str, field: str, value: Json) -> Person:
        """Set one field, core or declared, and give back the person as persisted.

        Raises:
            NotFound: there is no such person in this partition.
        """
        return await self._writer.write(lambda connection: self._write(connection, person_id, field, value))

    def _find(self, connection: Connection, identity: str) -> Person | None:
        query = (
            select(people.c.body)
            .join(identities, identities.c.person_id == people.c.person_id)
            .where(self._share.of(identities), identities.c.identity == visible(identity))
        )
        body = connection.execute(query).scalar_one_or_none()
        return None if body is None else decode_text(Person, body)

    def _create(self, connection: Connection, identity: str) -> Person:
        take_turn(connection, Turn.PEOPLE)
        bound = self._find(connection, identity)
        if bound is not None:
            return bound
        person = Person(person_id=self._clock.new_id("person"))
        now = stamp(self._clock)
        row = {"person_id": person.person_id, "body": encode_text(person), "created_at": now, "updated_at": now}
        binding = {"identity": visible(identity), "person_id": person.person_id}
        connection.execute(insert(people).values({**self._share.columns(), **row}))
        connection.execute(insert(identities).values({**self._share.columns(), **binding}))
        return person

    def _write(self, connection: Connection, person_id: str, field: str, value: Json) -> Person:
        this = (self._share.of(people), people.c.person_id == person_id)
        query = select(people.c.body).where(*this).with_for_update()
        body = connection.execute(query).scalar_one_or_none()
        if body is None:
            raise NotFound("person", person_id)
        written = encode_text(with_field(decode_text(Person, body), field, value))
        connection.execute(update(people).where(*this).values(body=written, updated_at=stamp(self._clock)))
        return decode_text(Person, written)

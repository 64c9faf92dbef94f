"""The people of one share, found by the conversation identity bound to them (features.md A5); `PeopleStore`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, select

from greenroom.clock import Clock
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import Person, searched_text, with_written
from greenroom.errors import NotFound, UsageError
from greenroom.store.encoding import decode_text, encode_text, visible
from greenroom.store.locks import Turn
from greenroom.store.partition import Share
from greenroom.store.people_lists import PeopleLists
from greenroom.store.reader import Reader
from greenroom.store.tables import identities, people, timers
from greenroom.store.times import stamp
from greenroom.store.writer import Writer

__all__ = ["People", "Wanted"]


def _as_they_are(person: Person) -> Person:
    return person


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Somebody as they are to be."""

    identities: tuple[str, ...] = ()
    """What they are to be found by, besides what finds them already; who is new has one at least."""
    person_id: str | None = None
    """None: whoever is bound to one of the identities, else somebody new."""
    change: Callable[[Person], Person] = _as_they_are
    """What is to be known of them, given what is; it may be asked more than once."""


class People(PeopleLists):
    """Reads and writes people. A phone or an email of theirs finds nobody: only a bound identity does."""

    def __init__(self, *, reader: Reader, writer: Writer, share: Share, clock: Clock) -> None:
        self._people = people.of(share)
        self._identities = identities.of(share)
        super().__init__(reader, self._people, self._identities, timers.of(share))
        self._writer = writer
        self._clock = clock

    async def find(self, identity: str) -> Person | None:
        """The person this identity is bound to."""
        return await self._reader.read(lambda connection: self._find(connection, identity))

    async def create(self, identity: str) -> Person:
        """A new person bound to this identity; the one already bound when two come at once."""
        return await self.add(Person(person_id=""), identity)

    async def add(self, person: Person, identity: str) -> Person:
        """The same, with what is known of them. Their id is given here; consent that has no time is given now."""
        return await self._writer.write(lambda connection: self._add(connection, person, identity), Turn.PEOPLE)

    async def write(self, person_id: str, field: str, value: Json) -> Person:
        """Set one field, core or declared, or `consent.KIND`, and give back the person as persisted.

        Raises:
            NotFound: there is no such person in this share.
        """

        def work(connection: Connection) -> Person:
            held = self._held(connection, person_id)
            return self._change(connection, with_written(held, field, value, stamp(self._clock)))

        return await self._writer.write(work, Turn.PEOPLE)

    async def keep(self, wanted: Sequence[Wanted]) -> Sequence[str]:
        """Have all of these be so, or none of them; their ids, in this order.

        Raises:
            NotFound: there is no such person in this share.
            UsageError: an identity finds somebody else.
        """

        def work(connection: Connection) -> Sequence[str]:
            return tuple(self._keep(connection, each) for each in wanted)

        return await self._writer.write(work, Turn.PEOPLE)

    def _keep(self, connection: Connection, wanted: Wanted) -> str:
        person_id = wanted.person_id or self._bound_to(connection, wanted.identities)
        if person_id is None:
            person = self._insert(connection, wanted.change(Person(person_id="")))
            for identity in dict.fromkeys(map(visible, wanted.identities)):
                self._bind(connection, person.person_id, identity)
            return person.person_id
        before = self._held(connection, person_id)
        after = wanted.change(before)
        if after != before:
            self._change(connection, after)
        for identity in wanted.identities:
            self._bind_only(connection, person_id, identity)
        return person_id

    def _bound_to(self, connection: Connection, identities: Sequence[str]) -> str | None:
        """Whom the first of these that is bound finds."""
        bound = self._identities.c
        query = select(bound.identity, bound.person_id).where(
            bound.identity.in_([visible(each) for each in identities])
        )
        found = {row.identity: row.person_id for row in connection.execute(query)}
        return next((found[name] for name in map(visible, identities) if name in found), None)

    def _find(self, connection: Connection, identity: str) -> Person | None:
        bound, who = self._identities.c, self._people.c
        query = select(who.body).where(bound.identity == visible(identity), who.person_id == bound.person_id)
        body = connection.execute(query).scalar_one_or_none()
        return None if body is None else decode_text(Person, body)

    def _add(self, connection: Connection, given: Person, identity: str) -> Person:
        bound = self._find(connection, identity)
        if bound is not None:
            return bound
        person = self._insert(connection, given)
        self._bind(connection, person.person_id, identity)
        return person

    def _insert(self, connection: Connection, given: Person) -> Person:
        now = stamp(self._clock)
        given_at = {kind: given.consent_at.get(kind, now) for kind in given.consent}
        person = replace(given, person_id=self._clock.new_id("person"), consent_at=given_at)
        row = {"person_id": person.person_id, "created_at": now, **self._columns(person, now)}
        connection.execute(self._people.insert(row))
        # As it will be read: a text that no database can hold was kept in a form that it can.
        return decode_text(Person, row["body"])

    def _bind_only(self, connection: Connection, person_id: str, identity: str) -> None:
        """Bind it unless it finds this person already. Raises `UsageError` when it finds another."""
        bound = self._find(connection, identity)
        if bound is None:
            self._bind(connection, person_id, identity)
            # Whoever looks at those who changed must see that they are known here now.
            changed = {"updated_at": stamp(self._clock)}
            connection.execute(self._people.update(changed, person_id=visible(person_id)))
        elif bound.person_id != person_id:
            raise UsageError(f"the identity {identity!r} is bound to the person {bound.person_id!r} already")

    def _bind(self, connection: Connection, person_id: str, identity: str) -> None:
        connection.execute(self._identities.insert({"identity": visible(identity), "person_id": person_id}))

    def _held(self, connection: Connection, person_id: str) -> Person:
        """The person, whom nobody else changes until this transaction ends."""
        who = self._people.c
        query = select(who.body).where(who.person_id == visible(person_id)).with_for_update()
        body = connection.execute(query).scalar_one_or_none()
        if body is None:
            raise NotFound("person", person_id)
        return decode_text(Person, body)

    def _change(self, connection: Connection, person: Person) -> Person:
        columns = self._columns(person, stamp(self._clock))
        connection.execute(self._people.update(columns, person_id=person.person_id))
        return decode_text(Person, columns["body"])

    @staticmethod
    def _columns(person: Person, now: str) -> Mapping[str, Any]:
        return {
            "status": visible(person.status),
            "searched": visible(searched_text(person)),
            "body": encode_text(person),
            "updated_at": now,
        }

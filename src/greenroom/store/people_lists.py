"""Looking at the people of one share: one of them, a page, all of them, how many.

Lists are walked by an index, newest first, and never hold more than a page. A condition that SQL can't decide is a
function of the person, asked in the reading thread.
"""

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, func, select, tuple_

from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.people import PeopleCounts, PeoplePage, Person, PersonRecord, full_name, search_key
from greenroom.errors import NotFound
from greenroom.store.chunks import chunks
from greenroom.store.encoding import decode_text, visible
from greenroom.store.pages import mark_of, place_of
from greenroom.store.partition import Rows
from greenroom.store.reader import Reader

__all__ = ["Changed", "ChangedPeople", "PeopleFilter", "PeopleLists"]

_CHUNK = 500
"""People read at once when a condition is asked of each; a page of a plain list is read as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleFilter:
    """Which people; left out, all of them."""

    search: str = ""
    """Every word of it is found in a name, a contact detail, the company, title or interest."""
    status: str | None = None
    """Just this one; found by an index."""
    without_timer: tuple[OwnMessageKind, str, str] | None = None
    """None of those who have a timer of this kind, agent and name."""
    keep: Callable[[Person], bool] | None = field(default=None)
    """Any further condition."""


class Changed(NamedTuple):
    """A person's last change, as people are ordered by it."""

    updated_at: str
    person_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPeople:
    """Some people, in the order in which they changed."""

    people: tuple[PersonRecord, ...]
    upto: Changed
    """Everybody up to this change has been looked at."""
    is_all: bool
    """Nobody changed after that."""


class _Place(NamedTuple):
    """Where a page ended."""

    created_at: str
    person_id: str


class PeopleLists:
    """Reads; what is changed and found by identity stands in `People`."""

    def __init__(self, reader: Reader, people: Rows, identities: Rows, timers: Rows) -> None:
        self._reader = reader
        self._who = people.c
        self._bound = identities.c
        self._timers = timers.c

    async def get(self, person_id: str) -> PersonRecord:
        """One person.

        Raises:
            NotFound: there is no such person in this share.
        """

        def query(connection: Connection) -> PersonRecord:
            row = connection.execute(self._query(1).where(self._who.person_id == visible(person_id))).one_or_none()
            if row is None:
                raise NotFound("person", person_id)
            return self._records(connection, [(row, decode_text(Person, row.body))])[0]

        return await self._reader.read(query)

    async def records(self, people: Collection[str]) -> Mapping[str, PersonRecord]:
        """Those of these who are there, by id."""

        def query(connection: Connection, ids: Sequence[str]) -> Sequence[PersonRecord]:
            rows = connection.execute(self._query(len(ids)).where(self._who.person_id.in_(ids))).all()
            return self._records(connection, [(row, decode_text(Person, row.body)) for row in rows])

        found: dict[str, PersonRecord] = {}
        for ids in _chunks(people):
            told = await self._reader.read(lambda connection, ids=ids: query(connection, ids))
            found.update((record.person.person_id, record) for record in told)
        return found

    async def called(self, people: Iterable[str]) -> Mapping[str, str]:
        """The whole names of these, by id; those who are gone are not there."""
        who, found = self._who, dict[str, str]()
        for ids in _chunks(people):
            query = select(who.person_id, who.body).where(who.person_id.in_(ids))
            rows = await self._reader.read(lambda connection, query=query: connection.execute(query).all())
            found.update((row.person_id, full_name(decode_text(Person, row.body))) for row in rows)
        return found

    async def bound(self, identities: Collection[str]) -> Mapping[str, str]:
        """Whom each of these identities finds, by id; those that find nobody are not there."""
        bound, found = self._bound, dict[str, str]()
        for some in _chunks(identities):
            query = select(bound.identity, bound.person_id).where(bound.identity.in_(some))
            rows = await self._reader.read(lambda connection, query=query: connection.execute(query).all())
            found.update((row.identity, row.person_id) for row in rows)
        return {each: found[visible(each)] for each in identities if visible(each) in found}

    async def page(self, wanted: PeopleFilter, *, limit: int = 50, after: str | None = None) -> PeoplePage:
        """Some people, the newest first; `after` is the `next` of the page before.

        Raises:
            UsageError: `after` is no such mark.
        """
        place = None if after is None else _Place(*place_of(after, "people"))
        # One more than is shown, so that a last page says that it is the last.
        found = await self._reader.read(lambda connection: self._some(connection, wanted, limit + 1, place))
        shown = tuple(found[:limit])
        return PeoplePage(people=shown, next=mark_of(*_place_of(shown[-1])) if len(found) > limit and shown else None)

    async def each(self, wanted: PeopleFilter) -> AsyncIterator[PersonRecord]:
        """Everybody, one at a time, the newest first. No transaction stays open in between."""

        def page(connection: Connection, last: PersonRecord | None) -> Sequence[PersonRecord]:
            return self._some(connection, wanted, _CHUNK, None if last is None else _place_of(last))

        async for record in self._reader.pages(page):
            yield record

    async def changed(self, wanted: PeopleFilter, *, after: Changed, limit: int) -> ChangedPeople:
        """Those who changed after that, the earliest first: `limit` at most, and out of a bounded number."""
        who = self._who
        query = self._narrowed(select(who.person_id, who.body, who.created_at, who.updated_at), wanted)
        query = query.where(tuple_(who.updated_at, who.person_id) > tuple_(*after))
        query = query.order_by(who.updated_at, who.person_id).limit(_CHUNK)
        return await self._reader.read(lambda connection: self._changed(connection, query, wanted, after, limit))

    async def count(self, wanted: PeopleFilter) -> PeopleCounts:
        """How many there are, by status."""
        if wanted.keep is not None:
            counts: dict[str, int] = {}
            async for record in self.each(wanted):
                counts[record.person.status] = counts.get(record.person.status, 0) + 1
            return _counted(counts)
        query = self._narrowed(select(self._who.status, func.count().label("people")), wanted).group_by(
            self._who.status
        )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return _counted({row.status: row.people for row in rows})

    def _some(
        self, connection: Connection, wanted: PeopleFilter, limit: int, after: _Place | None
    ) -> list[PersonRecord]:
        keep, found, size = wanted.keep, list[tuple[Row[Any], Person]](), limit
        if keep is not None:
            size = _CHUNK
        while len(found) < limit:
            query = self._narrowed(self._query(size), wanted)
            if after is not None:
                query = query.where(tuple_(self._who.created_at, self._who.person_id) < tuple_(*after))
            rows = connection.execute(query).all()
            for row in rows:
                person = decode_text(Person, row.body)
                if keep is None or keep(person):
                    found.append((row, person))
            if len(rows) < size:
                break
            after = _Place(rows[-1].created_at, rows[-1].person_id)
        return self._records(connection, found[:limit])

    def _changed(
        self,
        connection: Connection,
        query: Select[*tuple[Any, ...]],
        wanted: PeopleFilter,
        after: Changed,
        limit: int,
    ) -> ChangedPeople:
        keep, found = wanted.keep, list[tuple[Row[Any], Person]]()
        rows = connection.execute(query).all()
        is_all = len(rows) < _CHUNK
        for row in rows:
            if len(found) == limit:
                is_all = False
                break
            person, after = decode_text(Person, row.body), Changed(row.updated_at, row.person_id)
            if keep is None or keep(person):
                found.append((row, person))
        return ChangedPeople(people=tuple(self._records(connection, found)), upto=after, is_all=is_all)

    def _query(self, limit: int) -> Select[*tuple[Any, ...]]:
        who = self._who
        return (
            select(who.person_id, who.body, who.created_at, who.updated_at)
            .order_by(who.created_at.desc(), who.person_id.desc())
            .limit(limit)
        )

    def _narrowed(self, query: Select[*tuple[Any, ...]], wanted: PeopleFilter) -> Select[*tuple[Any, ...]]:
        if wanted.status is not None:
            query = query.where(self._who.status == visible(wanted.status))
        if wanted.without_timer is not None:
            kind, agent, name = wanted.without_timer
            of = self._timers
            named = (of.kind == kind.value, of.agent == visible(agent), of.name == visible(name))
            # Asked of each person by an index: a list of all who have one would be read at every tick.
            query = query.where(~select(of.subject).where(*named, of.subject == self._who.person_id).exists())
        words = search_key(wanted.search).split()
        return query.where(*(self._who.searched.contains(visible(word), autoescape=True) for word in words))

    def _records(self, connection: Connection, found: Sequence[tuple[Row[Any], Person]]) -> list[PersonRecord]:
        names = self._names(connection, [row.person_id for row, _ in found])
        return [
            PersonRecord(
                person=person,
                identities=tuple(names.get(row.person_id, ())),
                created_at=row.created_at,
                updated_at=row.updated_at,
            )
            for row, person in found
        ]

    def _names(self, connection: Connection, people: Sequence[str]) -> Mapping[str, Sequence[str]]:
        bound, names = self._bound, dict[str, list[str]]()
        for some in chunks(people):
            query = select(bound.person_id, bound.identity).where(bound.person_id.in_(some)).order_by(bound.identity)
            for person_id, identity in connection.execute(query):
                names.setdefault(person_id, []).append(identity)
        return names


def _chunks(names: Iterable[str]) -> Iterator[Sequence[str]]:
    return chunks(dict.fromkeys(map(visible, names)))


def _place_of(record: PersonRecord) -> _Place:
    return _Place(record.created_at, record.person.person_id)


def _counted(counts: Mapping[str, int]) -> PeopleCounts:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return PeopleCounts(total=sum(counts.values()), by_status=dict(ordered))

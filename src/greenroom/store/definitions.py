"""Agents, suites and cases as immutable revisions by content hash (semantics: revisions).

A sync says what the project's files mean now. Contents are never changed and never deleted here; a definition whose
file is gone is archived. Cases are stored one by one, so that a lane loads the one it runs and nothing else.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from pydantic import BaseModel
from sqlalchemy import ColumnElement, Connection, and_, bindparam, insert, select, update

from greenroom.clock import Clock
from greenroom.documents.agent import Agent
from greenroom.documents.suite import Case, Suite
from greenroom.errors import NotFound
from greenroom.store.chunks import chunks
from greenroom.store.encoding import content_hash, decode, document_json, pack, unpack
from greenroom.store.locks import Turn
from greenroom.store.reader import Reader
from greenroom.store.tables import definitions, documents, revisions
from greenroom.store.times import stamp
from greenroom.store.writer import Writer

__all__ = ["Definition", "DefinitionKind", "Definitions", "Revision", "Synced"]

D = TypeVar("D", bound=BaseModel)


class DefinitionKind(StrEnum):
    """What a definition defines."""

    AGENT = "agent"
    SUITE = "suite"
    CASE = "case"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One content that an id had."""

    name: str
    number: int
    """From 1, in the order in which the store saw them."""
    hash: str
    seen_at: str
    """When the store first saw this content: `behavior_edited_at` of an agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What an id means by the last sync."""

    kind: DefinitionKind
    name: str
    """A case's is `suite/case`."""
    hash: str
    archived_at: str | None
    """When its file was found to be gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What the files mean."""

    agents: Mapping[str, Revision]
    suites: Mapping[str, Revision]
    cases: Mapping[tuple[str, str], str]
    """Content hash of each (suite, case)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    kind: DefinitionKind
    name: str
    hash: str
    document: BaseModel
    case: tuple[str, str] | None = None


class _StoredSuite(BaseModel):
    """A suite as it is stored: without its cases, which are contents of their own."""

    suite: Suite
    cases: dict[str, str]
    """Content hash of each case, in the order in which they are written."""


class Definitions:
    """What people wrote, in every state the store has seen."""

    def __init__(self, *, reader: Reader, writer: Writer, workspace: str, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._workspace = workspace
        self._clock = clock

    async def sync(self, *, agents: Iterable[Agent], suites: Iterable[Suite], whole: bool = True) -> Synced:
        """Store what is new of these. With `whole` they are all there are, and whatever else is known is archived.

        When nothing has changed since the last sync, nothing is written.
        """
        entries = await asyncio.to_thread(_entries, tuple(agents), tuple(suites))
        known = await self._reader.read(self._current)
        wanted = {(entry.kind.value, entry.name): entry.hash for entry in entries}
        changed = [entry for entry in entries if known.get((entry.kind.value, entry.name)) != entry.hash]
        gone = [key for key in known if key not in wanted] if whole else []
        if changed or gone:
            await self._writer.write(lambda connection: self._store(connection, changed, gone), Turn.DEFINITIONS)
        current = [entry for entry in entries if entry.kind is not DefinitionKind.CASE]
        seen = await self._reader.read(lambda connection: self._revisions(connection, current))
        return Synced(
            agents={found.name: found for kind, found in seen if kind is DefinitionKind.AGENT},
            suites={found.name: found for kind, found in seen if kind is DefinitionKind.SUITE},
            cases={entry.case: entry.hash for entry in entries if entry.case},
        )

    async def agent(self, hash_: str) -> Agent:
        """The agent with this content.

        Raises:
            NotFound: no such content is stored.
        """
        return await self._document(Agent, "agent revision", hash_)

    async def case(self, hash_: str) -> Case:
        """The case with this content.

        Raises:
            NotFound: no such content is stored.
        """
        return await self._document(Case, "case revision", hash_)

    async def suite(self, hash_: str) -> Suite:
        """The suite with this content, its cases included.

        Raises:
            NotFound: no such content is stored.
        """
        stored = await self._document(_StoredSuite, "suite revision", hash_)
        cases = {name: await self.case(case_hash) for name, case_hash in stored.cases.items()}
        return stored.suite.model_copy(update={"cases": cases})

    async def revisions(self, kind: DefinitionKind, name: str) -> Sequence[Revision]:
        """Every content this id had, the newest first."""
        query = (
            select(revisions.c.name, revisions.c.number, revisions.c.hash, documents.c.seen_at)
            .join(documents, documents.c.hash == revisions.c.hash)
            .where(self._named(kind, name))
            .order_by(revisions.c.number.desc())
        )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(Revision(name=row.name, number=row.number, hash=row.hash, seen_at=row.seen_at) for row in rows)

    async def known(self, kind: DefinitionKind, *, archived: bool = False) -> Sequence[Definition]:
        """All ids of a kind by name; those whose file is gone only when asked for."""
        query = select(definitions).where(definitions.c.workspace == self._workspace, definitions.c.kind == kind.value)
        if not archived:
            query = query.where(definitions.c.archived_at.is_(None))
        rows = await self._reader.read(lambda connection: connection.execute(query.order_by(definitions.c.name)).all())
        return tuple(Definition(kind=kind, name=row.name, hash=row.hash, archived_at=row.archived_at) for row in rows)

    async def _document(self, model: type[D], what: str, hash_: str) -> D:
        query = select(documents.c.body).where(documents.c.hash == hash_)
        body = await self._reader.read(lambda connection: connection.execute(query).scalar_one_or_none())
        if body is None:
            raise NotFound(what, hash_)
        return decode(model, unpack(body))

    def _named(self, kind: DefinitionKind, name: str) -> ColumnElement[bool]:
        return and_(revisions.c.workspace == self._workspace, revisions.c.kind == kind.value, revisions.c.name == name)

    def _current(self, connection: Connection) -> dict[tuple[str, str], str]:
        """Hash of everything that is not archived, by kind and name."""
        query = select(definitions.c.kind, definitions.c.name, definitions.c.hash).where(
            definitions.c.workspace == self._workspace, definitions.c.archived_at.is_(None)
        )
        return {(row.kind, row.name): row.hash for row in connection.execute(query)}

    def _revisions(self, connection: Connection, entries: Sequence[_Entry]) -> list[tuple[DefinitionKind, Revision]]:
        query = (
            select(revisions.c.number, documents.c.seen_at)
            .join(documents, documents.c.hash == revisions.c.hash)
            .where(
                revisions.c.workspace == self._workspace,
                revisions.c.kind == bindparam("kind"),
                revisions.c.name == bindparam("name"),
                revisions.c.hash == bindparam("hash"),
            )
        )
        found: list[tuple[DefinitionKind, Revision]] = []
        for entry in entries:
            row = connection.execute(query, {"kind": entry.kind.value, "name": entry.name, "hash": entry.hash}).one()
            revision = Revision(name=entry.name, number=row.number, hash=entry.hash, seen_at=row.seen_at)
            found.append((entry.kind, revision))
        return found

    def _store(self, connection: Connection, changed: Sequence[_Entry], gone: Sequence[tuple[str, str]]) -> None:
        now = stamp(self._clock)
        for chunk in chunks(changed):
            self._store_documents(connection, chunk, now)
            self._store_revisions(connection, chunk, now)
            self._store_definitions(connection, chunk, now)
        if gone:
            archive = update(definitions).where(
                definitions.c.workspace == self._workspace,
                definitions.c.kind == bindparam("of_kind"),
                definitions.c.name == bindparam("named"),
            )
            rows = [{"of_kind": kind, "named": name} for kind, name in gone]
            connection.execute(archive.values(archived_at=now), rows)

    def _store_documents(self, connection: Connection, chunk: Sequence[_Entry], now: str) -> None:
        by_hash = {entry.hash: entry for entry in chunk}
        query = select(documents.c.hash).where(documents.c.hash.in_(by_hash))
        stored = set(connection.execute(query).scalars())
        rows = [
            {"hash": entry.hash, "body": pack(document_json(entry.document)), "seen_at": now}
            for entry in by_hash.values()
            if entry.hash not in stored
        ]
        if rows:
            connection.execute(insert(documents), rows)

    def _store_revisions(self, connection: Connection, chunk: Sequence[_Entry], now: str) -> None:
        names = {entry.name for entry in chunk}
        query = select(revisions.c.kind, revisions.c.name, revisions.c.number, revisions.c.hash).where(
            revisions.c.workspace == self._workspace, revisions.c.name.in_(names)
        )
        newest: dict[tuple[str, str], int] = {}
        stored: set[tuple[str, str, str]] = set()
        for row in connection.execute(query):
            newest[row.kind, row.name] = max(row.number, newest.get((row.kind, row.name), 0))
            stored.add((row.kind, row.name, row.hash))
        rows = [
            {
                "workspace": self._workspace,
                "kind": entry.kind.value,
                "name": entry.name,
                "number": newest.get((entry.kind.value, entry.name), 0) + 1,
                "hash": entry.hash,
                "seen_at": now,
            }
            for entry in chunk
            if (entry.kind.value, entry.name, entry.hash) not in stored
        ]
        if rows:
            connection.execute(insert(revisions), rows)

    def _store_definitions(self, connection: Connection, chunk: Sequence[_Entry], now: str) -> None:
        names = {entry.name for entry in chunk}
        mine = definitions.c.workspace == self._workspace
        query = select(definitions.c.kind, definitions.c.name).where(mine, definitions.c.name.in_(names))
        stored = {(row.kind, row.name) for row in connection.execute(query)}
        new = [
            {
                "workspace": self._workspace,
                "kind": entry.kind.value,
                "name": entry.name,
                "hash": entry.hash,
                "synced_at": now,
            }
            for entry in chunk
            if (entry.kind.value, entry.name) not in stored
        ]
        if new:
            connection.execute(insert(definitions), new)
        moved = [
            {"of_kind": entry.kind.value, "named": entry.name, "now_hash": entry.hash}
            for entry in chunk
            if (entry.kind.value, entry.name) in stored
        ]
        if moved:
            move = update(definitions).where(
                mine, definitions.c.kind == bindparam("of_kind"), definitions.c.name == bindparam("named")
            )
            connection.execute(move.values(hash=bindparam("now_hash"), synced_at=now, archived_at=None), moved)


def _entries(agents: Sequence[Agent], suites: Sequence[Suite]) -> list[_Entry]:
    """Everything that has a content of its own; cases before the suites that name their hashes."""
    entries = [
        _Entry(kind=DefinitionKind.AGENT, name=agent.id, hash=content_hash(agent), document=agent) for agent in agents
    ]
    for suite in suites:
        cases = [
            _Entry(
                kind=DefinitionKind.CASE,
                name=f"{suite.id}/{name}",
                hash=content_hash(case),
                document=case,
                case=(suite.id, name),
            )
            for name, case in suite.cases.items()
        ]
        entries += cases
        stored = _StoredSuite(
            suite=suite.model_copy(update={"cases": {}}),
            cases={entry.case[1]: entry.hash for entry in cases if entry.case},
        )
        entries.append(_Entry(kind=DefinitionKind.SUITE, name=suite.id, hash=content_hash(stored), document=stored))
    return entries

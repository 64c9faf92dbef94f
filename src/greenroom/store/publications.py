"""Which revision of each agent is live (semantics: revisions). Only a publication moves it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, insert, select

from greenroom.clock import Clock
from greenroom.store.definitions import Revision
from greenroom.store.locks import Turn
from greenroom.store.reader import Reader
from greenroom.store.tables import publications
from greenroom.store.times import stamp
from greenroom.store.writer import Writer

__all__ = ["Publication", "Publications"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A revision that was made live."""

    number: int
    """Of the revision."""
    hash: str
    published_at: str


class Publications:
    """Every publication of a workspace's agents."""

    def __init__(self, *, reader: Reader, writer: Writer, workspace: str, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._workspace = workspace
        self._clock = clock

    async def publish(self, agent: str, revision: Revision) -> Publication:
        """Make this revision live; the one that is live already is not published again."""
        return await self._writer.write(lambda connection: self._publish(connection, agent, revision), Turn.DEFINITIONS)

    async def live(self, agent: str) -> Publication | None:
        """The live revision; None when nothing was ever published."""
        return await self._reader.read(lambda connection: self._live(connection, agent))

    async def of(self, agent: str) -> Sequence[Publication]:
        """All publications of an agent, the newest first."""
        return await self._reader.read(lambda connection: self._list(connection, agent, None))

    async def agents(self) -> Sequence[str]:
        """Every agent that has a live revision, by id."""
        query = select(publications.c.agent).where(publications.c.workspace == self._workspace).distinct()
        return await self._reader.read(
            lambda connection: sorted(connection.execute(query.order_by(publications.c.agent)).scalars())
        )

    def _publish(self, connection: Connection, agent: str, revision: Revision) -> Publication:
        live = self._live(connection, agent)
        if live is not None and live.hash == revision.hash:
            return live
        published = Publication(number=revision.number, hash=revision.hash, published_at=stamp(self._clock))
        row = {"workspace": self._workspace, "agent": agent, **asdict(published)}
        connection.execute(insert(publications).values(row))
        return published

    def _live(self, connection: Connection, agent: str) -> Publication | None:
        return next(iter(self._list(connection, agent, 1)), None)

    def _list(self, connection: Connection, agent: str, limit: int | None) -> Sequence[Publication]:
        query = (
            select(publications.c.number, publications.c.hash, publications.c.published_at)
            .where(publications.c.workspace == self._workspace, publications.c.agent == agent)
            .order_by(publications.c.id.desc())
            .limit(limit)
        )
        return tuple(
            Publication(number=row.number, hash=row.hash, published_at=row.published_at)
            for row in connection.execute(query)
        )

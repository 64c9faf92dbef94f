"""Sandboxes that keep something in the database: held by a lease, and removed whole (features.md A11).

Whoever keeps something in a sandbox opens it, renews its lease while at work, and removes it at the end. What a
killed process left is what belongs to a sandbox that nobody holds any more.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from greenroom.clock import Clock
from greenroom.store.encoding import visible
from greenroom.store.locks import Turn
from greenroom.store.partition import Partition, Sandbox, share_of
from greenroom.store.reader import Reader
from greenroom.store.tables import partitioned_tables, sandboxes
from greenroom.store.times import stamp
from greenroom.store.writer import Writer

__all__ = ["LEASE_S", "Cleaned", "Sandboxes"]

LEASE_S = 30
"""Seconds for which a sandbox is held from each sign of life on; its holder gives one every third of that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """What a cleanup did."""

    sandboxes: int
    """How many were removed."""
    rows: int
    held: int
    """How many are in use, or were until half a minute ago, and were left alone."""


class Sandboxes:
    """The sandboxes of a workspace."""

    def __init__(self, *, reader: Reader, writer: Writer, workspace: str, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._workspace = workspace
        self._clock = clock

    async def open(self, sandbox: Sandbox) -> None:
        """Hold it, from before anything is kept in it. Its name must be fresh."""
        row = {"workspace": self._workspace, "sandbox": visible(sandbox.name), "lease_until": self._lease()}
        await self._writer.write(lambda connection: connection.execute(insert(sandboxes).values(row)))

    async def renew(self, sandbox: Sandbox) -> None:
        """Hold it for `LEASE_S` seconds more."""
        mine = (sandboxes.c.workspace == self._workspace, sandboxes.c.sandbox == visible(sandbox.name))
        renewed = update(sandboxes).where(*mine).values(lease_until=self._lease())
        await self._writer.write(lambda connection: connection.execute(renewed), Turn.SANDBOXES)

    async def remove(self, sandbox: Sandbox) -> None:
        """Remove it with everything that is kept in it; one that isn't there is no error."""
        await self._writer.write(lambda connection: self._remove(connection, visible(sandbox.name)), Turn.SANDBOXES)

    async def clean(self) -> Cleaned:
        """Remove every sandbox that nobody holds any more."""
        return await self._writer.write(self._clean, Turn.SANDBOXES)

    def _lease(self) -> str:
        return stamp(self._clock, after_s=LEASE_S)

    def _clean(self, connection: Connection) -> Cleaned:
        # In this order: one that is opened meanwhile is in the second list if it is in the first.
        found = set(self._kept(connection))
        listed = select(sandboxes.c.sandbox, sandboxes.c.lease_until).where(sandboxes.c.workspace == self._workspace)
        leases = {row.sandbox: row.lease_until for row in connection.execute(listed)}
        now = stamp(self._clock)
        held = {name for name, until in leases.items() if until > now}
        left = sorted((found | leases.keys()) - held)
        rows = sum(self._remove(connection, name) for name in left)
        return Cleaned(sandboxes=len(left), rows=rows, held=len(held))

    def _kept(self, connection: Connection) -> Iterator[str]:
        """The sandboxes that something is kept in."""
        everywhere = share_of(self._workspace, Partition.SANDBOX)
        for table in partitioned_tables:
            yield from connection.execute(select(table.of(everywhere).c.sandbox).distinct()).scalars()

    def _remove(self, connection: Connection, name: str) -> int:
        share = share_of(self._workspace, Sandbox(name))
        rows = sum(connection.execute(table.of(share).delete()).rowcount for table in partitioned_tables)
        mine = (sandboxes.c.workspace == self._workspace, sandboxes.c.sandbox == name)
        connection.execute(delete(sandboxes).where(*mine))
        return rows

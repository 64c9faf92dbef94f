"""Who is at work on a run: a lease on its unfinished samples, renewed while the run goes (design: durable runs).

A run whose lease has run out was broken off: its process was killed, or lost its database. A lease also names its
process, so that a run which was killed on this machine is known at once and not only when the lease ends.
"""

import asyncio
import os
import platform
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from sqlalchemy import func, select, update

from greenroom.clock import Clock
from greenroom.conversation.outcomes import Status
from greenroom.errors import StoreError
from greenroom.store.reader import Reader
from greenroom.store.tables import results
from greenroom.store.times import stamp
from greenroom.store.writer import Writer

__all__ = ["LEASE_S", "RunLeases"]

LEASE_S = 60
"""Seconds for which a run is held from each sign of life on; whoever runs it gives one every sixth of that, so that
waiting for a locked database does not look like its death."""

_UNFINISHED = results.c.status.in_((Status.QUEUED.value, Status.RUNNING.value))


class RunLeases:
    """The leases of runs."""

    def __init__(self, *, reader: Reader, writer: Writer, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._clock = clock
        self._me = f"{platform.node()} {os.getpid()}"

    @asynccontextmanager
    async def holding(self, run_id: str) -> AsyncGenerator[None]:
        """Hold a run while this lasts. Raises `StoreError` when it can't be held at first."""
        await self._renew(run_id)
        left = asyncio.Event()
        keeping = asyncio.create_task(self._keep(run_id, left), name="greenroom-run-lease")
        try:
            yield
        finally:
            left.set()
            # It may be waiting for a database that is locked; nobody needs that lease any more.
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    async def held(self, run_id: str) -> bool:
        """Whether somebody is at work on it now; False for a run without unfinished samples."""
        query = (
            select(results.c.claimed_by, func.max(results.c.lease_until).label("until"))
            .where(results.c.run_id == run_id, _UNFINISHED, results.c.lease_until.is_not(None))
            .group_by(results.c.claimed_by)
        )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        now = stamp(self._clock)
        return any(row.until > now and not _is_gone(row.claimed_by or "") for row in rows)

    async def _keep(self, run_id: str, left: asyncio.Event) -> None:
        while not left.is_set():
            # Real seconds: a case's own time may stand still, and the lease must be renewed all the same.
            with suppress(TimeoutError):
                async with asyncio.timeout(LEASE_S / 6):
                    await left.wait()
            if not left.is_set():
                # A store that can't be written to now ends the run by the results it refuses, not by this.
                with suppress(StoreError):
                    await self._renew(run_id)

    async def _renew(self, run_id: str) -> None:
        until = stamp(self._clock, after_s=LEASE_S)
        mine = update(results).where(results.c.run_id == run_id, _UNFINISHED)
        values = {"claimed_by": self._me, "lease_until": until}
        await self._writer.write(lambda connection: connection.execute(mine.values(values)))


def _is_gone(holder: str) -> bool:
    """Whether the holder is a process of this machine that is no more; of any other only its lease tells."""
    node, _, number = holder.rpartition(" ")
    if os.name != "posix" or node != platform.node() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False

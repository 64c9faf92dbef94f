"""Sandboxes that are kept in the database: held while somebody is at work, removed at the end, cleaned up after a kill.

A run keeps its cases' sandboxes in memory and needs none of this (docs/decisions/sandbox-in-memory.md).
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from greenroom.errors import StoreError
from greenroom.operations.context import Context
from greenroom.store.partition import Sandbox
from greenroom.store.sandboxes import LEASE_S, Cleaned

__all__ = ["Cleaned", "cleanup", "held_sandbox"]


async def cleanup(context: Context) -> Cleaned:
    """Remove what interrupted conversations left in the sandbox (features.md A11). Nothing live is touched."""
    return await context.store.sandboxes.clean()


@asynccontextmanager
async def held_sandbox(context: Context, name: str) -> AsyncGenerator[Sandbox]:
    """A sandbox that nobody cleans up while it is used; removed with all it holds when it isn't any more."""
    sandbox = Sandbox(name)
    await context.store.sandboxes.open(sandbox)
    alive = asyncio.create_task(_renew(context, sandbox))
    try:
        yield sandbox
    finally:
        alive.cancel()
        await asyncio.gather(alive, return_exceptions=True)
        # A cancelled conversation still removes what it kept.
        await asyncio.shield(context.store.sandboxes.remove(sandbox))


async def _renew(context: Context, sandbox: Sandbox) -> None:
    """Give a sign of life three times a lease."""
    while True:
        await context.clock.sleep(LEASE_S / 3)
        try:
            await context.store.sandboxes.renew(sandbox)
        except StoreError:
            # The database may be back the next time; until then the lease tells the truth.
            continue

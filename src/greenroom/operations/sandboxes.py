"""Sandboxes that are kept in the database: held while somebody is at work, removed at the end, cleaned up after a kill.

A run keeps its cases' sandboxes in memory and needs none of this (docs/decisions/sandbox-in-memory.md).
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from greenroom.documents.agent import Agent
from greenroom.errors import StoreError
from greenroom.operations.business_calendars import calendars_of
from greenroom.operations.context import Context
from greenroom.operations.real_calls import RealCalls
from greenroom.store.opening import Store
from greenroom.store.partition import Partition, Sandbox
from greenroom.store.sandboxes import LEASE_S, Cleaned
from greenroom.world.ports import ConversationState
from greenroom.world.sandbox.world import Outside

__all__ = ["Cleaned", "KeptSandbox", "cleanup", "kept_sandbox", "outside_of"]


async def cleanup(context: Context) -> Cleaned:
    """Remove what interrupted conversations left in the sandbox (features.md A11). Nothing live is touched."""
    return await context.store.sandboxes.clean()


def outside_of(context: Context, agent: Agent, calls: RealCalls) -> Outside:
    """What is real around the sandboxes of an agent: reads are (features.md A8)."""
    appointments = None if agent.scheduling is None else context.store.appointments(Partition.LIVE, agent=agent.id)
    return Outside(
        environment=context.environment,
        webhooks=calls.webhooks,
        taken=appointments,
        calendars=calendars_of(context, agent, calls.calendars),
    )


class KeptSandbox:
    """What one sandbox keeps in the database; `world.sandbox.world.Kept`."""

    def __init__(self, store: Store, sandbox: Sandbox, agent: str) -> None:
        self.people = store.people(sandbox)
        self.appointments = store.appointments(sandbox, agent=agent, conversation=sandbox.name)
        self.conversations = store.conversations(ConversationState, sandbox, agent=agent)
        self._store = store
        self._sandbox = sandbox

    async def remove(self) -> None:
        """Remove all of it; a second time there is nothing left to remove."""
        await self._store.sandboxes.remove(self._sandbox)


@asynccontextmanager
async def kept_sandbox(
    context: Context, conversation: str, *, agent: str, renew_every_s: float = LEASE_S / 3
) -> AsyncGenerator[KeptSandbox]:
    """A sandbox that nobody cleans up while it is used; removed with all it holds when it isn't any more.

    Args:
        context: The opened project.
        conversation: The id of the one conversation in it: a fresh one, which is the sandbox's name too.
        agent: Who talks in it, by id.
        renew_every_s: Real seconds between two signs of life, whatever time the project's clock tells.
    """
    sandbox = Sandbox(conversation)
    await context.store.sandboxes.open(sandbox)
    over = asyncio.Event()
    alive = asyncio.create_task(_renew_until(over, context.store, sandbox, renew_every_s))
    kept = KeptSandbox(context.store, sandbox, agent)
    try:
        yield kept
    finally:
        over.set()
        # A conversation that is cancelled removes what it kept all the same.
        await asyncio.shield(_end(alive, kept))


async def _end(alive: asyncio.Task[None], kept: KeptSandbox) -> None:
    await asyncio.gather(alive, return_exceptions=True)
    await kept.remove()


async def _renew_until(over: asyncio.Event, store: Store, sandbox: Sandbox, every_s: float) -> None:
    while not over.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), every_s)
            return
        # The database may be back the next time; until then the lease tells the truth.
        with suppress(StoreError):
            await store.sandboxes.renew(sandbox)

"""Holding on to what somebody took for a while, for as long as they are at work on it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from greenroom.clock import Clock
from greenroom.errors import StoreError

__all__ = ["signs_of_life"]


@asynccontextmanager
async def signs_of_life(
    clock: Clock, hold: Callable[[], Awaitable[object]], *, held_for_s: float
) -> AsyncGenerator[None]:
    """Take hold again and again while this lasts, and never after it.

    Args:
        clock: What the hold runs out by.
        hold: Takes hold for another while. Its `StoreError` is no end: the next sign may arrive in time.
        held_for_s: Seconds for which each hold stands; a sign is given every third of that.
    """
    living = asyncio.create_task(_live_on(clock, hold, held_for_s / 3))
    try:
        yield
    finally:
        living.cancel()
        await asyncio.gather(living, return_exceptions=True)


async def _live_on(clock: Clock, hold: Callable[[], Awaitable[object]], every_s: float) -> None:
    held_at = clock.now()
    while True:
        await clock.sleep(every_s)
        # A clock that stands still comes back at once, and nothing runs out by it.
        if clock.now() <= held_at:
            continue
        held_at = clock.now()
        with suppress(StoreError):
            await hold()

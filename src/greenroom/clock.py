"""The only reader of real time and of chance. Days are UTC.

Everything that needs the time is handed a `Clock`; a test or a case hands in a `FrozenClock`.
"""

import asyncio
import secrets
import time
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["Clock", "FrozenClock", "SystemClock", "cpu_of_this_thread", "rest"]

_MOMENT_S = 0.001
"""What a sleep takes on a clock that stands still. If it took nothing, waiting for time would keep a processor busy."""


class Clock(Protocol):
    """What time it is, how long things take, fresh ids, and chance."""

    def now(self) -> datetime:
        """The present moment, with a time zone."""
        ...

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back; for durations only."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for so many real seconds."""
        ...

    def new_id(self, prefix: str) -> str:
        """A fresh id such as `run-20261130-093012-4f2a9c07be15`: sorts by time, unique across processes."""
        ...

    def chance(self) -> float:
        """A number from 0 up to, but not including, 1; for spreading retries, never for secrets."""
        ...


class SystemClock:
    """Real time."""

    def now(self) -> datetime:
        """The present moment in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds of the process's monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""
        await asyncio.sleep(seconds)

    def new_id(self, prefix: str) -> str:
        """A fresh id that sorts by time."""
        # So long that a hundred thousand people imported in one second still have one each.
        return f"{prefix}-{self.now():%Y%m%d-%H%M%S}-{secrets.token_hex(6)}"

    def chance(self) -> float:
        """A random number."""
        return secrets.randbelow(1 << 32) / (1 << 32)


class FrozenClock:
    """A clock that stands still and counts its ids; durations come out as 0."""

    def __init__(self, at: datetime) -> None:
        self._at = at
        self._ids = 0

    def now(self) -> datetime:
        """The moment it was made for."""
        return self._at

    def monotonic(self) -> float:
        """Always 0."""
        return 0.0

    async def sleep(self, seconds: float) -> None:
        """Let others run and come back in a moment."""
        await asyncio.sleep(min(seconds, _MOMENT_S))

    def new_id(self, prefix: str) -> str:
        """Counted ids: `prefix-1`, then `prefix-2`."""
        self._ids += 1
        return f"{prefix}-{self._ids}"

    def chance(self) -> float:
        """Always one half."""
        return 0.5


async def rest(
    clock: Clock, seconds: float, *events: asyncio.Event, tasks: Collection[asyncio.Task[None]] = ()
) -> None:
    """Wait for so long, or until one of these is set or one of these tasks is over; the tasks go on."""
    waits = [asyncio.ensure_future(one) for one in (clock.sleep(seconds), *(event.wait() for event in events))]
    try:
        await asyncio.wait([*waits, *tasks], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
        await asyncio.gather(*waits, return_exceptions=True)


def cpu_of_this_thread() -> float:
    """Seconds that the processor has worked for the calling thread; for bounds that a busy machine must not move."""
    return time.thread_time()

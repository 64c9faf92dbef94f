"""Limits on time that stand still while a provider makes everybody wait, so that no verdict depends on load (D4).

How long an agent may take says something of the agent; how long a provider's rate limit holds its call back says
something of whatever else runs at the time. Knows conversations by their id, and nothing of providers.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from greenroom.clock import Clock

__all__ = ["TimeLimit", "Waits"]


class Waits:
    """Who is held back now, by conversation; one for all models of a run."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._limits: dict[str, list[TimeLimit]] = {}
        self._held: dict[str, int] = {}
        self._calls = 0
        self._since = 0.0
        self._total = 0.0

    @property
    def total_s(self) -> float:
        """Seconds in which anybody was held back; those of several at once count once."""
        return self._total + (self._clock.monotonic() - self._since if self._calls else 0.0)

    def add(self, conversation: str, limit: "TimeLimit") -> None:
        """This limit stands still whenever the conversation is held back, from now on."""
        self._limits.setdefault(conversation, []).append(limit)
        if conversation in self._held:
            limit.stand_still()

    def remove(self, conversation: str, limit: "TimeLimit") -> None:
        """It does no longer."""
        limits = self._limits[conversation]
        limits.remove(limit)
        if not limits:
            del self._limits[conversation]

    @contextmanager
    def held_back(self, conversation: str) -> Generator[None]:
        """A call of this conversation is held back for as long as the block runs."""
        if not self._calls:
            self._since = self._clock.monotonic()
        self._calls += 1
        self._held[conversation] = self._held.get(conversation, 0) + 1
        if self._held[conversation] == 1:
            for limit in self._limits.get(conversation, ()):
                limit.stand_still()
        try:
            yield
        finally:
            self._calls -= 1
            if not self._calls:
                self._total += self._clock.monotonic() - self._since
            self._held[conversation] -= 1
            if not self._held[conversation]:
                del self._held[conversation]
                for limit in self._limits.get(conversation, ()):
                    limit.go_on()


class TimeLimit:
    """`asyncio.timeout` over a block, but for the time in which the conversation is held back.

    Raises `TimeoutError` from the block when the time is over; `expired` then says that it was this limit's.
    """

    def __init__(self, seconds: float, clock: Clock, waits: Waits | None = None, conversation: str = "") -> None:
        self._bound = asyncio.timeout(seconds)
        self._clock = clock
        self._waits = waits
        self._conversation = conversation
        self._left: float | None = None
        """What was left of the time when it began to stand still; None while it goes."""
        self._still_since = 0.0
        self.stood_still_s = 0.0
        """Seconds in all."""

    async def __aenter__(self) -> Self:
        await self._bound.__aenter__()
        if self._waits is not None:
            self._waits.add(self._conversation, self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._waits is not None:
            self._waits.remove(self._conversation, self)
        await self._bound.__aexit__(kind, error, trace)

    def expired(self) -> bool:
        """Whether the time is over."""
        return self._bound.expired()

    def allow(self, seconds: float) -> None:
        """So much time from now on; nothing when the time is over already."""
        if self._left is not None:
            self._left = seconds
        elif not self.expired():
            self._bound.reschedule(asyncio.get_running_loop().time() + seconds)

    def stand_still(self) -> None:
        """No time passes until `go_on`."""
        when = self._bound.when()
        if self.expired() or when is None:
            return
        self._left = when - asyncio.get_running_loop().time()
        self._still_since = self._clock.monotonic()
        self._bound.reschedule(None)

    def go_on(self) -> None:
        """Time passes again."""
        if self._left is None:
            return
        left, self._left = self._left, None
        self.stood_still_s += self._clock.monotonic() - self._still_since
        self._bound.reschedule(asyncio.get_running_loop().time() + left)

"""How fast an endpoint may be asked: what its rate limit said to one call holds for every call of the run.

After a limit nobody begins a call before the time it gave, and then half as many at once as were under way; each
answer makes room for a little more, until there are as many as before. Nothing is held back that was never limited, and
what is held back is no error: the limits on time stand still meanwhile (`time_limits`).
"""

import asyncio
from typing import Final

from greenroom.clock import Clock
from greenroom.models.time_limits import Waits

__all__ = ["Pace", "Pacing", "TooLong"]

_LONGEST_CLOSED: Final = 300.0
"""Seconds after which somebody asks again, whatever the endpoint said: a server that goes on for months must not be
kept from it by one odd header."""


class TooLong(Exception):
    """The endpoint wants a longer wait than the caller's. Never leaves this package."""

    def __init__(self, why: str, seconds: float) -> None:
        self.why = why
        self.seconds = seconds
        super().__init__(why)


class Pacing:
    """The pace of each endpoint that a run asks."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._paces: dict[str, Pace] = {}
        self.waits = Waits(clock)
        self.shut = ""
        """Why it makes no sense to go on: a quota is used up, or an endpoint wants to be left alone for long."""

    def of(self, endpoint: str) -> "Pace":
        """The one pace of this endpoint."""
        return self._paces.setdefault(endpoint, Pace(self, self._clock))


class Pace:
    """The pace of one endpoint. A call goes through `enter` and `leave`, each time it is tried."""

    def __init__(self, pacing: Pacing, clock: Clock) -> None:
        self._pacing = pacing
        self._clock = clock
        self._opens_at: float | None = None
        """On the monotonic clock; None while it is open."""
        self._why = ""
        self._room: float | None = None
        """How many calls may be under way; None: as many as like."""
        self._most = 0
        """How many were under way when it was limited first: with as much room again it is as before."""
        self._under_way = 0
        self._limits = 0
        self._line = asyncio.Lock()
        self._freed = asyncio.Event()
        self.answers = 0
        """How many calls got through so far."""

    async def enter(self, conversation: str, longest: float) -> int:
        """Wait until this call's turn has come; hands back the number of the limit it comes after.

        Raises:
            TooLong: the time it gave is more than `longest` seconds away.
        """
        if self._opens_at is not None or self._room is not None:
            # Whoever came first goes first; only the first in line watches time and room.
            with self._pacing.waits.held_back(conversation):
                async with self._line:
                    await self._opened(longest)
        self._under_way += 1
        return self._limits

    def leave(self, *, answered: bool) -> None:
        """The call is over."""
        self._under_way -= 1
        if answered:
            self.answers += 1
            if self._room is not None:
                self._room += 1 / self._room
                if self._room >= self._most:
                    self._room = None
        if self._room is not None or self._line.locked():
            self._freed.set()

    def limited(self, after: int, seconds: float, why: str) -> None:
        """The endpoint asks to wait so long; `after` is what `enter` gave to the call that it told.

        Said once that call has left. Calls that were under way together tell of one limit, however many are refused.
        """
        opens_at = self._clock.monotonic() + min(seconds, _LONGEST_CLOSED)
        if self._opens_at is None or opens_at > self._opens_at:
            self._opens_at, self._why = opens_at, why
        if after == self._limits:
            self._limits += 1
            under_way = self._under_way + 1
            self._most = under_way if self._room is None else self._most
            self._room = max(1.0, under_way / 2)

    def shut(self, why: str) -> None:
        """It can't be asked any more in this run."""
        self._pacing.shut = self._pacing.shut or why

    async def _opened(self, longest: float) -> None:
        """Until it is open and has room for one more."""
        while True:
            opens_at = self._opens_at
            if opens_at is not None:
                seconds = max(0.0, opens_at - self._clock.monotonic())
                if seconds > longest:
                    raise TooLong(self._why, seconds)
                await self._clock.sleep(seconds)
                if self._opens_at == opens_at:
                    self._opens_at = None
            elif self._room is not None and self._under_way + 1 > self._room:
                self._freed.clear()
                await self._freed.wait()
            else:
                return

"""The time of a case that stands still at `world.now` (semantics: the world; field lesson T30)."""

from datetime import datetime

from greenroom.clock import Clock

__all__ = ["StillClock"]


class StillClock:
    """It is always the same moment; durations, sleeps and ids are the real clock's, so that limits still work."""

    def __init__(self, at: datetime, real: Clock) -> None:
        self._at = at
        self._real = real

    def now(self) -> datetime:
        """The moment the case is set in, with its own offset."""
        return self._at

    def monotonic(self) -> float:
        """Real seconds."""
        return self._real.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for so many real seconds."""
        await self._real.sleep(seconds)

    def new_id(self, prefix: str) -> str:
        """A fresh id of the real clock."""
        return self._real.new_id(prefix)

    def chance(self) -> float:
        """A random number of the real clock."""
        return self._real.chance()

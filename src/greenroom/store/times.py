"""Times as the tables hold them."""

from datetime import UTC, datetime, timedelta

from greenroom.clock import Clock

__all__ = ["as_utc", "stamp"]


def stamp(clock: Clock, *, after_s: float = 0) -> str:
    """Now, or so many seconds after it, as text that sorts as it reads."""
    return as_utc(clock.now() + timedelta(seconds=after_s))


def as_utc(moment: datetime) -> str:
    """Any moment, the same way."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")

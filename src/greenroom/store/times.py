"""Times as the tables hold them."""

from datetime import UTC, datetime

from greenroom.clock import Clock

__all__ = ["as_utc", "stamp"]


def stamp(clock: Clock) -> str:
    """Now, as text that sorts as it reads."""
    return clock.now().isoformat(timespec="milliseconds")


def as_utc(moment: datetime) -> str:
    """Any moment, the same way."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")

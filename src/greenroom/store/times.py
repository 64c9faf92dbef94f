"""Times as the tables hold them."""

from greenroom.clock import Clock

__all__ = ["stamp"]


def stamp(clock: Clock) -> str:
    """Now, as text that sorts as it reads."""
    return clock.now().isoformat(timespec="milliseconds")

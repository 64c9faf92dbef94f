"""Times as the tables hold them, and whether one that something waits for has come.

A moment further ahead than anything is put off was written while a clock was wrong; it counts as come, so that nothing
waits until then. Machines that share a database may tell the time minutes apart.
"""

from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, or_

from greenroom.clock import Clock

__all__ = ["as_utc", "has_come", "is_free", "is_held", "stamp"]

_LONGEST_WAIT_S = 86_400
"""Seconds. Longer than anything is put off; a review whose judge can't answer waits for nine hours at the most."""
_LONGEST_HOLD_S = 600
"""Seconds. Longer than a conversation is held from one sign of life on."""


def stamp(clock: Clock, *, after_s: float = 0) -> str:
    """Now, or so many seconds after it, as text that sorts as it reads."""
    return as_utc(clock.now() + timedelta(seconds=after_s))


def as_utc(moment: datetime) -> str:
    """Any moment, the same way."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def has_come(due_at: ColumnElement[str], clock: Clock) -> ColumnElement[bool]:
    """Whether what was put off to a moment is due."""
    return or_(due_at <= stamp(clock), due_at > stamp(clock, after_s=_LONGEST_WAIT_S))


def is_free(held_by: ColumnElement[str], held_until: ColumnElement[str], clock: Clock) -> ColumnElement[bool]:
    """Whether nobody holds a conversation."""
    return or_(held_by.is_(None), held_until < stamp(clock), held_until > stamp(clock, after_s=_LONGEST_HOLD_S))


def is_held(until: str, clock: Clock) -> bool:
    """Whether somebody who held something until a moment holds it still."""
    return stamp(clock) <= until <= stamp(clock, after_s=_LONGEST_HOLD_S)

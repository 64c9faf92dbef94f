"""Moments as people and calendars write them: ISO 8601, with an offset or without (semantics: the world)."""

from datetime import date, datetime

__all__ = ["OUT_OF_REACH", "moment_of", "same_moment", "spelled_out", "within_reach"]

_YEARS = range(1900, 3000)
OUT_OF_REACH = "is beyond the calendar; years go from 1900 to 2999"

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def moment_of(written: str) -> datetime | None:
    """The moment that a text names; None when it names none."""
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return None


def within_reach(day: date) -> bool:
    """Whether it is a day that somebody may mean. At the ends of the calendar whoever counts days falls off it."""
    return day.year in _YEARS


def spelled_out(moment: datetime) -> str:
    """A moment for whoever plays a part or grades it: `Saturday 2026-06-06T14:00-05:00`."""
    return f"{_DAYS[moment.weekday()]} {moment.isoformat(timespec='minutes')}"


def same_moment(left: str, right: str) -> bool:
    """Whether both name one moment; when only one of them has an offset, the same time on the clock."""
    if left == right:
        return True
    one, other = moment_of(left), moment_of(right)
    if one is None or other is None:
        return False
    if (one.tzinfo is None) != (other.tzinfo is None):
        one, other = one.replace(tzinfo=None), other.replace(tzinfo=None)
    return one == other

"""When somebody is free: pure arithmetic over hours, zones and what is taken (features.md A8; semantics: the world).

Hours are times on a clock in somebody's zone; appointments are moments and last so many elapsed minutes. On the days on
which clocks are changed the two part: times are counted from when the hours begin in elapsed minutes, so an hour that
the clock skips has none, and one that it shows twice has its times twice, as moments of their own. Hours that begin or
end within a skipped hour begin or end when it is over; those that name a repeated one hold both.

All moments given back are UTC, since two moments of one zone can't be compared or subtracted on such days.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from greenroom.conversation.appointments import Busy, OpenTime
from greenroom.documents.scheduling import OpenHours, Weekday, WeeklyHours

__all__ = ["Calendar", "free_times", "instant", "times_of"]

_WEEK = tuple(Weekday)
_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """When one person, or the business as a whole, sees people."""

    hours: WeeklyHours
    zone: tzinfo
    """Of the hours."""
    closed: frozenset[date] = frozenset()
    """Days on which no hours begin."""
    slot: timedelta
    """How long an appointment is."""
    representative: str = ""


def times_of(calendar: Calendar, since: datetime, until: datetime) -> Iterator[OpenTime]:
    """Every time that begins from `since` on and before `until`, free or not, the earliest first."""
    return free_times(calendar, (), since, until)


def free_times(calendar: Calendar, busy: Iterable[Busy], since: datetime, until: datetime) -> Iterator[OpenTime]:
    """Those that overlap nothing of `busy`, whoever's that is; the caller chooses what counts.

    What is taken is passed over in one step, however many times are in it: a full year costs no more than its days.
    """
    taken = _Taken(busy)
    first, last = since.astimezone(calendar.zone).date(), until.astimezone(calendar.zone).date()
    for opens, closes in _stretches(calendar, first - _DAY, last):
        # Not one by one from the beginning of the hours: `since` may be far into them.
        skipped = max(0, -((opens - since) // calendar.slot))
        start = opens + skipped * calendar.slot
        while start < until and start + calendar.slot <= closes:
            end = start + calendar.slot
            over = taken.until(start, end)
            if over is None:
                yield OpenTime(start=start, end=end, representative=calendar.representative)
                start = end
            else:
                start -= (start - over) // calendar.slot * calendar.slot


def instant(wall: datetime, zone: tzinfo, *, later: bool = False) -> datetime:
    """The moment at which a clock in a zone shows a time: the first one, or the `later`, when it shows it twice.

    A time that the clock skips is the moment at which it skips it.
    """
    moment = wall.replace(tzinfo=zone, fold=1 if later else 0).astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == wall.replace(fold=0):
        return moment
    # The two readings of a skipped time lie on both sides of the moment.
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    after = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    old = before.astimezone(zone).utcoffset()
    while after - before > _SECOND:
        middle = before + (after - before) // 2
        before, after = (middle, after) if middle.astimezone(zone).utcoffset() == old else (before, middle)
    return after.replace(microsecond=0)


def _stretches(calendar: Calendar, first: date, last: date) -> Iterator[tuple[datetime, datetime]]:
    """Hours of the days from first to last as moments, in order and apart from each other."""
    day, over = first, datetime.min.replace(tzinfo=UTC)
    while day <= last:
        hours: Sequence[OpenHours] = () if day in calendar.closed else calendar.hours.get(_WEEK[day.weekday()], ())
        for each in hours:
            # Of two that meet within a repeated hour, the first has it up to the second time that they meet.
            opens = max(over, instant(_wall(day, each.opens), calendar.zone))
            over = max(over, instant(_wall(day, each.closes), calendar.zone, later=True))
            yield opens, over
        day += _DAY


def _wall(day: date, minutes: int) -> datetime:
    return datetime.combine(day, time()) + timedelta(minutes=minutes)


class _Taken:
    """Times that are taken, put together where they touch or overlap, so that one look tells."""

    def __init__(self, busy: Iterable[Busy]) -> None:
        self._starts: list[datetime] = []
        self._ends: list[datetime] = []
        spans = ((each.start.astimezone(UTC), each.end.astimezone(UTC)) for each in busy)
        for start, end in sorted(span for span in spans if span[0] < span[1]):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def until(self, start: datetime, end: datetime) -> datetime | None:
        """When what lies between the two is over; None when nothing does."""
        at = bisect_right(self._starts, start)
        if at > 0 and self._ends[at - 1] > start:
            return self._ends[at - 1]
        return self._ends[at] if at < len(self._starts) and self._starts[at] < end else None

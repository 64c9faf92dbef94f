"""When somebody is free: pure arithmetic over hours, zones and what is taken (features.md A8; semantics: the world).

Hours are what a clock in somebody's zone shows; appointments are moments and last so many elapsed minutes. On the days
on which clocks are changed the two part: open is every moment at which the clock shows a time within the hours. An hour
that the clock skips is none, and one that it shows twice is open twice. Times are counted in elapsed minutes from where
it is open without a break, so each is as long as any other.

All moments given back are UTC, since two moments of one zone can't be compared or subtracted on such days.
"""

import heapq
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
    before, after = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (1, 0))
    return _change(before, after, zone)


def _change(before: datetime, after: datetime, zone: tzinfo) -> datetime:
    """When, between two moments with different offsets, the clocks of a zone are changed."""
    old = _offset(before, zone)
    while after - before > _SECOND:
        middle = before + (after - before) // 2
        before, after = (middle, after) if _offset(middle, zone) == old else (before, middle)
    return after.replace(microsecond=0)


def _offset(moment: datetime, zone: tzinfo) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()


_Span = tuple[datetime, datetime]


def _stretches(calendar: Calendar, first: date, last: date) -> Iterator[_Span]:
    """Where the hours of the days from first to last are open without a break, the earliest first."""
    waiting: list[_Span] = []
    day = first
    while day <= last:
        hours: Sequence[OpenHours] = () if day in calendar.closed else calendar.hours.get(_WEEK[day.weekday()], ())
        for each in hours:
            for span in _open(_wall(day, each.opens), _wall(day, each.closes), calendar.zone):
                heapq.heappush(waiting, span)
        day += _DAY
        # Hours of one day can come after some of the next: they may be after midnight, or shown a second time.
        midnight = instant(_wall(day, 0), calendar.zone)
        while waiting and waiting[0][0] < midnight:
            yield heapq.heappop(waiting)
    while waiting:
        yield heapq.heappop(waiting)


def _open(opens: datetime, closes: datetime, zone: tzinfo) -> Iterator[_Span]:
    """The moments at which a clock in the zone shows a time from `opens` until `closes`: two spans at the most."""
    since, until = (wall.replace(tzinfo=zone).astimezone(UTC) for wall in (opens - _DAY, closes + _DAY))
    old, new = _offset(since, zone), _offset(until, zone)
    before, after = _by_offset(opens, closes, old), _by_offset(opens, closes, new)
    if old == new:
        yield before
        return
    changed = _change(since, until, zone)
    before, after = (before[0], min(before[1], changed)), (max(after[0], changed), after[1])
    if before[0] < before[1] == after[0] < after[1]:
        yield before[0], after[1]
        return
    yield from (span for span in (before, after) if span[0] < span[1])


def _by_offset(opens: datetime, closes: datetime, offset: timedelta) -> _Span:
    return (opens - offset).replace(tzinfo=UTC), (closes - offset).replace(tzinfo=UTC)


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

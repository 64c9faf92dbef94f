"""When somebody is free, also on days on which clocks are changed (issue 4: DST and leap days)."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenroom.conversation.appointments import Busy
from greenroom.documents.scheduling import OpenHours, Weekday, WeeklyHours
from greenroom.world.availability import Calendar, free_times, instant, times_of

CHICAGO = ZoneInfo("America/Chicago")


def hours(*stretches: str) -> tuple[OpenHours, ...]:
    """`22:00-02:00` and the like."""
    read: list[OpenHours] = []
    for one in stretches:
        opens, closes = (int(each[:2]) * 60 + int(each[3:]) for each in one.split("-"))
        read.append(OpenHours(opens=opens, closes=closes if closes > opens else closes + 1440))
    return tuple(read)


def calendar(
    *stretches: str, zone: ZoneInfo = CHICAGO, minutes: int = 60, closed: Sequence[str] = (), day: str | None = None
) -> Calendar:
    """Open every day, or on one day of the week."""
    days = [Weekday(day)] if day else list(Weekday)
    return Calendar(
        hours=dict.fromkeys(days, hours(*stretches)),
        zone=zone,
        closed=frozenset(map(date.fromisoformat, closed)),
        slot=timedelta(minutes=minutes),
    )


def shown(calendar: Calendar, day: str, busy: Sequence[tuple[str, str]] = (), *, days: int = 1) -> list[str]:
    """What is free on some days, as a clock there shows it."""
    since = datetime.fromisoformat(day)
    until = since + timedelta(days=days)
    taken = [Busy(start=datetime.fromisoformat(start), end=datetime.fromisoformat(end)) for start, end in busy]
    zone = calendar.zone
    assert isinstance(zone, ZoneInfo)
    found = free_times(calendar, taken, instant(since, zone), instant(until, zone))
    return [time.start.astimezone(zone).isoformat(timespec="minutes") for time in found]


def test_times_follow_one_another_from_when_the_hours_begin() -> None:
    assert shown(calendar("09:00-12:00", "13:30-15:45"), "2026-06-06") == [
        "2026-06-06T09:00-05:00",
        "2026-06-06T10:00-05:00",
        "2026-06-06T11:00-05:00",
        "2026-06-06T13:30-05:00",
        "2026-06-06T14:30-05:00",
    ]


def test_what_is_taken_is_not_free_and_what_touches_it_is() -> None:
    busy = [("2026-06-06T10:00-05:00", "2026-06-06T11:00-05:00"), ("2026-06-06T18:59:00Z", "2026-06-06T19:01:00Z")]
    assert [time[11:16] for time in shown(calendar("09:00-15:00"), "2026-06-06", busy)] == ["09:00", "11:00", "12:00"]


def test_an_hour_that_the_clock_skips_has_no_times() -> None:
    """The clock goes from 02:00 to 03:00; 60 minutes from 01:30 on end at 03:30."""
    assert shown(calendar("00:30-05:30"), "2026-03-08") == [
        "2026-03-08T00:30-06:00",
        "2026-03-08T01:30-06:00",
        "2026-03-08T03:30-05:00",
        "2026-03-08T04:30-05:00",
    ]


def test_an_hour_that_the_clock_shows_twice_has_its_times_twice() -> None:
    assert shown(calendar("00:30-03:30"), "2026-11-01") == [
        "2026-11-01T00:30-05:00",
        "2026-11-01T01:30-05:00",
        "2026-11-01T01:30-06:00",
        "2026-11-01T02:30-06:00",
    ]


def test_hours_that_begin_or_end_within_a_skipped_hour_begin_or_end_when_it_is_over() -> None:
    assert shown(calendar("02:30-04:00", minutes=30), "2026-03-08") == [
        "2026-03-08T03:00-05:00",
        "2026-03-08T03:30-05:00",
    ]
    assert shown(calendar("01:00-02:30", minutes=30), "2026-03-08") == [
        "2026-03-08T01:00-06:00",
        "2026-03-08T01:30-06:00",
    ]


def test_hours_that_meet_within_a_repeated_hour_share_it_without_overlap() -> None:
    assert shown(calendar("00:30-01:30", "01:30-02:30", minutes=30), "2026-11-01") == [
        "2026-11-01T00:30-05:00",
        "2026-11-01T01:00-05:00",
        "2026-11-01T01:30-05:00",
        "2026-11-01T01:00-06:00",
        "2026-11-01T01:30-06:00",
        "2026-11-01T02:00-06:00",
    ]


def test_hours_that_begin_or_end_within_a_repeated_hour_are_open_whenever_the_clock_shows_them() -> None:
    assert shown(calendar("00:30-01:30", minutes=30), "2026-11-01") == [
        "2026-11-01T00:30-05:00",
        "2026-11-01T01:00-05:00",
        "2026-11-01T01:00-06:00",
    ]
    assert shown(calendar("01:30-02:30", minutes=30), "2026-11-01") == [
        "2026-11-01T01:30-05:00",
        "2026-11-01T01:30-06:00",
        "2026-11-01T02:00-06:00",
    ]


def test_hours_after_midnight_and_those_of_the_next_day_come_in_order_when_an_hour_is_repeated() -> None:
    week = {Weekday.SAT: hours("23:30-01:30"), Weekday.SUN: hours("01:30-03:00")}
    both = Calendar(hours=week, zone=CHICAGO, slot=timedelta(minutes=30))
    assert [time[8:] for time in shown(both, "2026-10-31", days=2)] == [
        "31T23:30-05:00",
        "01T00:00-05:00",
        "01T00:30-05:00",
        "01T01:00-05:00",
        "01T01:30-05:00",
        "01T01:00-06:00",
        "01T01:30-06:00",
        "01T02:00-06:00",
        "01T02:30-06:00",
    ]


def test_half_an_hour_may_be_skipped_and_a_whole_day_too() -> None:
    lord_howe = calendar("01:00-04:00", zone=ZoneInfo("Australia/Lord_Howe"))
    assert [time[11:] for time in shown(lord_howe, "2026-10-04")] == ["01:00+10:30", "02:30+11:00"]
    apia = calendar("09:00-10:00", zone=ZoneInfo("Pacific/Apia"))
    assert [time[:10] for time in shown(apia, "2011-12-29", days=3)] == ["2011-12-29", "2011-12-31"]


def test_hours_after_midnight_belong_to_the_day_on_which_they_begin() -> None:
    late = calendar("22:00-02:00", day="fri", closed=["2026-06-12"])
    assert shown(late, "2026-06-06", days=1) == ["2026-06-06T00:00-05:00", "2026-06-06T01:00-05:00"]
    assert shown(late, "2026-06-12", days=2) == []
    night = [time[5:16] for time in shown(calendar("18:00-09:00", minutes=300, day="fri"), "2026-06-05", days=3)]
    assert night == ["06-05T18:00", "06-05T23:00", "06-06T04:00"]


def test_a_leap_day_is_a_day() -> None:
    assert shown(calendar("09:00-10:00", day="tue"), "2028-02-28", days=3) == ["2028-02-29T09:00-06:00"]
    assert shown(calendar("23:30-00:30", day="tue"), "2028-02-29") == ["2028-02-29T23:30-06:00"]


def test_a_time_that_has_begun_is_not_offered() -> None:
    since, until = datetime(2026, 6, 6, 15, 0, 1, tzinfo=UTC), datetime(2026, 6, 6, 17, tzinfo=UTC)
    found = [time.start for time in times_of(calendar("09:00-17:00"), since, until)]
    assert found == [datetime(2026, 6, 6, 16, tzinfo=UTC)]


@pytest.mark.parametrize("zone", ["UTC", "America/Chicago", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia"])
def test_every_moment_is_the_instant_of_what_a_clock_shows_then(zone: str) -> None:
    there = ZoneInfo(zone)
    for hour in range(0, 24 * 400, 5):
        moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hour)
        wall = moment.astimezone(there)
        assert instant(wall.replace(tzinfo=None, fold=0), there, later=bool(wall.fold)) == moment


ZONES = st.sampled_from([
    "UTC",
    "America/Chicago",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Europe/Dublin",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Africa/Casablanca",
    "America/Havana",
    "Asia/Beirut",
]).map(ZoneInfo)
DAYS = st.sampled_from([
    "2026-03-06",
    "2026-03-27",
    "2026-04-03",
    "2026-10-02",
    "2026-10-30",
    "2027-12-30",
    "2028-02-27",
])


@st.composite
def weeks(draw: st.DrawFn) -> WeeklyHours:
    """Hours without overlaps; a day's last may go on after midnight, and then the next day begins after them."""
    week: WeeklyHours = {}
    earliest = 0
    for day in Weekday:
        latest = 1440 if day is Weekday.SUN else 1640
        marks = sorted(draw(st.lists(st.integers(min_value=earliest, max_value=latest), max_size=8, unique=True)))
        pairs = [pair for pair in zip(marks[::2], marks[1::2], strict=False) if pair[0] < 1440]
        week[day] = tuple(OpenHours(opens=opens, closes=closes) for opens, closes in pairs)
        earliest = max([0, *(closes - 1440 for _, closes in pairs)])
    return week


@settings(deadline=None)
@given(
    week=weeks(),
    zone=ZONES,
    day=DAYS,
    minutes=st.integers(min_value=5, max_value=200),
    busy=st.lists(st.tuples(st.integers(0, 6000), st.integers(-10, 900)), max_size=12),
)
def test_times_are_whole_free_within_hours_apart_and_in_order(
    week: WeeklyHours, zone: ZoneInfo, day: str, minutes: int, busy: list[tuple[int, int]]
) -> None:
    slot = timedelta(minutes=minutes)
    since = instant(datetime.fromisoformat(day), zone)
    until = since + timedelta(days=4)
    taken = [
        Busy(start=(start := since + timedelta(minutes=after)).astimezone(zone), end=start + timedelta(minutes=length))
        for after, length in busy
    ]
    seen_by = Calendar(hours=week, zone=zone, slot=slot)
    every = list(times_of(seen_by, since, until))
    free = list(free_times(seen_by, taken, since, until))
    starts = {time.start for time in free}

    assert all(time.start.tzinfo is UTC and time.end - time.start == slot for time in every)
    assert all(since <= time.start < until for time in every)
    assert all(one.end <= other.start for one, other in pairwise(every))
    for time in every:
        # Within hours: at no minute of it does a clock there show a time outside them, a skipped one aside.
        assert all(_is_open(week, (time.start + timedelta(minutes=m)).astimezone(zone)) for m in range(0, minutes, 7))
        overlaps = any(each.start < time.end and each.end > time.start and each.start < each.end for each in taken)
        assert (time.start in starts) is not overlaps
    assert free == [time for time in every if time.start in starts]


@settings(deadline=None)
@given(week=weeks(), zone=ZONES, day=DAYS)
def test_every_minute_at_which_the_clock_shows_hours_is_open_and_no_other(
    week: WeeklyHours, zone: ZoneInfo, day: str
) -> None:
    since = instant(datetime.fromisoformat(day), zone) + timedelta(hours=40)
    minutes = [since + timedelta(minutes=minute) for minute in range(18 * 60)]
    by_minute = Calendar(hours=week, zone=zone, slot=timedelta(minutes=1))
    found = [time.start for time in times_of(by_minute, minutes[0], minutes[-1] + timedelta(minutes=1))]
    assert found == [minute for minute in minutes if _is_open(week, minute.astimezone(zone))]


def _is_open(week: WeeklyHours, shown: datetime) -> bool:
    day, minute = shown.weekday(), shown.hour * 60 + shown.minute
    today, yesterday = (week.get(list(Weekday)[each % 7], ()) for each in (day, day - 1))
    in_hours = [(each.opens, each.closes) for each in today]
    in_hours += [(each.opens - 1440, each.closes - 1440) for each in yesterday]
    return any(opens <= minute < closes for opens, closes in in_hours)

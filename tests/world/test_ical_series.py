"""Series of events as careless programs write them: what never ends is told, the last one is taken (features.md A8)."""

from datetime import UTC, datetime

import pytest
from tests.servers.radicale import event

from greenroom.errors import CalendarUnreachable
from greenroom.world.calendars import CalendarWindow
from greenroom.world.ical import times_taken

pytestmark = pytest.mark.requirement("A8")

WINDOW = CalendarWindow(
    since=datetime(2026, 6, 1, tzinfo=UTC), until=datetime(2026, 7, 1, tzinfo=UTC), zone="America/Chicago"
)
IN_CHICAGO = "DTSTART;TZID=America/Chicago:20260601T210000"


@pytest.mark.parametrize(
    ("start", "rule"),
    [
        (IN_CHICAGO, "FREQ=DAILY;INTERVAL=0"),
        ("DTSTART;VALUE=DATE:20260601", "FREQ=WEEKLY;INTERVAL=-1"),
        (IN_CHICAGO, "FREQ=SECONDLY"),
        ("DTSTART:20200101T000000", "FREQ=MINUTELY"),
        ("DTSTART;VALUE=DATE:20100101", "FREQ=HOURLY"),
        ("DTSTART:20260601T000000Z", "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30"),
    ],
)
def test_a_series_that_takes_for_ever_to_unfold_is_told_at_once(start: str, rule: str) -> None:
    """The library counts on without an end, in a thread that nothing can stop."""
    with pytest.raises(CalendarUnreachable, match=r"an event that repeats too often to be read \(a\.ics\)"):
        times_taken([("a.ics", event("UID:1", start, "DURATION:P1D", f"RRULE:{rule}"))], WINDOW)


@pytest.mark.parametrize(
    ("start", "until"),
    [
        (IN_CHICAGO, "20260603"),
        (IN_CHICAGO, "20260603T210000"),
        (IN_CHICAGO, "20260604T020000Z"),
        ("DTSTART:20260601T210000", "20260603"),
        ("DTSTART:20260602T020000Z", "20260604"),
    ],
)
def test_the_last_of_a_series_is_taken_however_its_end_is_written(start: str, until: str) -> None:
    """Programs write a day there, or a time of the series' own clock, where the standard wants UTC."""
    series = event("UID:1", start, "DURATION:PT1H", f"RRULE:FREQ=DAILY;UNTIL={until};WKST=SU")
    days = [f"{each.start:%d %H:%M}" for each in times_taken([("a.ics", series)], WINDOW)]
    assert days == ["02 02:00", "03 02:00", "04 02:00"]


def test_a_series_that_repeats_by_the_hour_is_read_as_long_as_there_are_not_too_many() -> None:
    series = event("UID:1", "DTSTART:20260601T000000Z", "DURATION:PT10M", "RRULE:FREQ=HOURLY;INTERVAL=6;COUNT=5")
    assert len(times_taken([("a.ics", series)], WINDOW)) == 5

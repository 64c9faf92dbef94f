"""The rules of a series, before a library unfolds them: none that never ends, no end that is read too early.

Pure. Loaded with `ical` only.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from typing import Final, cast

from icalendar import Calendar, Event, vRecur

__all__ = ["EndlessSeries", "make_ready"]

_STEPS: Final = MappingProxyType({
    "SECONDLY": timedelta(seconds=1),
    "MINUTELY": timedelta(minutes=1),
    "HOURLY": timedelta(hours=1),
})
"""What is counted through within a day; the other frequencies have few enough steps in all of time."""
_MOST_STEPS: Final = 50_000
"""About three seconds of work, and more than five years of hours."""
_SEARCHES: Final = ("BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS")
"""Whoever looks for such a day hour by hour, as the library does, may look until the year 9999."""
_LAST_SECOND: Final = time(23, 59, 59)


class EndlessSeries(ValueError):
    """A rule that takes too long to be unfolded."""


def make_ready(calendar: Calendar, until: datetime) -> None:
    """Change the rules of its events so that they can be unfolded up to a moment.

    Raises:
        EndlessSeries: one of them would take for ever, or nearly.
    """
    for event in calendar.events:
        for rule in _rules(event):
            _refuse_endless(rule, event.start, until)
            _understand_end(rule, event.start)


def _rules(event: Event) -> Iterator[vRecur]:
    written = cast("vRecur | list[object] | None", event.get("RRULE"))
    yield from (one for one in (written if isinstance(written, list) else [written]) if isinstance(one, vRecur))


def _refuse_endless(rule: vRecur, start: date, until: datetime) -> None:
    interval = cast("int", _first(rule, "INTERVAL", 1))
    if interval < 1:
        raise EndlessSeries("a rule that never goes on")
    step = _STEPS.get(str(_first(rule, "FREQ", "")).upper())
    if step is None:
        return
    begins = start if isinstance(start, datetime) else datetime.combine(start, time())
    begins = begins if begins.tzinfo is not None else begins.replace(tzinfo=until.tzinfo)
    if (until - begins) / step > _MOST_STEPS * interval or any(word in rule for word in _SEARCHES):
        raise EndlessSeries("a rule with too many occurrences")


def _understand_end(rule: vRecur, start: date) -> None:
    """Make an end that is a day, or a time without a zone, what whoever wrote it meant.

    The standard wants a time in UTC there. The library takes a day for its midnight and any other time for UTC, and so
    the last occurrence for none.
    """
    end = _first(rule, "UNTIL", None)
    if not isinstance(end, date) or not isinstance(start, datetime):
        return
    if not isinstance(end, datetime):
        rule["UNTIL"] = [_in_utc(datetime.combine(end, _LAST_SECOND), start)]
    elif end.tzinfo is None:
        rule["UNTIL"] = [_in_utc(end, start)]


def _in_utc(wall: datetime, start: datetime) -> datetime:
    """A time of the clock that the series goes by; of a series without a zone as it stands."""
    if start.tzinfo is None:
        return wall
    return wall.replace(tzinfo=start.tzinfo).astimezone(UTC)


def _first(rule: vRecur, name: str, otherwise: object) -> object:
    values = cast("Sequence[object]", rule.get(name, ()))
    return values[0] if values else otherwise

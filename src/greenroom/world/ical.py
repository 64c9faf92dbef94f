"""Events as iCalendar writes them, RFC 5545: which times they take, and an appointment as one of them. Pure.

Series are unfolded, moved and cancelled occurrences included; days and times without a zone are those of the calendar's
owner. Loaded with `caldav` only.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, cast

import recurring_ical_events
from icalendar import Calendar, Event, vText

from greenroom import __version__
from greenroom.conversation.visible import clean, clean_line
from greenroom.documents.zones import zone_named
from greenroom.errors import CalendarUnreachable
from greenroom.world.calendars import CalendarEvent, CalendarWindow, MirroredEvent
from greenroom.world.ical_series import EndlessSeries, make_ready

__all__ = ["event_text", "file_name", "times_taken"]

_OURS = "@greenroom"
_WRITTEN_FOR = "X-GREENROOM-TIME"
"""Holds the time that we wrote, so that one that somebody moved in their calendar can be told from one at rest."""
_A_DAY = timedelta(days=1)


def times_taken(resources: Iterable[tuple[str, str]], window: CalendarWindow) -> Sequence[CalendarEvent]:
    """The times that events take, from the resources of a calendar, each with its name.

    Raises:
        CalendarUnreachable: one of them can't be read; nobody could say whether its time is free.
    """
    found = [event for name, text in resources for event in _of_resource(name, text, window)]
    return tuple(sorted(found, key=lambda event: (event.start, event.end)))


def event_text(event: MirroredEvent) -> str:
    """An appointment as one event, in UTC: it stays at its instant whatever becomes of anybody's time zone."""
    start, end = event.start.astimezone(UTC), event.end.astimezone(UTC)
    made = Event.new(
        uid=f"{event.appointment_id}{_OURS}",
        stamp=event.written_at.astimezone(UTC),
        start=start,
        end=end,
        summary=clean_line(event.title),
        description=clean(event.description) or None,
    )
    made[_WRITTEN_FOR] = vText(_span(start, end))
    calendar = Calendar()
    calendar["PRODID"] = vText(f"-//Greenroom//Greenroom {__version__}//EN")
    calendar["VERSION"] = vText("2.0")
    calendar.add_component(made)
    return calendar.to_ical().decode()


def file_name(appointment_id: str) -> str:
    """What an appointment's resource is called; the same at every try."""
    return f"{appointment_id}{_OURS}.ics"


def _of_resource(name: str, text: str, window: CalendarWindow) -> Iterator[CalendarEvent]:
    zone = zone_named(window.zone)
    # A day more on both sides: a day, or a time without a zone, is meant in the owner's zone.
    since, until = window.since.astimezone(UTC) - _A_DAY, window.until.astimezone(UTC) + _A_DAY
    try:
        occurrences = [(event, *_times(event, zone)) for event in _occurrences(text, since, until)]
    except EndlessSeries as fault:
        raise CalendarUnreachable(f"it holds an event that repeats too often to be read ({name})") from fault
    # Whatever stands in somebody's calendar, it is told of and breaks nothing; the libraries raise all kinds.
    except Exception as fault:
        raise CalendarUnreachable(f"it holds an event that can't be read ({name})") from fault
    for event, start, end in occurrences:
        if start < end and end > window.since and start < window.until and _takes_time(event, window.owner):
            yield CalendarEvent(start=start, end=end, mirrors=_mirrors(event, start, end))


def _occurrences(text: str, since: datetime, until: datetime) -> list[Event]:
    calendar = Calendar.from_ical(text)
    make_ready(calendar, until)
    query: Any = recurring_ical_events.of(calendar)  # pyright: ignore[reportUnknownMemberType]  # it has no types
    return cast("list[Event]", query.between(since, until))


def _times(event: Event, zone: tzinfo) -> tuple[datetime, datetime]:
    return _moment(event.start, zone), _moment(event.end, zone)


def _moment(at: date, zone: tzinfo) -> datetime:
    if not isinstance(at, datetime):
        at = datetime.combine(at, time(), zone)
    return (at if at.tzinfo is not None else at.replace(tzinfo=zone)).astimezone(UTC)


def _takes_time(event: Event, owner: str) -> bool:
    if _word(event, "TRANSP") == "TRANSPARENT" or _word(event, "STATUS") == "CANCELLED":
        return False
    return not (owner and _declined(event, owner.casefold()))


def _declined(event: Event, owner: str) -> bool:
    answers: list[tuple[str, Mapping[str, object]]] = [(str(one), one.params) for one in event.attendees]
    return any(
        who.casefold() == f"mailto:{owner}" and str(answer.get("PARTSTAT", "")).upper() == "DECLINED"
        for who, answer in answers
    )


def _mirrors(event: Event, start: datetime, end: datetime) -> str | None:
    uid = _word(event, "UID", upper=False)
    if not uid.endswith(_OURS) or _word(event, _WRITTEN_FOR) != _span(start, end):
        return None
    return uid.removesuffix(_OURS)


def _word(event: Event, name: str, *, upper: bool = True) -> str:
    word = str(cast("object", event.get(name, ""))).strip()
    return word.upper() if upper else word


def _span(start: datetime, end: datetime) -> str:
    return "/".join(moment.strftime("%Y%m%dT%H%M%SZ") for moment in (start, end))

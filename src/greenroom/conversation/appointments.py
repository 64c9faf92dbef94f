"""Appointments, the times that are free or taken, and how they are told (features.md A5, A8)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from enum import StrEnum

from greenroom.conversation.json_values import Json

__all__ = [
    "Appointment",
    "AppointmentPage",
    "AppointmentRecord",
    "AppointmentStatus",
    "Busy",
    "OpenTime",
    "Spelling",
    "appointment_values",
    "known_of_appointment",
    "pinned",
    "spelled_clock",
    "spelled_span",
    "spelled_time",
    "upcoming",
    "zone_mark",
]


class AppointmentStatus(StrEnum):
    """How an appointment stands."""

    BOOKED = "booked"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Appointment:
    """A time that somebody has with the business. It ends after it starts; both moments have a time zone."""

    appointment_id: str
    title: str
    start: datetime
    end: datetime
    representative: str = ""
    """The key of one of the agent's representatives; empty: the agent's own calendar."""
    status: AppointmentStatus = AppointmentStatus.BOOKED
    person_id: str | None = None
    notes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointmentRecord:
    """An appointment as it is kept. Times that are text are ISO 8601, UTC."""

    appointment: Appointment
    agent: str
    conversation: str | None
    """In which it was booked; None when it was written down otherwise."""
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointmentPage:
    """Some appointments, and the mark of where the next ones begin; None when these were the last."""

    appointments: tuple[AppointmentRecord, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Busy:
    """A time that is taken, whoever took it; `end` is not part of it."""

    start: datetime
    end: datetime
    representative: str = ""
    """Whose time; empty: the agent's own calendar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTime:
    """A time that can be booked."""

    start: datetime
    end: datetime
    representative: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """How an agent writes times and names of its representatives, as its transcripts show them."""

    half_days: bool = False
    """`2:00 pm` in place of `14:00`."""
    representatives: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ids to names."""
    zone: tzinfo = UTC
    """Whose clock is meant by a time without an offset."""


def appointment_values(appointment: Appointment) -> dict[str, Json]:
    """What checks look into and reports show, by the names that people write; times in ISO 8601."""
    return {"id": appointment.appointment_id, **known_of_appointment(appointment)}


def known_of_appointment(appointment: Appointment) -> dict[str, Json]:
    """The same without the id, which nobody can know beforehand."""
    return {
        "title": appointment.title,
        "start": appointment.start.isoformat(),
        "end": appointment.end.isoformat(),
        "representative": appointment.representative,
        "status": appointment.status.value,
        "notes": appointment.notes,
    }


def upcoming(appointments: Iterable[Appointment], now: datetime) -> tuple[Appointment, ...]:
    """Those that hold and are not over, the earliest first."""
    coming = (each for each in appointments if each.status is AppointmentStatus.BOOKED and each.end > now)
    return tuple(sorted(coming, key=lambda each: (each.start, each.appointment_id)))


def pinned(moment: datetime, zone: tzinfo) -> datetime:
    """The moment as a clock in a zone shows it, with a fixed offset.

    Two moments of one `ZoneInfo` are compared and subtracted by what the clock shows, which is wrong on days on which
    it is changed.
    """
    there = moment.astimezone(zone)
    return there.replace(tzinfo=timezone(there.utcoffset() or timedelta()), fold=0)


def zone_mark(moment: datetime, zone: tzinfo) -> str:
    """` (CDT)`, which tells a moment from the other one that a clock in the zone shows alike; else nothing."""
    there = moment.astimezone(zone)
    is_shown_twice = there.replace(fold=0).utcoffset() != there.replace(fold=1).utcoffset()
    return f" ({there:%Z})" if is_shown_twice else ""


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def spelled_time(moment: datetime, *, half_days: bool = False, year: bool = True) -> str:
    """`Sat 6 June 2026, 14:00` by the moment's own offset; with `half_days` `2:00 pm`."""
    day = f"{_DAYS[moment.weekday()]} {moment.day} {_MONTHS[moment.month - 1]}"
    return f"{day}{f' {moment.year}' if year else ''}, {spelled_clock(moment, half_days=half_days)}"


def spelled_span(start: datetime, end: datetime, *, half_days: bool = False, zone: tzinfo | None = None) -> str:
    """`Sat 6 June 2026, 14:00–15:00`; the day of the end is told when it is another.

    In a zone whose clock shows one of them twice that one is marked: `01:00 (CDT)–01:00 (CST)`.
    """
    marks = ("", "") if zone is None else (zone_mark(start, zone), zone_mark(end, zone))
    same_day = start.date() == end.date()
    until = spelled_clock(end, half_days=half_days) if same_day else spelled_time(end, half_days=half_days)
    since = spelled_time(start, half_days=half_days)
    return f"{since}{marks[0]}{'–' if same_day else ' – '}{until}{marks[1]}"


def spelled_clock(moment: datetime, *, half_days: bool = False) -> str:
    """`14:00`, or `2:00 pm`."""
    if not half_days:
        return f"{moment.hour:02}:{moment.minute:02}"
    return f"{moment.hour % 12 or 12}:{moment.minute:02} {'am' if moment.hour < _NOON else 'pm'}"


_NOON = 12

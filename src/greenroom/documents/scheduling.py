"""When people may be seen, and how that is written (documents.md: `scheduling`; features.md A5, A8).

What an agent's `scheduling`, a representative's `hours`, a case's `appointments` and its `world.calendar` hold. When
somebody is free is worked out of it in `world.availability`.
"""

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from greenroom.conversation.appointments import AppointmentStatus
from greenroom.documents.parts import Credential, Doc, Duration, FilledFromEnvironment, Meant
from greenroom.documents.prepared import PreparedMessage
from greenroom.documents.sizes import BUSY_TIMES, CLOSED_DAYS, LONGEST_MINUTES, NAME_CHARS, NOTES_CHARS, REMINDERS

__all__ = [
    "BusyTime",
    "CaseAppointment",
    "CaseCalendar",
    "ExternalCalendar",
    "LocalMoment",
    "OpenHours",
    "Scheduling",
    "Weekday",
    "WeeklyHours",
    "WhichCalendar",
    "spelled_hours",
    "spelled_stretch",
]

LocalMoment: TypeAlias = datetime
"""A date and time as it is written: without an offset it is meant in the agent's time zone."""


class Weekday(StrEnum):
    """The days of the week, as `hours` names them."""

    MON = "mon"
    TUE = "tue"
    WED = "wed"
    THU = "thu"
    FRI = "fri"
    SAT = "sat"
    SUN = "sun"


class OpenHours(Doc):
    """One stretch of a day in which appointments may be, `09:00-12:00`; in minutes after the day's midnight."""

    opens: int = Field(ge=0, lt=1440)
    """When it begins."""
    closes: int = Field(gt=0, le=2880)
    """When it ends; more than 1440 is after midnight, on the next day."""


WeeklyHours: TypeAlias = dict[Weekday, tuple[OpenHours, ...]]
"""The hours of each day of the week; a day that is not there has none."""


def spelled_hours(hours: WeeklyHours) -> str:
    """`mon 09:00-12:00, 13:00-17:00; sat 22:00-02:00`, days with the same hours together."""
    days = [(day, ", ".join(map(spelled_stretch, several))) for day, several in hours.items() if several]
    told: dict[str, list[str]] = {}
    for day, times in days:
        told.setdefault(times, []).append(day.value)
    return "; ".join(f"{', '.join(named)} {times}" for times, named in told.items())


def spelled_stretch(hours: OpenHours) -> str:
    """`09:00-12:00`, as it is written."""
    return "-".join(f"{_hour(minutes):02}:{minutes % 60:02}" for minutes in (hours.opens, hours.closes))


def _hour(minutes: int) -> int:
    return minutes // 60 if minutes <= _DAY else minutes // 60 - 24


_DAY = 1440
"""Minutes."""


class ExternalCalendar(Doc):
    """A calendar of the business's own, which is asked what is taken and told of appointments."""

    caldav: FilledFromEnvironment = Field(min_length=1)
    """The address of one calendar on a CalDAV server: `https://…`, so that nobody reads the password on its way.

    `http` is for a calendar without a password, or on this machine.
    """
    user: FilledFromEnvironment = ""
    """Whom to log in as."""
    password: Credential = ""
    """The password, as `${NAME}`; a test reads the calendar too, and needs it."""


WhichCalendar: TypeAlias = Literal["embedded"] | ExternalCalendar


class Scheduling(Doc):
    """How appointments are made."""

    by_other_words: ClassVar[Mapping[str, str]] = MappingProxyType({"reminders": "remind", "remind_before": "remind"})

    calendar: WhichCalendar = "embedded"
    """Where what is taken stands: in Greenroom alone (`embedded`), or also in a CalDAV calendar.

    What is taken there is taken for everybody.
    """
    hours: WeeklyHours = Field(default_factory=WeeklyHours)
    """When appointments may be: `{mon: ["09:00-12:00", "13:00-17:00"], sat: 10:00-14:00}`.

    Keys are days, `weekdays`, `weekend` and `daily`; a day's own hours come before those of `weekdays` or `weekend`,
    and these before `daily`. `22:00-02:00` goes on after midnight, and `closed` closes a day.
    """
    closed: Annotated[tuple[date, ...], Meant.ONE_OR_MORE] = Field(default=(), max_length=CLOSED_DAYS)
    """Dates on which nothing begins, one or several: `2026-12-25`."""
    slot_minutes: int = Field(default=60, ge=5, le=1440)
    """How long an appointment is, in minutes. Times are offered one after another from when the hours begin."""
    notice: Duration = 0.0
    """How long before an appointment it has to be made, such as `2h`. Left out: up to its beginning."""
    ahead: Duration = 2_592_000.0
    """How far ahead appointments can be made."""
    offer: int = Field(default=5, ge=1, le=20)
    """How many times are offered at once."""
    clock: Literal["24h", "12h"] = "24h"
    """How times are shown to people: `14:00` or `2:00 pm`."""
    remind: Annotated[tuple[Duration, ...], Meant.ONE_OR_MORE] = Field(default=(), max_length=REMINDERS)
    """How long before an appointment the person is reminded of it, once or several times: `24h`."""
    reminder: PreparedMessage | None = None
    """What a reminder says: a template's name, text, or message parts.

    It may name `{{appointment.title}}`, `start`, `date`, `time` and `representative`. Left out: the title, the date
    and the time.
    """


class CaseAppointment(Doc):
    """An appointment that the person of a case has when it begins."""

    title: str = Field(min_length=1, max_length=NAME_CHARS)
    """What it is for."""
    start: LocalMoment
    """When it begins. Without an offset it is the agent's time."""
    end: LocalMoment | None = None
    """When it ends. Left out: `minutes` later."""
    minutes: int | None = Field(default=None, ge=1, le=LONGEST_MINUTES)
    """How long it is, in place of `end`. Left out: the agent's `slot_minutes`."""
    representative: str = ""
    """With whom: an id of the agent's `representatives`. Left out: the person's own, if they have one."""
    status: AppointmentStatus = AppointmentStatus.BOOKED
    """Whether it holds."""
    notes: str = Field(default="", max_length=NOTES_CHARS)
    """Notes on it."""


class BusyTime(Doc):
    """A time that is taken."""

    start: LocalMoment
    """From when. Without an offset it is the agent's time."""
    end: LocalMoment
    """Until when."""
    representative: str = ""
    """Whose time: an id of the agent's `representatives`. Left out: everybody's."""


class CaseCalendar(Doc):
    """What is taken in a case, in place of what really is."""

    busy: tuple[BusyTime, ...] = Field(default=(), max_length=BUSY_TIMES)
    """The times that are taken."""

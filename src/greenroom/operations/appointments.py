"""Appointments of the workspace: listed and shown; live ones, unless the sandbox is asked for (features.md A7)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

from greenroom.conversation.appointments import AppointmentPage, AppointmentRecord, AppointmentStatus
from greenroom.conversation.moments import OUT_OF_REACH, within_reach
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.timers import Timer
from greenroom.documents.zones import zone_named
from greenroom.errors import UsageError
from greenroom.operations.context import Context
from greenroom.operations.narrowing import in_order, known_agent, known_person, known_representative
from greenroom.store.appointment_lists import AppointmentFilter, AppointmentLists
from greenroom.store.partition import Partition
from greenroom.world.policy import is_of_live_test

__all__ = ["AppointmentsRequest", "ListedAppointments", "list_appointments", "show_appointment"]

_A_TEST = "live test"


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointmentsRequest:
    """Which appointments; left out, all of them. What is given must all hold."""

    agent: str | None = None
    person: str | None = None
    """A person's id, or one of their identities."""
    representative: str | None = None
    """The id of one of the agent's; empty: those that are with nobody in particular."""
    status: AppointmentStatus | None = None
    since: str | None = None
    """They begin then or later: `today`, a date, or a date and time. Without an offset it is the project's time."""
    until: str | None = None
    """They begin before; of a date, before it is over."""
    sandbox: bool = False
    """The sandbox partition, in place of the live side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedAppointments:
    """A page, and the names of the people on it."""

    page: AppointmentPage
    names: Mapping[str, str]
    """By person's id; nobody's who has no name. Whoever plays one in a live test is on no record: `live test`."""
    reminders: Sequence[Timer] = ()
    """Of the one that is shown."""


async def list_appointments(
    context: Context, request: AppointmentsRequest, *, limit: int = 50, after: str | None = None
) -> ListedAppointments:
    """A page of them, the earliest first.

    Raises:
        NotFound: an agent, a representative or a person that there never was.
        UsageError: a moment or a mark that can't be read, or days that end before they begin.
    """
    where = Partition.asked(sandbox=request.sandbox)
    # A zone that nobody asked for yet is read from a file.
    zone = await asyncio.to_thread(zone_named, context.project.time_zone)
    today = context.clock.now().astimezone(zone)
    since = None if request.since is None else _moment(today, request.since, "since")
    until = None if request.until is None else _moment(today, request.until, "until", end_of_day=True)
    if since is not None and until is not None and request.since != request.until:
        # Until a day means before it is over: the day after it is no day of the list any more.
        last = until - timedelta(microseconds=1)
        in_order(since, last, written=(str(request.since), str(request.until)), hint=_hint(request))
    wanted = AppointmentFilter(
        agent=request.agent and await known_agent(context, request.agent, where=where),
        person_id=None if request.person is None else await known_person(context, request.person, where=where),
        representative=request.representative
        and await known_representative(context, request.representative, where=where),
        status=request.status,
        since=since,
        until=until,
    )
    page = await _lists(context, request.sandbox).page(wanted, limit=limit, after=after)
    return ListedAppointments(page=page, names=await _names(context, page.appointments, request.sandbox))


async def show_appointment(context: Context, appointment_id: str, *, sandbox: bool = False) -> ListedAppointments:
    """One appointment. Raises `NotFound`."""
    record = await _lists(context, sandbox).get(appointment_id)
    page = AppointmentPage(appointments=(record,), next=None)
    reminders = () if sandbox else await context.store.timers().of_subject(OwnMessageKind.REMINDER, appointment_id)
    return ListedAppointments(page=page, names=await _names(context, page.appointments, sandbox), reminders=reminders)


def _lists(context: Context, sandbox: bool) -> AppointmentLists:
    return context.store.appointment_lists(Partition.asked(sandbox=sandbox))


async def _names(context: Context, records: Sequence[AppointmentRecord], sandbox: bool) -> Mapping[str, str]:
    people = {person_id for each in records if (person_id := each.appointment.person_id)}
    played = {each.appointment.person_id or "" for each in records if is_of_live_test(each.conversation)}
    found = await context.store.people(Partition.asked(sandbox=sandbox)).called(people - played)
    known = {person_id: name for person_id, name in found.items() if name}
    return known | dict.fromkeys(people & played, _A_TEST)


def _hint(request: AppointmentsRequest) -> str:
    return "name an earlier day as `since`" if request.since == "today" else "the first day comes first"


def _moment(now: datetime, text: str, option: str, *, end_of_day: bool = False) -> datetime:
    """What is meant, where a clock shows `now`."""
    if text == "today":
        day = now.date()
    else:
        try:
            day = date.fromisoformat(text)
        except ValueError:
            return _time_of_day(text, option, now.tzinfo)
    _within_reach(day, text, option)
    return datetime.combine(day + timedelta(days=1) if end_of_day else day, time(), now.tzinfo)


def _within_reach(day: date, text: str, option: str) -> None:
    if not within_reach(day):
        raise UsageError(f"`{option}` {text!r} {OUT_OF_REACH}")


def _time_of_day(text: str, option: str, zone: tzinfo | None) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"`{option}` {text!r} is no day and no time; write `today`, a date such as 2026-06-06, or 2026-06-06T14:00"
        ) from None
    _within_reach(moment, text, option)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)

"""Appointments as lines and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo

from greenroom.conversation.appointments import (
    AppointmentPage,
    AppointmentRecord,
    AppointmentStatus,
    appointment_values,
)
from greenroom.conversation.json_values import Json
from greenroom.conversation.timers import Timer
from greenroom.conversation.visible import one_line
from greenroom.reports.lines import EMPTY, Line, Tone, cells, cut, line, padded, span
from greenroom.reports.moments import minute, offset_words
from greenroom.reports.outreach import timer_lines
from greenroom.reports.pages import more_line

__all__ = ["appointment_json", "appointment_lines", "page_json", "page_lines"]

_COLUMN = 28
"""No column of the list is wider."""


def page_lines(page: AppointmentPage, names: Mapping[str, str], *, where: str) -> Iterator[Line]:
    """One line an appointment, in columns; a sentence when there is none. `where` says which were looked for."""
    if not page.appointments:
        yield line(f"There are no such appointments{where}.")
        return
    rows = [_row(record, names) for record in page.appointments]
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    for record, row in zip(page.appointments, rows, strict=True):
        shown = (padded(text, width) for text, width in zip(row, widths, strict=True) if width)
        yield line("  ".join(shown), span(f"  {record.appointment.appointment_id}", Tone.QUIET))
    if page.next is not None:
        yield more_line(page.next)


def appointment_lines(
    record: AppointmentRecord, names: Mapping[str, str], reminders: Sequence[Timer] = (), zone: tzinfo = UTC
) -> Iterator[Line]:
    """Everything that is known of one, a line each."""
    it = record.appointment
    person = it.person_id or ""
    known = {
        "when": _when(it.start, it.end),
        "status": it.status.value,
        "agent": record.agent,
        "representative": it.representative,
        "person": f"{names[person]} ({person})" if person in names else person,
        "conversation": record.conversation or "",
        "notes": it.notes,
        "created": minute(record.created_at, zone),
        "updated": minute(record.updated_at, zone),
    }
    yield line(span(it.title, Tone.TITLE), span(f"  {it.appointment_id}", Tone.QUIET))
    told = {name: value for name, value in known.items() if value}
    width = max(map(cells, told))
    for name, value in told.items():
        yield line(f"  {padded(name, width)}  ", value)
    if reminders:
        yield EMPTY
    yield from timer_lines(reminders, zone)


def page_json(page: AppointmentPage, names: Mapping[str, str]) -> Mapping[str, Json]:
    """A page, and where the next one begins."""
    return {"appointments": [appointment_json(record, names) for record in page.appointments], "next": page.next}


def appointment_json(record: AppointmentRecord, names: Mapping[str, str]) -> Mapping[str, Json]:
    """Everything that is known of one."""
    person = record.appointment.person_id
    return {
        **appointment_values(record.appointment),
        "agent": record.agent,
        "person": person,
        "person_name": names.get(person or ""),
        "conversation": record.conversation,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
    }


def _row(record: AppointmentRecord, names: Mapping[str, str]) -> tuple[str, ...]:
    it = record.appointment
    person = it.person_id or ""
    texts = (it.title, names.get(person, person), record.agent, it.representative)
    state = "" if it.status is AppointmentStatus.BOOKED else it.status.value
    return (_when(it.start, it.end), *(cut(one_line(text), _COLUMN) for text in texts), state)


def _when(start: datetime, end: datetime) -> str:
    """By the clock of whoever booked it: the offset is part of what was kept."""
    until = f"–{end:%H:%M}" if start.date() == end.date() else f" – {end:%Y-%m-%d %H:%M}"
    return f"{start:%a %Y-%m-%d %H:%M}{until} {offset_words(start)}"

"""Appointments, and the times that are free or taken (features.md A5, A8)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from greenroom.conversation.json_values import Json

__all__ = [
    "Appointment",
    "AppointmentPage",
    "AppointmentRecord",
    "AppointmentStatus",
    "Busy",
    "OpenTime",
    "appointment_values",
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


def appointment_values(appointment: Appointment) -> dict[str, Json]:
    """What checks look into and reports show, by the names that people write; times in ISO 8601."""
    return {
        "id": appointment.appointment_id,
        "title": appointment.title,
        "start": appointment.start.isoformat(),
        "end": appointment.end.isoformat(),
        "representative": appointment.representative,
        "status": appointment.status.value,
        "notes": appointment.notes,
    }

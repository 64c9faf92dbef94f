"""Checks on the person's appointments as persisted (features.md A5, E1)."""

from collections.abc import Mapping

from greenroom.conversation.appointments import Appointment, Spelling, appointment_values
from greenroom.conversation.json_values import Json
from greenroom.documents.checks import AppointmentIs
from greenroom.grading.checks.counts import Bounds, times
from greenroom.grading.checks.scope import Decision, Scope
from greenroom.grading.checks.spelled import spelled_appointment
from greenroom.grading.checks.state_entities import as_the_clock_shows, entity_misfits

__all__ = ["decide_appointment"]


def decide_appointment(check: AppointmentIs, scope: Scope) -> Decision:
    """So many appointments of the person are as it says, when what is looked at is over."""
    bounds, appointments = Bounds.of(check), scope.appointments
    spelling = scope.evidence.spelling
    conditions = {
        name: as_the_clock_shows(matcher, spelling.zone) if name in {"start", "end"} else matcher
        for name, matcher in check.conditions.items()
    }
    misfits = [_misfits(conditions, each) for each in appointments]
    fitting = sum(not reasons for reasons in misfits)
    if bounds.holds(fitting):
        return Decision(passed=True)
    if not appointments:
        return Decision(passed=False, detail=f"expected {bounds}; the person has no appointment")
    detail = f"expected {bounds}; got {times(fitting) if fitting else 'no such appointment'}"
    wrong = [index for index, reasons in enumerate(misfits) if reasons]
    if fitting < bounds.low and wrong:
        nearest = min(wrong, key=lambda index: len(misfits[index]))
        detail += f"; nearest: {_named(appointments[nearest], spelling)}: {'; '.join(misfits[nearest])}"
    return Decision(passed=False, detail=detail)


def _misfits(conditions: Mapping[str, Json], appointment: Appointment) -> list[str]:
    values = appointment_values(appointment)
    return [
        f"{name}: {why}"
        for name, matcher in conditions.items()
        for _, why in entity_misfits("appointments", {name: matcher}, values)
    ]


def _named(appointment: Appointment, spelling: Spelling) -> str:
    return f"{spelled_appointment(appointment_values(appointment), spelling)}, {appointment.status}"

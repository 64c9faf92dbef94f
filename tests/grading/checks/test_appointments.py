"""Checks on a person's appointments, as persisted at the end (features.md A5, E1)."""

from datetime import datetime

import pytest
from tests.grading.makers import evidence, make_case, said

from greenroom.conversation.appointments import Appointment, AppointmentStatus
from greenroom.conversation.outcomes import CheckOutcome
from greenroom.documents.checks import AppointmentIs
from greenroom.grading.checks.registry import decide_checks

pytestmark = pytest.mark.requirement("A5", "E1")

BOAT = Appointment(
    appointment_id="appointment-1",
    title="Powerboat",
    start=datetime.fromisoformat("2026-06-06T14:00-05:00"),
    end=datetime.fromisoformat("2026-06-06T15:00-05:00"),
    representative="dana",
    notes="wants a cooler",
    person_id="p1",
)
CANOE = Appointment(
    appointment_id="appointment-2",
    title="Canoe",
    start=datetime.fromisoformat("2026-06-07T09:00-05:00"),
    end=datetime.fromisoformat("2026-06-07T10:00-05:00"),
    status=AppointmentStatus.CANCELLED,
    person_id="p1",
)


def decided(check: AppointmentIs, *appointments: Appointment) -> CheckOutcome:
    (outcome,) = decide_checks(make_case(check), evidence(*said("Hi"), appointments=appointments))
    return outcome


@pytest.mark.parametrize(
    ("check", "passes"),
    [
        (AppointmentIs(status="booked"), True),
        (AppointmentIs(status="cancelled", title="Canoe"), True),
        (AppointmentIs(status="cancelled", title="Powerboat"), False),
        (AppointmentIs(status={"one_of": ["booked", "cancelled"]}, exactly=2), True),
        (AppointmentIs(title={"regex": "boat$"}), True),
        (AppointmentIs(start="2026-06-06T14:00"), True),
        (AppointmentIs(start="2026-06-06T14:00-05:00"), True),
        (AppointmentIs(start="2026-06-06T19:00:00Z", end="2026-06-06T20:00+00:00"), True),
        (AppointmentIs(start="2026-06-06"), True),
        (AppointmentIs(start="2026-06-06T14:00+00:00"), False),
        (AppointmentIs(start={"at_least": "2026-06-07"}, exactly=1), True),
        (AppointmentIs(representative="dana", notes={"contains": "cooler"}), True),
        (AppointmentIs(representative="", exactly=1), True),
        (AppointmentIs(at_most=1, status="booked"), True),
        (AppointmentIs(at_most=1), False),
        (AppointmentIs(exactly=0, status="booked"), False),
    ],
)
def test_appointments_are_checked_as_persisted(check: AppointmentIs, passes: bool) -> None:
    assert decided(check, BOAT, CANOE).passed is passes


def test_a_check_that_fails_shows_the_nearest_appointment_and_what_differs() -> None:
    outcome = decided(AppointmentIs(status="booked", start="2026-06-06T16:00", representative="lee"), CANOE, BOAT)
    assert outcome.detail == (
        "expected at least once; got no such appointment; nearest: Powerboat, Sat 6 June 2026, 14:00–15:00, with dana, "
        'booked: start: expected exactly "2026-06-06T16:00", got "2026-06-06T14:00:00-05:00"; '
        'representative: expected exactly "lee", got "dana"'
    )


def test_a_person_without_appointments_is_told_as_one() -> None:
    assert decided(AppointmentIs(status="booked")).detail == "expected at least once; the person has no appointment"
    assert decided(AppointmentIs(status="booked", exactly=0)).passed
    assert decided(AppointmentIs(exactly=1), BOAT, CANOE).detail == "expected exactly once; got 2 times"

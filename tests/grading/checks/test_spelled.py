"""A failed check says times and names as the transcript does, so that a reader finds its line (features.md E1)."""

from dataclasses import replace
from datetime import datetime

import pytest
from tests.grading.makers import effect, evidence, make_case, turn

from greenroom.conversation.appointments import Appointment, Spelling, appointment_values, known_of_appointment
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.world_state import Entities, WorldSeen, WorldState
from greenroom.documents.checks import AppointmentIs, EffectIs, Expectation
from greenroom.documents.state import StateIs
from greenroom.grading.checks.registry import decide_checks

pytestmark = pytest.mark.requirement("E1")

BOAT = Appointment(
    appointment_id="appointment-1",
    title="Powerboat",
    start=datetime.fromisoformat("2026-06-06T14:00-05:00"),
    end=datetime.fromisoformat("2026-06-06T15:00-05:00"),
    representative="dana",
    person_id="p1",
)
EARLIER: Entities = {"1": {**known_of_appointment(BOAT), "start": "2026-06-06T09:00:00-05:00", "representative": "lee"}}
SUMMARY = "Powerboat, Sat 6 June 2026, 2:00 pm–3:00 pm, with Dana Whitfield"
SPELLING = Spelling(half_days=True, representatives={"dana": "Dana Whitfield", "lee": "lee"})


def told(check: Expectation, before: Entities) -> str:
    seen = evidence(
        turn(1, "Book it", effect(EffectKind.BOOKED, SUMMARY, **appointment_values(BOAT)), "Booked."),
        appointments=[BOAT],
        world=WorldSeen(
            before=WorldState(roots={"appointments": before}),
            after=WorldState(roots={"appointments": {"1": known_of_appointment(BOAT)}}),
        ),
    )
    (outcome,) = decide_checks(make_case(check), replace(seen, spelling=SPELLING))
    return outcome.detail


START = 'expected exactly "2026-06-06T16:00", got "2026-06-06T14:00:00-05:00"'
WHOM = 'expected exactly "lee", got "dana"'


def test_an_appointment() -> None:
    check = AppointmentIs(start="2026-06-06T16:00", representative="lee")
    assert told(check, EARLIER) == (
        f"expected at least once; got no such appointment; nearest: {SUMMARY}, booked: start: {START}; "
        f"representative: {WHOM}"
    )


def test_an_effect() -> None:
    check = EffectIs(kind=EffectKind.BOOKED, data={"start": "2026-06-06T16:00", "representative": "lee", "title": "X"})
    assert told(check, EARLIER) == (
        f"expected at least once; got no such effect; nearest in turn 1: booked: {SUMMARY}: start: {START} "
        f"(Sat 6 June 2026, 2:00 pm); representative: {WHOM} (Dana Whitfield); "
        'title: expected exactly "X", got "Powerboat"'
    )


def test_the_end_state() -> None:
    held = StateIs(holds={"appointments": {"1": {"start": "2026-06-06T16:00", "representative": "lee"}}})
    assert told(held, EARLIER) == (
        f"appointments.1.start: {START} (Sat 6 June 2026, 2:00 pm); "
        f"appointments.1.representative: {WHOM} (Dana Whitfield)"
    )
    some = StateIs(holds={"appointments": [{"representative": "lee"}]})
    assert told(some, EARLIER) == (
        'appointments: expected {"representative": "lee"}; nearest appointments.1: '
        f"representative: {WHOM} (Dana Whitfield)"
    )
    same = StateIs(unchanged=True)
    assert told(same, EARLIER) == (
        'changed: appointments.1.start: "2026-06-06T14:00:00-05:00" (Sat 6 June 2026, 2:00 pm), '
        'was "2026-06-06T09:00:00-05:00" (Sat 6 June 2026, 9:00 am), '
        'appointments.1.representative: "dana" (Dana Whitfield), was "lee"'
    )
    none = StateIs(created={})
    assert told(none, {}).endswith(f"({SUMMARY})")
    assert told(none, {}).startswith(
        'created besides: appointments.1 {"title": "Powerboat", "start": "2026-06-06T14:00'
    )
    assert told(same, {}).endswith(f"({SUMMARY})")

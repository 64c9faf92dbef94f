"""What lint says of appointments and calendars that the agent can't have (features.md A5, B3; issue 4)."""

import pytest
from tests.builders import agent, case

from greenroom.authoring.notes import Target
from greenroom.authoring.scheduling_rules import scheduling_notes
from greenroom.documents.agent import Agent

pytestmark = pytest.mark.requirement("A5", "B3")

HOURS = {"hours": {"weekdays": "09:00-17:00"}}
TEAM = {"dana": {"name": "Dana"}, "lee": {"name": "Lee"}}
BOAT = {"title": "Boat", "start": "2026-06-06T14:00"}


def notes(on: Agent, **written: object) -> list[tuple[tuple[str | int, ...], str, str]]:
    target = Target(on)
    return [(note.path, note.severity.value, note.message) for note in scheduling_notes(case(**written), target)]


def test_a_representative_that_is_none_is_an_error_with_the_nearest_name() -> None:
    desk = agent(scheduling=HOURS, representatives=TEAM)
    busy = [{"start": "2026-06-06T14:00", "end": "2026-06-06T15:00", "representative": "nobody"}]
    assert notes(
        desk,
        person="visitor",
        appointments=[BOAT, {**BOAT, "representative": "dena"}],
        world={"calendar": {"busy": busy}},
    ) == [
        (
            ("appointments", 1, "representative"),
            "error",
            "there is no representative 'dena'; did you mean 'dana'?",
        ),
        (
            ("world", "calendar", "busy", 0, "representative"),
            "error",
            "there is no representative 'nobody'; representatives are dana, lee",
        ),
    ]


def test_appointments_of_an_agent_that_makes_none_are_an_error() -> None:
    add = "write `scheduling: {hours: …}` in the agent"
    assert notes(
        agent(),
        person="visitor",
        appointments=[BOAT],
        world={"calendar": {"busy": [{"start": "2026-06-06T14:00", "end": "2026-06-06T15:00"}]}},
        expect=[{"appointment": "booked"}, {"appointment": {"status": "booked", "exactly": 0}}],
    ) == [
        (("appointments",), "error", f"the agent makes no appointments, so it would know of none; {add}"),
        (
            ("world", "calendar"),
            "warning",
            f"the agent makes no appointments and looks into no calendar; {add}",
        ),
        (("expect", 0, "appointment"), "warning", f"the agent makes no appointments, so there will be none; {add}"),
    ]


def test_a_check_of_a_representative_that_is_none_is_an_error_wherever_it_stands() -> None:
    """Semantics: unknown representatives are errors."""
    expect = [
        {"appointment": {"representative": "lea"}},
        {"appointment": {"representative": {"one_of": ["lee", "lea"]}}},
        {"appointment": {"representative": {"not": "lea"}}},
        {"appointment": {"representative": ""}},
        {"appointment": {"representative": {"regex": "^l"}}},
    ]
    said = "there is no representative 'lea'; did you mean 'lee'?"
    assert notes(agent(scheduling=HOURS, representatives=TEAM), expect=expect) == [
        (("expect", 0, "appointment", "representative"), "error", said),
        (("expect", 1, "appointment", "representative", "one_of", 1), "error", said),
        (("expect", 2, "appointment", "representative", "not"), "error", said),
    ]


def test_what_the_agent_can_have_is_not_spoken_of() -> None:
    desk = agent(scheduling=HOURS, representatives=TEAM)
    fine = {**BOAT, "representative": "lee"}
    assert notes(desk, person="visitor", appointments=[fine, BOAT], expect=[{"appointment": "booked"}]) == []

"""What lint says of an end state that can't be (features.md B3, E1)."""

import pytest
from tests.builders import agent, case

from greenroom.authoring.case_rules import case_notes
from greenroom.authoring.notes import Path, Target
from greenroom.documents.findings import Severity

DESK = Target(agent(people={"fields": {"party_size": {"type": "number"}}}))


def notes(check: object, person: object = "visitor") -> list[tuple[Severity, Path, str]]:
    checked = case(expect=[{"state": check}], person=person)
    return [(note.severity, note.path[2:], note.message) for note in case_notes(checked, DESK)]


@pytest.mark.requirement("B3", "E1")
def test_a_field_that_nobody_has_is_an_error_at_its_place() -> None:
    error = Severity.ERROR
    fault = "a person has no field 'party_sise'; did you mean 'party_size'?"
    assert notes({"person": {"party_sise": 6, "consent": {"messages": True}, "fields": {"party_size": 6}}}) == [
        (error, ("state", "person", "party_sise"), fault)
    ]
    assert notes({"people": {"person": {"fields": {"boat": "x"}}}, "unchanged": ["person.party_sise"]}) == [
        (
            error,
            ("state", "people", "person", "fields", "boat"),
            "no agent declares the people field 'boat'",
        ),
        (error, ("state", "unchanged", 0), fault),
    ]
    no_begin = "an appointment has no field 'begin'; fields are title, start, end, representative, status, notes"
    assert notes({
        "appointments": [{"status": "booked"}, {"begin": "x"}],
        "created": {"appointments": {"begin": "x"}, "people": 0},
        "unchanged": ["appointments.1.begin", "people"],
    }) == [
        (error, ("state", "appointments", 1, "begin"), no_begin),
        (error, ("state", "created", "appointments", "begin"), no_begin),
        (error, ("state", "unchanged", 0), no_begin),
    ]


def test_what_can_never_be_deleted_is_a_warning() -> None:
    assert notes({"deleted": ["person", "appointments.1"]}) == [
        (Severity.WARNING, ("state", "deleted", 0), "this never holds: person can't be deleted; people stay"),
        (
            Severity.WARNING,
            ("state", "deleted", 1),
            "this never holds: appointments.1 can't be deleted; one that is cancelled stays, as such",
        ),
    ]


@pytest.mark.requirement("A6", "B3")
@pytest.mark.parametrize("check", [{"unchanged": True}, {"created": {}}, {"unchanged": ["person"]}])
def test_a_case_that_begins_with_nobody_can_not_expect_nobody_on_record(check: object) -> None:
    ((severity, _, message),) = notes(check, person=None)
    assert severity is Severity.WARNING
    assert message.startswith("this never holds: the case begins with nobody")
    assert notes(check) == []
    assert notes({"created": {"people": 1}, "unchanged": True}, person=None) == []

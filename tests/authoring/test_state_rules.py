"""What lint says of an end state that can't be (features.md B3, E1)."""

import pytest
from tests.builders import agent, case

from greenroom.authoring.case_rules import case_notes
from greenroom.authoring.notes import Path, Target
from greenroom.documents.findings import Severity

NO_BEGIN = "an appointment has no field 'begin'; fields are title, start, end, representative, status, notes"
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
    assert notes({
        "appointments": [{"status": "booked"}, {"begin": "x"}],
        "created": {"appointments": {"begin": "x"}, "people": 0},
        "unchanged": ["appointments.1.begin", "people"],
    }) == [
        (error, ("state", "appointments", 1, "begin"), NO_BEGIN),
        (error, ("state", "created", "appointments", "begin"), NO_BEGIN),
        (error, ("state", "unchanged", 0), NO_BEGIN),
    ]


@pytest.mark.requirement("B3", "E1")
def test_a_path_leads_to_a_field_as_its_nesting_does() -> None:
    error = Severity.ERROR
    fault = "a person has no field 'party_sise'; did you mean 'party_size'?"
    assert notes({
        "person.party_sise": 6,
        "people.person.consent": {"messages": True},
        "person.fields": {"boat": "x"},
        "appointments.1.begin": "x",
        "appointments": {"1.begins": "x"},
    }) == [
        (error, ("state", "person.party_sise"), fault),
        (error, ("state", "person.fields", "boat"), "no agent declares the people field 'boat'"),
        (error, ("state", "appointments.1.begin"), NO_BEGIN),
        (error, ("state", "appointments", "1.begins"), NO_BEGIN.replace("begin", "begins")),
    ]


@pytest.mark.requirement("E1")
def test_a_field_whose_name_has_dots_is_found_by_it() -> None:
    boats = Target(agent(people={"fields": {"party.size": {"type": "number"}, "type": {}}}))
    for check in ({"person.party.size": 6}, {"person": {"party.size": 6}}, {"person.fields.party.size": 6}):
        assert not list(case_notes(case(expect=[{"state": check}], person="visitor"), boats))


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

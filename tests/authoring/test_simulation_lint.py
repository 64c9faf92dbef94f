"""Briefs of simulated people, looked at before anything runs (features.md D1, H4)."""

from collections.abc import Mapping, Sequence

import pytest
from tests import builders

from greenroom.authoring.notes import Target
from greenroom.authoring.simulation_rules import simulation_notes

TARGET = Target(builders.agent(people={"fields": {"party_size": {"type": "number"}}}))
ANA = {
    "first_name": "Ana",
    "last_name": "Diaz",
    "email": "ana@example.com",
    "phone": "+1 555 0100",
    "fields": {"party_size": 6},
}


def notes(brief: object, person: Mapping[str, object] | None = None) -> Sequence[str]:
    written = {"person": person} if person is not None else {}
    case = builders.case(simulate={"brief": brief}, **written)
    return [
        f"{'.'.join(map(str, note.path[2:]))} {note.severity}: {note.message}"
        for note in simulation_notes(case, TARGET)
    ]


def told(**sections: object) -> Sequence[str]:
    return notes({"wants": "A boat", "ends_when": "It is booked.", **sections}, ANA)


def test_nothing_is_said_of_a_case_without_a_simulated_person_or_of_a_good_brief() -> None:
    assert list(simulation_notes(builders.case(), TARGET)) == []
    assert told(who="Ana Diaz, a teacher", knows={"party size": 6, "email": "ana@example.com"}) == []


@pytest.mark.requirement("B3", "D1")
def test_a_people_field_that_the_agent_does_not_declare_is_an_error() -> None:
    """S20."""
    assert told(knows=["{{person.party_size}} or {{person.fields.party_size}}, {{person.name}}"]) == []
    assert told(who="{{person.party_sise}}") == [
        "who error: {{person.party_sise}} names nothing; did you mean 'party_size'?"
    ]
    assert told(knows={"a": "{{person.zzz}}"}) == [
        "knows.a error: {{person.zzz}} names nothing; a person has name, first_name, last_name, email, phone, company, "
        "title, product_interest, status, representative, party_size"
    ]


@pytest.mark.requirement("D1")
def test_a_brief_without_an_ending_is_warned_of() -> None:
    endless = (
        " warning: the brief does not say when the person ends the conversation, so it may go on to its limit; "
        "write `ends_when: …`"
    )
    assert notes({"wants": "A boat"}) == [endless]
    assert notes("You are Ana and want a boat.") == [endless]
    for text in ("You hang up when it is booked.", "Stop as soon as it is booked.", "Then say goodbye."):
        assert notes(f"You want a boat. {text}") == []


@pytest.mark.requirement("D1")
@pytest.mark.parametrize(
    ("reaction", "unclear"),
    [
        ("If asked for confirmation, say yes.", "asked for confirmation"),
        ("When the agent asks you to confirm: agree.", "asks you to confirm"),
        ("If asked to confirm it, say yes.", "asked to confirm"),
        ("When asked to confirm the booking, say yes.", ""),
        ("If asked for confirmation of the payment, refuse.", ""),
        ("The agent sends a confirmation.", ""),
    ],
)
def test_a_rule_on_confirmations_says_on_which(reaction: str, unclear: str) -> None:
    """S12."""
    expected = f"{unclear!r} fits any confirmation; say of what: the identity, the order, the payment"
    assert told(reactions=[reaction]) == ([f"reactions.0 warning: {expected}"] if unclear else [])


def test_a_confirmation_may_stand_in_the_name_of_a_reaction() -> None:
    """S12."""
    assert len(told(reactions={"when asked for confirmation": "say yes"})) == 1
    assert told(reactions={"when asked to confirm the order": "say yes"}) == []


@pytest.mark.requirement("H4")
@pytest.mark.parametrize(
    ("sections", "problem"),
    [
        ({"knows": {"email": "bob@example.com"}}, "knows.email: its email is ana@example.com, not bob@example.com"),
        ({"who": "Your email is bob@example.com."}, "who: its email is ana@example.com, not bob@example.com"),
        ({"who": "Bob Stone, a teacher"}, "who: its name is Ana Diaz, not Bob"),
        ({"knows": {"first name": "Bob"}}, "knows.first name: its name is Ana Diaz, not Bob"),
        ({"style": "Your name is Bob."}, "style: its name is Ana Diaz, not Bob"),
        ({"knows": {"party_size": 8}}, "knows.party_size: 8 is given as the party size, which is 6"),
        ({"wants": "A boat; our party size is 8"}, "wants: 8 is given as the party size, which is 6"),
        (
            {"reveals_when_asked": {"phone number": "+1 555 0199"}},
            "reveals_when_asked.phone number: +1 555 0199 is given as the phone number, which is +1 555 0100",
        ),
        ({"wants": "A mail to team@lakeside.example"}, ""),
        ({"knows": {"boss email": "boss@corp.example"}}, ""),
        ({"who": "Aná Díaz, a teacher"}, ""),
        ({"who": "Retired teacher, 60"}, ""),
        ({"who": "{{person.first_name}}, a teacher"}, ""),
    ],
)
def test_a_brief_that_contradicts_the_persons_record_is_warned_of(sections: Mapping[str, object], problem: str) -> None:
    path, _, why = problem.partition(": ")
    expected = [f"{path} warning: the brief contradicts the case's `person`: {why}"] if problem else []
    assert told(**sections) == expected

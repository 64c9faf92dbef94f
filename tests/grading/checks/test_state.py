"""Checks of the end state: what the world holds, what is new or gone, and what has not changed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.grading.makers import evidence, line, make_case, said

from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import CheckOutcome
from greenroom.conversation.people import Person, known_values
from greenroom.conversation.world_state import Entities, WorldSeen, WorldState
from greenroom.documents.loading import load_document
from greenroom.documents.state import StateIs
from greenroom.documents.suite import Suite
from greenroom.grading.checks.registry import decide_checks
from greenroom.grading.checks.written import as_written
from greenroom.grading.evidence import TurnSeen

ANA = Person(
    person_id="p1",
    first_name="Ana",
    last_name="Ruiz",
    status="lead",
    fields={"party_size": 6, "boat": None},
    consent={"messages": True},
    tags=("vip",),
)
KNOWN = known_values(ANA)
CUSTOMER = known_values(replace(ANA, status="customer", fields={"party_size": 4, "boat": None}))


def appointment(start: str, status: str = "booked", title: str = "Powerboat") -> Mapping[str, Json]:
    return {"title": title, "start": start, "end": "2026-06-06T15:00:00-05:00", "status": status}


SATURDAY = appointment("2026-06-06T14:00:00-05:00")
SUNDAY = appointment("2026-06-07T14:00:00-05:00", title="Pontoon")


def world(*, person: Mapping[str, Json] | None = KNOWN, appointments: Sequence[Mapping[str, Json]] = ()) -> WorldState:
    people: Entities = {} if person is None else {"person": person}
    return WorldState(
        roots={
            "people": people,
            "appointments": {str(number): values for number, values in enumerate(appointments, start=1)},
        }
    )


def written(check: str) -> StateIs:
    suite = load_document(f"suite: s\ncases: {{c: {{script: [Hi], expect: [{{state: {check}}}]}}}}")
    assert isinstance(suite, Suite)
    (entry,) = suite.cases["c"].expect
    assert isinstance(entry, StateIs)
    return entry


def decided(check: str, before: WorldState, after: WorldState) -> CheckOutcome:
    seen = evidence(*said("Hi"), world=WorldSeen(before=before, after=after))
    (outcome,) = decide_checks(make_case(written(check)), seen)
    return outcome


START = world(appointments=[SATURDAY])
BOOKED = world(person=CUSTOMER, appointments=[SATURDAY, SUNDAY])
MOVED = world(appointments=[{**SATURDAY, "start": "2026-06-13T09:00:00-05:00", "end": "2026-06-13T10:00:00-05:00"}])
CANCELLED = world(appointments=[{**SATURDAY, "status": "cancelled"}])


@pytest.mark.requirement("E1", "H7")
@pytest.mark.parametrize(
    ("check", "after", "passes"),
    [
        ("{person: {status: customer}}", BOOKED, True),
        ("{person: {status: lead}}", BOOKED, False),
        ("{people: {person: {name: Ana Ruiz, party_size: {at_least: 4}}}}", BOOKED, True),
        ("{person: {fields: {party_size: 4}, consent: {messages: true}}}", BOOKED, True),
        ("{person: {consent.messages: true}}", BOOKED, True),
        ("{person: {email: {absent: true}, company: ''}}", BOOKED, True),
        ("{person: {status: {not: lead}}}", BOOKED, True),
        ("{person: {status: {not: {one_of: [lead, customer]}}}}", BOOKED, False),
        ("{person: {absent: true}}", world(person=None), True),
        ("{person: {absent: true}}", BOOKED, False),
        ("{person: {status: lead}}", world(person=None), False),
        ("{appointments: {1: {status: booked}, 2: {title: Pontoon}}}", BOOKED, True),
        ("{appointments: {3: {status: booked}}}", BOOKED, False),
        ("{appointments: {3: {absent: true}}}", BOOKED, True),
        ("{person.status: customer, people.person.party_size: 4}", BOOKED, True),
        ("{person.party_size: {at_most: 3}}", BOOKED, False),
        ("{person.fields: {party_size: 4}, person: {consent.messages: true}}", BOOKED, True),
        ("{person.email: {absent: true}, person: {status: customer}}", BOOKED, True),
        ("{appointments.2: {title: Pontoon}, appointments.1.status: booked, appointments: 2}", BOOKED, True),
        ("{appointments.2.start: 2026-06-07, appointments: [{title: Powerboat}]}", BOOKED, True),
        ("{appointments: {2.title: Pontoon}, people: {person.status: customer}}", BOOKED, True),
        ("{appointments.3.status: {absent: true}}", BOOKED, False),
        ("{appointments.3: {absent: true}}", BOOKED, True),
        ("{person.status: customer, person.party_size: 4, unchanged: [people]}", BOOKED, True),
        ("{person.status: customer, unchanged: [people]}", BOOKED, False),
        ("{appointments: [{title: Pontoon}, {status: booked}]}", BOOKED, True),
        ("{appointments: [{title: Pontoon}, {title: Pontoon}]}", BOOKED, False),
        ("{appointments: 2}", BOOKED, True),
        ("{appointments: {at_most: 1}}", BOOKED, False),
        ("{created: {appointments: {status: booked, title: Pontoon}}}", BOOKED, True),
        ("{created: {appointments: {}}}", BOOKED, True),
        ("{created: {appointments: {title: Powerboat}}}", BOOKED, False),
        ("{created: {appointments: [{title: Pontoon}, {title: Powerboat}]}}", BOOKED, False),
        ("{created: {appointments: 1, people: 0}}", BOOKED, True),
        ("{created: {}}", BOOKED, False),
        ("{created: {}}", CANCELLED, True),
        ("{deleted: []}", BOOKED, True),
        ("{deleted: [appointments.1]}", world(), True),
        ("{deleted: [appointments.1]}", CANCELLED, False),
        ("{deleted: []}", world(), False),
        ("{deleted: [person]}", world(person=None, appointments=[SATURDAY]), True),
        ("{unchanged: true}", START, True),
        ("{unchanged: true}", BOOKED, False),
        ("{unchanged: [people]}", CANCELLED, True),
        ("{unchanged: [appointments]}", CANCELLED, False),
        ("{unchanged: [person]}", BOOKED, False),
        ("{unchanged: [person.email, person.first_name]}", BOOKED, True),
        ("{unchanged: [people.person.status]}", BOOKED, False),
        ("{unchanged: [appointments.1]}", BOOKED, True),
        ("{unchanged: [appointments.1.start]}", world(), False),
        ("{unchanged: [appointments.1.start]}", CANCELLED, True),
    ],
)
def test_the_end_state_decides(check: str, after: WorldState, passes: bool) -> None:
    outcome = decided(check, START, after)
    assert outcome.passed is passes, outcome
    assert bool(outcome.detail) is not passes


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    ("check", "after", "passes"),
    [
        ("{person: {status: customer}, unchanged: true}", world(person={**KNOWN, "status": "customer"}), True),
        ("{person: {status: customer}, unchanged: true}", BOOKED, False),
        ("{appointments: {1: {start: 2026-06-13T09:00}}, unchanged: true}", MOVED, True),
        ("{appointments: {1: {end: 2026-06-13T10:00}}, unchanged: true}", MOVED, False),
        ("{person: {status: customer, party_size: 4}, created: {appointments: 1}, unchanged: true}", BOOKED, True),
        (
            "{person: {status: customer, fields.party_size: 4}, created: {appointments: 1}, unchanged: true}",
            BOOKED,
            True,
        ),
        ("{appointments: {1: {status: cancelled}}, unchanged: true}", CANCELLED, True),
        ("{appointments: [{status: cancelled}], unchanged: true}", CANCELLED, True),
        ("{appointments: [{title: Powerboat}], unchanged: true}", CANCELLED, False),
        ("{deleted: [appointments.1], unchanged: true}", world(), True),
    ],
)
def test_unchanged_beside_other_words_is_everything_else(check: str, after: WorldState, passes: bool) -> None:
    before = world() if "customer" in check else START
    before = START if after is BOOKED else before
    outcome = decided(check, before, after)
    assert outcome.passed is passes, outcome


def test_a_name_is_made_of_two_fields_and_both_may_change_when_it_is_spoken_of() -> None:
    renamed = world(person=known_values(replace(ANA, first_name="Eva", last_name="Sol")))
    assert decided("{person: {name: Eva Sol}, unchanged: true}", world(), renamed).passed


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    ("check", "after", "told"),
    [
        ("{person: {status: lead}}", BOOKED, 'people.person.status: expected exactly "lead", got "customer"'),
        ("{person.status: lead}", BOOKED, 'people.person.status: expected exactly "lead", got "customer"'),
        # What is not known is no misspelling: names are lint's.
        ("{person: {title: Dr}}", BOOKED, 'people.person.title: expected exactly "Dr", got ""'),
        (
            "{person: {email: {present: true}}}",
            BOOKED,
            "people.person.email: expected a value, but there is no value",
        ),
        ("{person: {status: lead}}", world(person=None), "people.person: there is none; nothing is in people"),
        (
            "{appointments: {3: {status: booked}}}",
            BOOKED,
            "appointments.3: there is none; there are appointments.1, appointments.2",
        ),
        (
            "{created: {appointments: {title: Yacht, status: booked}}}",
            BOOKED,
            'created in appointments: expected {"title": "Yacht", "status": "booked"}; nearest appointments.2: '
            'title: expected exactly "Yacht", got "Pontoon"',
        ),
        (
            "{created: {appointments: {title: Yacht}}}",
            START,
            'created in appointments: expected {"title": "Yacht"}; nothing else was',
        ),
        ("{unchanged: true}", CANCELLED, 'changed: appointments.1.status: "cancelled", was "booked"'),
        (
            "{unchanged: [people]}",
            BOOKED,
            'changed: people.person.fields.party_size: 4, was 6, people.person.status: "customer", was "lead"',
        ),
        ("{deleted: [appointments.1]}", START, "appointments.1: expected to be deleted, but it is still there"),
        ("{deleted: [appointments.7]}", START, "appointments.7: expected to be deleted, but it was never there"),
        ("{appointments: 0}", CANCELLED, "how many of appointments: expected exactly 0, got 1: appointments.1 {"),
    ],
)
def test_a_failure_says_what_differs(check: str, after: WorldState, told: str) -> None:
    assert decided(check, START, after).detail.startswith(told), decided(check, START, after).detail


@pytest.mark.parametrize(
    ("start", "passes"),
    [
        ("2026-06-06T14:00", True),
        ("2026-06-06T14:00:00-05:00", True),
        ("2026-06-06T19:00Z", True),
        ("'2026-06-06 14:00'", True),
        ("2026-06-06", True),
        ("2026-06-06T15:00", False),
        ("2026-06-07", False),
        ("{at_least: 2026-06-06, at_most: 2026-06-06T20:00Z}", True),
        ("{at_least: 2026-06-06T14:30}", False),
        ("{at_most: 2026-06-06T18:59Z}", False),
        ("{one_of: [2026-06-05, 2026-06-06T14:00]}", True),
        ("{not: 2026-06-06T14:00}", False),
        ("{not: 2026-06-07}", True),
        ("{regex: '^2026-06-06T14'}", True),
    ],
)
def test_an_appointments_time_is_compared_as_a_moment(start: str, passes: bool) -> None:
    assert decided(f"{{appointments: {{1: {{start: {start}}}}}}}", START, START).passed is passes


def around(world: WorldSeen) -> TurnSeen:
    return TurnSeen(world=world, person=None)


@pytest.mark.requirement("E1")
def test_under_a_script_line_only_its_own_turn_is_looked_at() -> None:
    first = WorldSeen(before=START, after=BOOKED)
    second = WorldSeen(before=BOOKED, after=BOOKED)
    case = make_case(
        script=[line("Book it", written("{created: {appointments: 1}}")), line("Thanks", written("{unchanged: true}"))]
    )
    seen = evidence(
        *said("Booked", "Bye"),
        world=WorldSeen(before=START, after=BOOKED),
        seen_of={1: around(first), 2: around(second)},
    )
    assert [outcome.passed for outcome in decide_checks(case, seen)] == [True, True]
    turned = evidence(*said("Booked", "Bye"), world=None, seen_of={1: around(second), 2: around(first)})
    assert [outcome.passed for outcome in decide_checks(case, turned)] == [False, False]


def test_what_nobody_kept_is_no_pass() -> None:
    (outcome,) = decide_checks(make_case(written("{unchanged: true}")), evidence(*said("Hi")))
    assert not outcome.passed
    assert outcome.detail == "what the world held was not kept"


@pytest.mark.parametrize(
    "check",
    [
        "{person: {status: customer}}",
        '{people: {person: {fields: {party_size: 4}}}, appointments: {"1": {status: booked}}}',
        "{appointments: [{status: booked}], created: {appointments: {status: booked}}, deleted: [], unchanged: true}",
        "{created: {}, deleted: [appointments.1], unchanged: [people, person.email]}",
        "{appointments: {at_least: 1}}",
    ],
)
def test_it_is_shown_as_it_is_written(check: str) -> None:
    assert as_written(written(check)) == f"state: {check}"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=2),
    max_leaves=5,
)
STATES = st.dictionaries(
    st.sampled_from(["people", "appointments"]),
    st.dictionaries(
        st.sampled_from("12"), st.dictionaries(st.sampled_from(["a", "b"]), JSON_VALUES, max_size=2), max_size=2
    ),
).map(lambda roots: WorldState(roots=roots))


@given(STATES, STATES)
def test_nothing_has_changed_exactly_when_both_are_the_same(before: WorldState, after: WorldState) -> None:
    """Whatever changes is told, and nothing else is."""

    def plain(state: WorldState) -> str:
        return json.dumps({root: held for root, held in state.roots.items() if held}, sort_keys=True)

    outcome = decided("{unchanged: true}", before, after)
    assert outcome.passed is (plain(before) == plain(after))

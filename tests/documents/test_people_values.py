"""What a person's fields may hold: one rule for the agent, for a case's start, for segments and for people (A5, B3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import agent

from greenroom.agents.hosted.arguments import Arguments
from greenroom.agents.hosted.offer import OfferBook
from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import CORE_FIELDS, Person
from greenroom.documents.people_values import field_fault, path_fault, representative_of

FIELDS = {
    "party_size": {"type": "number"},
    "guests": {"type": "integer"},
    "windy": {"type": "boolean"},
    "arrives": {"type": "date"},
    "boat": {},
    "marina": {"options": ["north", "south"]},
}
DESK = agent(
    people={"fields": FIELDS},
    representatives={"dana": {"name": "Dana Cole"}, "eve": {"name": "Eve"}},
)

pytestmark = pytest.mark.requirement("A5", "B3")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("party_size", 6),
        ("party_size", 6.5),
        ("guests", 6),
        ("guests", 6.0),
        ("windy", False),
        ("arrives", "2028-02-29"),
        ("boat", ""),
        ("boat", "é 🚤"),
        ("marina", "north"),
        ("marina", None),
        ("first_name", "Ana"),
        ("first_name", None),
        ("representative", "dana"),
        ("representative", ""),
    ],
)
def test_what_fits_is_taken(name: str, value: Json) -> None:
    assert field_fault(DESK, name, value) is None


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("party_size", "six", "'party_size' is declared as a number, not the text 'six'"),
        ("party_size", True, "'party_size' is declared as a number, not true"),
        ("party_size", float("inf"), "'party_size' is declared as a number, not the number inf"),
        ("guests", 6.5, "'guests' is declared as a whole number, not the number 6.5"),
        ("guests", float("inf"), "'guests' is declared as a whole number, not the number inf"),
        ("windy", 1, "'windy' is declared as true or false, not the number 1"),
        ("arrives", "2027-02-29", "'arrives' is declared as a date such as 2026-06-06, not the text '2027-02-29'"),
        ("arrives", "20260606", "'arrives' is declared as a date such as 2026-06-06, not the text '20260606'"),
        ("arrives", "2026-W23-6", "'arrives' is declared as a date such as 2026-06-06, not the text '2026-W23-6'"),
        ("boat", ["a"], "'boat' is declared as text, not a list"),
        ("boat", {"a": 1}, "'boat' is declared as text, not a mapping"),
        ("marina", "nort", "'marina' is one of north, south, not the text 'nort'; did you mean 'north'?"),
        ("first_name", 5, "'first_name' is text, not the number 5"),
        ("representative", "dan", "there is no representative 'dan'; did you mean 'dana'?"),
        ("representative", "zoe", "there is no representative 'zoe'; representatives are dana, eve"),
        ("partysize", 6, "a person has no field 'partysize'; did you mean 'party_size'?"),
    ],
)
def test_what_does_not_fit_is_told(name: str, value: Json, said: str) -> None:
    assert field_fault(DESK, name, value) == said


VALUES: st.SearchStrategy[Json] = (
    st.text(max_size=5)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.lists(st.integers(), max_size=2)
    | st.dates().map(str)
    | st.sampled_from(["north", "south"])
)


@given(name=st.sampled_from(list(FIELDS)), value=VALUES)
def test_the_agent_s_tool_takes_what_the_rule_takes(name: str, value: Json) -> None:
    """The schema that a model is shown, and the rule that everybody is held to, never part."""
    offered = OfferBook(agent(people={"fields": FIELDS})).offer(None, ABILITIES[Channel.WEB])
    schema = offered.by_name["update_person"].spec.parameters
    taken = Arguments("update_person", schema).problem({name: value}) is None
    assert taken is (field_fault(DESK, name, value) is None)


@pytest.mark.parametrize(
    "path", [*CORE_FIELDS, "name", "tags", "consent.messages", "party_size", "fields.party_size", "fields"]
)
def test_a_path_of_a_person_is_known(path: str) -> None:
    assert path_fault(path, FIELDS) is None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("statsu", "a person has no field 'statsu'; did you mean 'status'?"),
        ("status.x", "a person has no field 'status.x'; did you mean 'status'?"),
        ("fields.partysize", "no agent declares the people field 'partysize'; did you mean 'party_size'?"),
        ("xyz", f"a person has no field 'xyz'; declared fields are {', '.join(FIELDS)}"),
    ],
)
def test_a_path_that_nothing_stands_at_is_told(path: str, said: str) -> None:
    assert path_fault(path, FIELDS) == said


@pytest.mark.parametrize(
    ("written", "name"), [("dana", "Dana Cole"), ("DANA", "Dana Cole"), (" eve ", "Eve"), ("Dana Cole", "Dana Cole")]
)
def test_a_representative_is_resolved_among_the_agent_s(written: str, name: str) -> None:
    found = representative_of(DESK, Person(person_id="p", representative=written))
    assert found is not None
    assert found.name == name


def test_nobody_looks_after_a_person_without_a_representative_or_with_one_that_left() -> None:
    assert representative_of(DESK, Person(person_id="p")) is None
    assert representative_of(DESK, Person(person_id="p", representative="zoe")) is None

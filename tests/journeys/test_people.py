"""People through the operations: searched, filtered, counted, in segments and audiences, changed (features.md A5)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.projects import written_project

from greenroom.conversation.people import Person
from greenroom.errors import NotFound, UsageError
from greenroom.operations.context import Context
from greenroom.operations.people import PeopleRequest, change_person, count_people, list_people
from greenroom.store.partition import Partition, Sandbox

PEOPLE = (
    Person(person_id="", first_name="Ana", last_name="Ruiz", status="lead", fields={"party_size": 6}, phone="+1 555"),
    Person(person_id="", first_name="Bob", status="lead", fields={"party_size": 2}, consent={"messages": True}),
    Person(person_id="", first_name="花子", status="customer", fields={"party_size": 8}, consent={"messages": True}),
    Person(person_id="", first_name="=cmd", email="d@example.com", tags=("vip",), consent={"messages": False}),
    Person(person_id="", first_name="Eve", status="lead", fields={"party_size": 9}, consent={"messages": True}),
)
SEGMENTS = {
    "leads": {"status": "lead"},
    "big-parties": {"status": "lead", "fields.party_size": {"at_least": 4}},
}


@pytest.fixture
async def context(tmp_path: Path) -> AsyncIterator[Context]:
    """A project with five live people, and one of a sandbox."""
    cases = {"one": {"script": ["Hi"], "expect": [{"reply": "x"}]}}
    async with written_project(tmp_path, rules=[], cases=cases, project={"segments": SEGMENTS}).open() as opened:
        for number, person in enumerate(PEOPLE):
            await opened.store.people(Partition.LIVE).add(person, f"web:{number}")
        await opened.store.people(Sandbox("chat-1")).add(Person(person_id="", first_name="Fay", status="lead"), "web:0")
        yield opened


pytestmark = pytest.mark.requirement("A5")


async def found(context: Context, **asked: object) -> set[str]:
    page = await list_people(context, PeopleRequest(**asked))  # pyright: ignore[reportArgumentType]
    return {record.person.first_name for record in page.people}


async def test_people_are_found_by_search_conditions_segments_and_audiences(context: Context) -> None:
    assert await found(context) == {"Ana", "Bob", "花子", "=cmd", "Eve"}
    assert await found(context, search="ruiz") == {"Ana"}
    assert await found(context, where=("status: lead",)) == {"Ana", "Bob", "Eve"}
    assert await found(context, where=("status: lead", "party_size: {at_most: 6}")) == {"Ana", "Bob"}
    assert await found(context, where=("status: {one_of: [customer, '']}",)) == {"花子", "=cmd"}
    assert await found(context, where=("consent.messages: {absent: true}",)) == {"Ana"}
    assert await found(context, where=("tags: {contains: vip}",)) == {"=cmd"}
    assert await found(context, where=("name: {regex: '^[A-E]'}",)) == {"Ana", "Bob", "Eve"}
    assert await found(context, segment="big-parties") == {"Ana", "Eve"}
    assert await found(context, audience="big-parties") == {"Eve"}
    assert await found(context, audience="leads", segment="big-parties", search="eve") == {"Eve"}


async def test_counts_agree_with_lists(context: Context) -> None:
    assert (await count_people(context, PeopleRequest())).by_status == {"lead": 3, "": 1, "customer": 1}
    for request in (
        PeopleRequest(segment="big-parties"),
        PeopleRequest(where=("consent.messages: true",)),
        PeopleRequest(search="e"),
    ):
        assert (await count_people(context, request)).total == len((await list_people(context, request)).people)


async def test_a_segment_that_is_not_there_is_told_with_the_nearest(context: Context) -> None:
    with pytest.raises(NotFound, match="there is no segment 'leeds'; did you mean 'leads'"):
        await list_people(context, PeopleRequest(segment="leeds"))


async def test_a_change_is_made_wholly_or_not_at_all(context: Context) -> None:
    (ana,) = (await list_people(context, PeopleRequest(search="ruiz"))).people
    with pytest.raises(UsageError) as told:
        await change_person(context, ana.person.person_id, {"status": "customer", "party_size": "six", "colour": "red"})
    assert str(told.value) == (
        "'party_size' is declared as a number, not the text 'six'; a person has no field 'colour'; fields are "
        "first_name, last_name, email, phone, company, title, product_interest, status, representative, notes, "
        "party_size; nothing was changed"
    )
    (same,) = (await list_people(context, PeopleRequest(search="ruiz"))).people
    assert same == ana
    changed = await change_person(
        context,
        ana.person.person_id,
        {"status": "customer", "fields.party_size": 7, "consent.messages": True, "tags": ["vip"], "phone": None},
    )
    person = changed.person
    assert (person.status, person.fields, person.tags, person.phone) == ("customer", {"party_size": 7}, ("vip",), "")
    assert person.consent == {"messages": True}
    assert set(person.consent_at) == {"messages"}

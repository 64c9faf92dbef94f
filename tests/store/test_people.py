"""People of the live side as they are kept, listed, searched and counted (features.md A5, A7)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.stores import NOON, Statements, opened

from greenroom.conversation.people import PeopleCounts, Person, PersonRecord, with_consent
from greenroom.errors import NotFound, UsageError
from greenroom.store.opening import Store
from greenroom.store.partition import Partition, Sandbox
from greenroom.store.people import Wanted
from greenroom.store.people_lists import PeopleFilter

EVERYBODY = PeopleFilter()


def someone(**known: object) -> Person:
    return Person(person_id="", **known)  # pyright: ignore[reportArgumentType]


def names(records: Sequence[PersonRecord]) -> list[str]:
    return [record.person.first_name for record in records]


async def collected(found: AsyncIterator[PersonRecord]) -> list[PersonRecord]:
    return [record async for record in found]


@pytest.mark.requirement("A5")
async def test_two_creations_for_one_identity_at_once_make_one_person(database_url: str, tmp_path: Path) -> None:
    """In two processes' stores, twenty times each; one identity is one person whatever the order."""
    async with opened(database_url, tmp_path) as here, opened(database_url, tmp_path) as there:
        made = await asyncio.gather(
            *(store.people(Partition.LIVE).create("web:visitor-7") for _ in range(20) for store in (here, there))
        )
        assert len({person.person_id for person in made}) == 1
        assert (await here.people(Partition.LIVE).count(EVERYBODY)).total == 1


@pytest.mark.requirement("A5")
async def test_a_person_is_found_by_each_of_their_identities(store: Store) -> None:
    people = store.people(Partition.LIVE)
    ana = await people.create("web:visitor-7")
    for _ in range(2):
        await people.keep([Wanted(person_id=ana.person_id, identities=("sms:+15550100",))])
    bob = await people.create("web:visitor-8")

    assert await people.find("sms:+15550100") == ana
    assert (await people.get(ana.person_id)).identities == ("sms:+15550100", "web:visitor-7")
    with pytest.raises(UsageError, match=f"is bound to the person '{ana.person_id}' already"):
        await people.keep([Wanted(person_id=bob.person_id, identities=("sms:+15550100",))])
    with pytest.raises(NotFound):
        await people.keep([Wanted(person_id="nobody", identities=("sms:+15550199",))])


def says(person: Person, kind: str, given: bool) -> Wanted:
    """They give or refuse their consent a day after noon."""
    at = "2026-12-01T12:00:00.000+00:00"
    return Wanted(person_id=person.person_id, change=lambda before: with_consent(before, kind, given, at))


async def test_consent_is_kept_by_kind_with_the_time_it_was_given(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as store:
        ana = await store.people(Partition.LIVE).add(someone(consent={"messages": True}), "web:7")
    later = NOON + timedelta(days=1)
    async with opened(database_url, tmp_path, at=later) as store:
        people = store.people(Partition.LIVE)
        await people.keep([says(ana, "messages", True), says(ana, "calls", False)])
        found = (await people.get(ana.person_id)).person
    assert (found.consent, found.consent_at) == (
        {"messages": True, "calls": False},
        {"messages": "2026-11-30T12:00:00.000+00:00", "calls": "2026-12-01T12:00:00.000+00:00"},
    )
    async with opened(database_url, tmp_path, at=later) as store:
        people = store.people(Partition.LIVE)
        await people.keep([says(ana, "messages", False)])
        withdrawn = (await people.get(ana.person_id)).person
    assert (withdrawn.consent["messages"], withdrawn.consent_at["messages"]) == (
        False,
        "2026-12-01T12:00:00.000+00:00",
    )


async def test_a_list_is_read_page_by_page_the_newest_first(database_url: str, tmp_path: Path) -> None:
    for number in range(7):
        async with opened(database_url, tmp_path, at=NOON + timedelta(hours=number // 2)) as store:
            # Ids of a frozen clock begin anew in each store; two people come in the same moment.
            for _ in range(number):
                store.clock.new_id("person")
            await store.people(Partition.LIVE).add(someone(first_name=f"P{number}"), f"web:{number}")
    async with opened(database_url, tmp_path) as store:
        people, found, after = store.people(Partition.LIVE), list[str](), None
        while True:
            page = await people.page(EVERYBODY, limit=3, after=after)
            found += names(page.people)
            after = page.next
            if after is None:
                break
        assert found == ["P6", "P5", "P4", "P3", "P2", "P1", "P0"]
        assert names(await collected(people.each(EVERYBODY))) == found
        exact = await people.page(EVERYBODY, limit=7)
        assert (len(exact.people), exact.next) == (7, None)
        with pytest.raises(UsageError, match="'nonsense' is not where a page of people ended"):
            await people.page(EVERYBODY, after="nonsense")


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("jose", ["José"]),
        ("RUIZ josé", ["José"]),
        ("555", ["José"]),
        ("strasse", ["Jürgen"]),
        ("STRASSE", ["Jürgen"]),
        ("東京", ["花子"]),
        ("100%", ["Ünal"]),
        ("_", []),
        ("'; DROP TABLE people --", []),
        ("nobody", []),
        ("  ", ["Ünal", "花子", "Jürgen", "José"]),
    ],
)
async def test_a_search_ignores_case_and_accents_and_takes_signs_as_they_are(
    store: Store, search: str, found: list[str]
) -> None:
    people = store.people(Partition.LIVE)
    for number, person in enumerate((
        someone(first_name="José", last_name="Ruiz", phone="+1 555 0100", notes="strasse"),
        someone(first_name="Jürgen", company="Hauptstraße GmbH"),
        someone(first_name="花子", last_name="東京"),
        someone(first_name="Ünal", product_interest="100% cotton"),
    )):
        await people.add(person, f"web:{number}")
    page = await people.page(PeopleFilter(search=search))
    assert names(page.people) == found


async def test_what_is_written_later_is_what_a_search_and_a_count_see(store: Store) -> None:
    people = store.people(Partition.LIVE)
    ana = await people.add(someone(first_name="Ana", status="lead"), "web:1")
    await people.add(someone(first_name="Bob", status="lead"), "web:2")
    await people.add(someone(first_name="Cy"), "web:3")
    await people.write(ana.person_id, "status", "customer")
    await people.write(ana.person_id, "company", "Acme")
    await people.keep([Wanted(person_id=ana.person_id, change=lambda person: replace(person, tags=("vip", "north")))])

    (found,) = (await people.page(PeopleFilter(search="acme", status="customer"))).people
    assert (found.person.first_name, found.person.tags) == ("Ana", ("vip", "north"))
    counts = await people.count(EVERYBODY)
    assert counts == PeopleCounts(total=3, by_status={"": 1, "customer": 1, "lead": 1})
    leads = await people.count(PeopleFilter(keep=lambda person: person.status == "lead"))
    assert leads == PeopleCounts(total=1, by_status={"lead": 1})


async def test_texts_that_no_database_can_hold_are_kept_visibly(store: Store) -> None:
    people = store.people(Partition.LIVE)
    person = await people.add(someone(first_name="A\0", last_name="\ud83d", status="\ud83d"), "web:\0")
    found = await people.find("web:\0")
    assert found == person
    assert found is not None
    assert found.last_name == "\\ud83d"
    assert (await people.count(EVERYBODY)).by_status == {"\\ud83d": 1}


@pytest.mark.requirement("A7")
async def test_people_of_a_sandbox_are_seen_by_who_asks_for_the_sandbox_alone(store: Store) -> None:
    await store.people(Sandbox("chat-1")).add(someone(first_name="Fay", phone="+15550100"), "web:7")
    live = store.people(Partition.LIVE)
    assert (await live.page(EVERYBODY)).people == ()
    assert await collected(live.each(EVERYBODY)) == []
    assert await live.count(EVERYBODY) == PeopleCounts(total=0, by_status={})
    assert await live.find("web:7") is None
    assert await live.find("+15550100") is None
    everywhere = store.people(Partition.SANDBOX)
    assert names((await everywhere.page(EVERYBODY)).people) == ["Fay"]
    assert (await store.people(Sandbox("chat-2")).page(EVERYBODY)).people == ()


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (EVERYBODY, "ix_people_page"),
        (PeopleFilter(search="ana"), "ix_people_page"),
        (PeopleFilter(status="lead"), "ix_people_status_page"),
        (PeopleFilter(keep=lambda person: True), "ix_people_page"),
    ],
)
async def test_a_page_of_many_people_is_walked_by_an_index(store: Store, wanted: PeopleFilter, index: str) -> None:
    """50,000 people: a page costs its own rows, not all of them; so it is the plan that is held, not the time."""
    heard = Statements(store.database.readers)
    await store.people(Partition.LIVE).page(wanted, after="2026-11-30~person-1")
    asked, values = next((asked, values) for asked, values in heard.queries if "ORDER BY" in asked)
    plan = "EXPLAIN QUERY PLAN " if store.database.kind == "sqlite" else "EXPLAIN "
    with store.database.reading() as connection:
        if store.database.kind == "postgresql":
            # On an empty table a scan is cheapest; what is asked is whether the index can serve the order.
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            connection.exec_driver_sql("SET LOCAL enable_bitmapscan = off")
        lines = " ".join(str(row) for row in connection.exec_driver_sql(plan + asked, values))  # pyright: ignore[reportArgumentType]
    # Which of two indexes that both give the order PostgreSQL takes depends on statistics it has or hasn't gathered.
    assert (index if store.database.kind == "sqlite" else "ix_people_") in lines
    assert "TEMP B-TREE" not in lines
    assert "Sort" not in lines


async def test_a_count_reads_no_person(store: Store) -> None:
    heard = Statements(store.database.readers)
    await store.people(Partition.LIVE).count(EVERYBODY)
    assert len(heard.queries) == 1
    asked, values = heard.queries[0]
    if store.database.kind == "sqlite":
        with store.database.reading() as connection:
            lines = " ".join(str(row) for row in connection.exec_driver_sql("EXPLAIN QUERY PLAN " + asked, values))  # pyright: ignore[reportArgumentType]
        assert "COVERING INDEX ix_people_status_page" in lines


async def test_a_list_asks_for_identities_once_a_page(store: Store) -> None:
    people = store.people(Partition.LIVE)
    for number in range(30):
        await people.add(someone(first_name=f"P{number}"), f"web:{number}")
    heard = Statements(store.database.readers)
    page = await people.page(EVERYBODY, limit=20)
    assert len(page.people) == 20
    assert all(len(record.identities) == 1 for record in page.people)
    assert len(heard.queries) == 2


async def test_an_identity_is_looked_up_by_its_key(store: Store) -> None:
    heard = Statements(store.database.readers)
    await store.people(Partition.LIVE).find("web:visitor-7")
    ((asked, values),) = heard.queries
    if store.database.kind == "sqlite":
        with store.database.reading() as connection:
            lines = " ".join(str(row) for row in connection.exec_driver_sql("EXPLAIN QUERY PLAN " + asked, values))  # pyright: ignore[reportArgumentType]
        assert "SEARCH identities" in lines
        assert "(workspace=? AND partition=? AND identity=?)" in lines
        assert "SEARCH people USING INDEX sqlite_autoindex_people_1 (person_id=?)" in lines


async def test_a_condition_is_asked_of_fifty_thousand_people_a_page_at_a_time(tmp_path: Path) -> None:
    async with opened("sqlite:///many.db", tmp_path) as store:
        await store.people(Partition.LIVE).create("web:first")
        with store.database.writer.begin() as made:
            made.exec_driver_sql(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) INSERT INTO people "
                "SELECT workspace, partition, sandbox, 'p' || i, status, searched, "
                "'{\"person_id\":\"p' || i || '\",\"fields\":{\"n\":' || i || '}}', 'a', 'a' FROM people, n"
            )
        people = store.people(Partition.LIVE)
        heard = Statements(store.database.readers)
        found = await people.page(PeopleFilter(keep=lambda person: person.fields.get("n") == 1), limit=1)
        assert [record.person.person_id for record in found.people] == ["p1"]
        assert len(heard.queries) == 102
        assert (await people.count(EVERYBODY)).total == 50_001
        searched = 0
        async for record in people.each(PeopleFilter(status="")):
            searched += record.person.person_id.startswith("p")
        assert searched == 50_001

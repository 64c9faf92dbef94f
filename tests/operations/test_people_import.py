"""People imported from CSV files: all of them or none, as often as one likes, and an export changes nothing."""

import asyncio
import csv
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.projects import ProjectMaker
from tests.stores import SQLITE

from greenroom.conversation.json_values import Json
from greenroom.conversation.people import CORE_FIELDS, Person, PersonRecord
from greenroom.conversation.people_import import ImportedPeople, ImportOutcome
from greenroom.errors import UsageError
from greenroom.operations.context import Context
from greenroom.operations.people import PeopleRequest, add_person, change_person, csv_of_people, each_person
from greenroom.operations.people_import import ImportRequest, import_people
from greenroom.store.partition import Partition, Sandbox

FIELDS = {
    "party_size": {"type": "number"},
    "guests": {"type": "integer"},
    "vip": {"type": "boolean"},
    "arrives": {"type": "date"},
    "marina": {"options": ["north", "south"]},
    "wish": {"type": "string"},
}

pytestmark = pytest.mark.requirement("A5")


def project(root: Path, database: str = SQLITE) -> ProjectMaker:
    made = ProjectMaker(root=root)
    made.write("greenroom.yaml", {"workspace": "test", "database": database})
    made.write("models/desk.yaml", {"rules": [{"reply": "Hello."}]})
    desk = {"agent": "desk", "model": "script:models/desk.yaml", "people": {"fields": FIELDS}}
    made.write("agents/desk.yaml", {**desk, "representatives": {"dana": {"name": "Dana Cole"}}})
    wide = {"party_size": {"type": "string"}, "seats": {"type": "integer"}}
    made.write("agents/wide.yaml", {**desk, "agent": "wide", "people": {"fields": wide}})
    return made


async def imported(context: Context, text: str, *, preview: bool = False) -> ImportedPeople:
    return await import_people(context, ImportRequest(data=text.encode(), file="people.csv", preview=preview))


async def refused(context: Context, text: str) -> list[str]:
    before = await everybody(context)
    with pytest.raises(UsageError) as said:
        await imported(context, text)
    assert await everybody(context) == before
    *faults, last = str(said.value).split("\n")
    assert last == "nothing was imported"
    return faults


def outcomes(done: ImportedPeople) -> list[str]:
    return [str(each.outcome) for each in done.people]


async def everybody(context: Context) -> list[PersonRecord]:
    return [record async for record in each_person(context, PeopleRequest())]


async def exported(context: Context) -> str:
    return "".join([line async for line in csv_of_people(context, PeopleRequest())])


async def found(context: Context, identity: str) -> Person:
    person = await context.store.people(Partition.LIVE).find(identity)
    assert person is not None
    return person


ANA = "first_name,email,phone,party_size,consent.messages\nAna,ana@example.com,+1 (555) 0100,6,true\n"


async def test_whoever_is_new_is_created_typed_and_found_by_phone_and_email(tmp_path: Path, database_url: str) -> None:
    async with project(tmp_path, database_url).open() as context:
        done = await imported(context, ANA)
        ana = await found(context, "sms:+15550100")
        assert outcomes(done) == ["created"]
        assert done.people[0].person_id == ana.person_id
        assert (ana.first_name, ana.phone, ana.fields, dict(ana.consent)) == (
            "Ana",
            "+1 (555) 0100",
            {"party_size": 6},
            {"messages": True},
        )
        assert ana.consent_at["messages"]
        assert await found(context, "email:ana@example.com") == ana


async def test_a_second_time_changes_nothing_and_a_new_value_updates(tmp_path: Path, database_url: str) -> None:
    async with project(tmp_path, database_url).open() as context:
        await imported(context, ANA)
        before = await everybody(context)
        assert outcomes(await imported(context, ANA)) == ["unchanged"]
        assert await everybody(context) == before
        done = await imported(context, ANA.replace(",6,", ",7,") + "Ben,BEN@example.com,,,\n")
        assert outcomes(done) == ["updated", "created"]
        assert done.people[0].changed == ("party_size",)
        assert (await found(context, "sms:+15550100")).fields == {"party_size": 7}
        assert outcomes(await imported(context, "email,status\nben@example.com,lead\n")) == ["updated"]


async def test_a_preview_says_the_same_and_keeps_nothing(tmp_path: Path) -> None:
    async with project(tmp_path).open() as context:
        would = await imported(context, ANA, preview=True)
        assert await everybody(context) == []
        did = await imported(context, ANA)
        assert outcomes(would) == outcomes(did)
        assert (would.people[0].person_id, would.preview, did.preview) == (None, True, False)


async def test_what_is_empty_says_nothing_and_consent_that_is_not_named_stays(tmp_path: Path) -> None:
    async with project(tmp_path).open() as context:
        await imported(context, "phone,status,tags,consent\n+15550100,lead,vip; north,messages\n")
        assert outcomes(await imported(context, "phone,status,tags,consent\n+15550100,,,\n")) == ["unchanged"]
        await imported(context, "phone,tags,consent\n+15550100,south,not calls\n")
        ana = await found(context, "sms:+15550100")
        assert (ana.status, ana.tags, dict(ana.consent)) == ("lead", ("south",), {"messages": True, "calls": False})
        await imported(context, "phone,consent\n+15550100,not messages\n")
        assert (await found(context, "sms:+15550100")).consent["messages"] is False


async def test_everything_that_is_wrong_is_told_with_line_and_column_and_nothing_is_kept(tmp_path: Path) -> None:
    async with project(tmp_path).open() as context:
        told = await refused(
            context,
            "phone,party_size,guests,vip,arrives,marina,representative,consent.messages,other_fields,"
            "Consent\n"
            "+15550100,6,2,true,2026-06-06,north,dana,true,,calls\n"
            "+15550101,,2.5,yes,06/06/2026,nort,dan,perhaps,,No\n"
            '+15550102,,,,,,,,"{""old"": 1}",\n',
        )
        assert told == [
            "people.csv:3:3: 'guests' is declared as a whole number, not the number 2.5",
            "people.csv:3:4: 'vip' is declared as true or false, not the text 'yes'",
            "people.csv:3:5: 'arrives' is declared as a date such as 2026-06-06, not the text '06/06/2026'",
            "people.csv:3:6: 'marina' is one of north, south, not the text 'nort'; did you mean 'north'?",
            "people.csv:3:7: there is no representative 'dan'; did you mean 'dana'?",
            "people.csv:3:8: 'consent.messages' is true or false, not the text 'perhaps'",
            "people.csv:3:10: 'No' is no kind of consent; name the column `consent.messages` and write true or false "
            "in it",
            "people.csv:4:9: fields that no agent declares can't be set; declare them, or empty the cell",
        ]


async def test_a_number_without_end_is_none(tmp_path: Path) -> None:
    async with project(tmp_path).open() as context:
        (told,) = await refused(context, f"phone,guests\n+15550100,{'7' * 400}\n")
        assert told.startswith("people.csv:2:2: 'guests' is declared as a whole number, not the text '777")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("first_name\nAna\n", "2:1: nobody is found by this row; give it identities, a phone number or an email"),
        ("phone\nn/a\n", "2:1: 'n/a' is no phone number; one looks like +1 555 0100"),
        ("phone\n555 0100 ext. 12\n", "2:1: '555 0100 ext. 12' tells nobody apart; write a number such as +15550100"),
        ("email\nana\n", "2:1: 'ana' is no email address; one looks like ana@example.com"),
        ("identities\nsms\n", "2:1: 'sms' is no identity; write channel:address, such as sms:+15550100"),
        ("identities\nsns:+1555\n", "2:1: 'sns:+1555' is no identity: there is no channel 'sns'; did you mean 'sms'?"),
        ("phone\n+1 555 0100\n001-555-0100\n", "3:1: this is the same person as on line 2"),
        ("email\na@example.com\nA@example.com\n", "3:1: this is the same person as on line 2"),
        ("phone,identities\n+15550100,\n,sms:+15550100\n", "3:2: this is the same person as on line 2"),
        ("id,phone\nANA,\n,+15550199\n", "3:2: this is the same person as on line 2"),
        ("id,identities\nANA,sms:+15550188\n", "2:2: the identity 'sms:+15550188' finds the person 'BEN', and this"),
    ],
)
async def test_whom_a_row_is_about_has_to_be_clear(tmp_path: Path, text: str, said: str) -> None:
    async with project(tmp_path).open() as context:
        people = context.store.people(Partition.LIVE)
        ana = await people.add(Person(person_id=""), "sms:+15550199")
        ben = await people.add(Person(person_id=""), "sms:+15550188")
        (told,) = await refused(context, text.replace("ANA", ana.person_id))
        assert told.startswith(f"people.csv:{said}".replace("BEN", ben.person_id))


async def test_the_contact_details_on_a_record_find_nobody(tmp_path: Path) -> None:
    """A visitor who said that he is Ana is not made her by importing her."""
    async with project(tmp_path).open() as context:
        said = Person(person_id="", email="ana@example.com", phone="+1 (555) 0100")
        visitor = await context.store.people(Partition.LIVE).add(said, "web:visitor-7")
        assert outcomes(await imported(context, ANA)) == ["created"]
        assert await found(context, "web:visitor-7") == visitor


async def test_an_email_that_several_people_share_is_the_first_ones(tmp_path: Path) -> None:
    family = "first_name,phone,email\nAna,+15550100,us@example.com\nBen,+15550101,us@example.com\n"
    async with project(tmp_path).open() as context:
        assert outcomes(await imported(context, family)) == ["created", "created"]
        assert outcomes(await imported(context, family)) == ["unchanged", "unchanged"]
        assert (await found(context, "email:us@example.com")).first_name == "Ana"
        assert outcomes(await imported(context, "email,phone\nus@example.com,+15550102\n")) == ["created"]


async def test_a_phone_number_that_comes_later_makes_nobody_new(tmp_path: Path) -> None:
    async with project(tmp_path).open() as context:
        await imported(context, "email\nana@example.com\n")
        done = await imported(context, "email,phone\nana@example.com,+15550100\n")
        assert (outcomes(done), done.people[0].changed) == (["updated"], ("phone", "identities"))
        assert await found(context, "sms:+15550100") == await found(context, "email:ana@example.com")


async def test_what_identities_are_written_are_bound_and_no_others(tmp_path: Path) -> None:
    async with project(tmp_path).open() as context:
        text = "phone,identities\n+15550100,rich:+15550100; web:ana\n"
        assert outcomes(await imported(context, text)) == ["created"]
        (record,) = await everybody(context)
        assert record.identities == ("rich:+15550100", "web:ana")
        more = await imported(context, "identities\nweb:ana; phone_inbound:+15550100\n")
        assert (outcomes(more), more.people[0].changed) == (["updated"], ("identities",))


async def test_a_number_has_one_spelling_and_one_without_its_country_is_told_once(tmp_path: Path) -> None:
    async with project(tmp_path).open() as context:
        text = "identities\nsms:0049 (0)170/123-45.67\n"
        assert (await imported(context, text)).warnings == ()
        assert (await found(context, "sms:+491701234567")).person_id
        again = "identities,phone\nsms:+49 170 1234567,\n,0170 1234568\nweb: 1 2,\n"
        done = await imported(context, again)
        assert outcomes(done) == ["unchanged", "created", "created"]
        assert done.warnings == (
            "people.csv:3:2: warning: 'sms:01701234568' has no + and country code, as in sms:+15550100; "
            "no SMS will come from it",
        )
        assert outcomes(await imported(context, again)) == ["unchanged"] * 3
        assert (await imported(context, again)).warnings == ()
        assert await found(context, "web: 1 2")


async def test_what_a_channel_sent_stays_as_it_is(tmp_path: Path) -> None:
    async with project(tmp_path).open() as context:
        sent = await context.store.people(Partition.LIVE).create("sms:+1 555 0100")
        assert outcomes(await imported(context, await exported(context))) == ["unchanged"]
        bound = await change_person(context, sent.person_id, {}, ["sms:+1 555 0100"])
        assert bound.identities == ("sms:+1 555 0100",)
        with pytest.raises(UsageError, match="is bound to the person"):
            await add_person(context, ["sms:+1 555 0100"])


async def test_semicolons_bring_commas_into_numbers(tmp_path: Path) -> None:
    async with project(tmp_path).open() as context:
        await imported(context, "phone;party_size;guests;vip\n+15550100;2,5;3,0;TRUE\n")
        assert (await found(context, "sms:+15550100")).fields == {"party_size": 2.5, "guests": 3, "vip": True}


async def test_of_several_agents_the_one_whose_field_holds_it_decides(tmp_path: Path) -> None:
    async with project(tmp_path).open() as context:
        await imported(context, "phone,party_size,seats\n+15550100,many,8\n")
        assert (await found(context, "sms:+15550100")).fields == {"party_size": "many", "seats": 8}


async def test_nobody_of_a_sandbox_is_found(tmp_path: Path) -> None:
    async with project(tmp_path).open() as context:
        await context.store.people(Sandbox("chat-1")).add(Person(person_id="", status="lead"), "sms:+15550100")
        assert outcomes(await imported(context, ANA)) == ["created"]


async def test_two_imports_at_once_make_one_person(tmp_path: Path, database_url: str) -> None:
    made = project(tmp_path, database_url)
    async with made.open() as here, made.open() as there:
        rows = "".join(f"P{number},p{number}@example.com,+1555{number:04},{number},\n" for number in range(100))
        text = ANA.splitlines()[0] + "\n" + rows
        await asyncio.gather(*(imported(context, text) for context in (here, there, here, there)))
        assert len(await everybody(here)) == 100
        assert outcomes(await imported(there, text)) == ["unchanged"] * 100


VALUES = st.text(st.sampled_from("'=+-@ \t\r\n;,\"[]{}aé"), max_size=8) | st.text(max_size=12)
SCALARS: st.SearchStrategy[Json] = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | VALUES
ODD: st.SearchStrategy[Json] = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(VALUES, SCALARS, max_size=2)
NAMES = st.sampled_from([*FIELDS, "seats", "old", "older"])


@st.composite
def anybody(draw: st.DrawFn) -> Person:
    """Somebody of whom anything at all is kept, also what no declared field would hold any more."""
    core = {name: draw(VALUES) for name in draw(st.sets(st.sampled_from(CORE_FIELDS)))}
    return Person(
        person_id="",
        **core,  # pyright: ignore[reportArgumentType]  # all core fields are text
        fields=draw(st.dictionaries(NAMES, ODD, max_size=4)),
        consent=draw(st.dictionaries(VALUES, st.booleans(), max_size=2)),
        tags=tuple(draw(st.lists(VALUES, max_size=3))),
    )


def respelled(text: str, delimiter: str) -> str:
    """The same as another program saves it: a mark first, other delimiters, columns the other way round."""
    rows = [list(reversed(row)) for row in csv.reader(StringIO(text, newline=""), strict=True)]
    written = StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    return "\ufeff" + written.getvalue()


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(people=st.lists(anybody(), min_size=1, max_size=12), delimiter=st.sampled_from(",;\t"))
async def test_importing_an_export_changes_nothing(
    people: Sequence[Person], delimiter: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with project(tmp_path_factory.mktemp("export")).open() as context:
        for number, person in enumerate(people):
            await context.store.people(Partition.LIVE).add(person, f"web:visitor;{number}")
        before, written = await everybody(context), await exported(context)
        for text in (written, respelled(written, delimiter)):
            assert outcomes(await imported(context, text)) == ["unchanged"] * len(people)
        assert await everybody(context) == before


SOUND = st.fixed_dictionaries(
    {},
    optional={
        "party_size": st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
        "guests": st.integers(),
        "vip": st.booleans(),
        "arrives": st.dates().map(str),
        "marina": st.sampled_from(["north", "south"]),
        "wish": VALUES.map(str.strip).filter(bool),
    },
)


@st.composite
def somebody(draw: st.DrawFn) -> Person:
    """Somebody as agents and people may write them now."""
    names = [name for name in CORE_FIELDS if name not in {"email", "phone", "representative"}]
    core = {name: draw(VALUES.map(str.strip)) for name in draw(st.sets(st.sampled_from(names)))}
    texts = VALUES.map(str.strip).filter(bool)
    return Person(
        person_id="",
        **core,  # pyright: ignore[reportArgumentType]  # all core fields are text
        fields=draw(SOUND),
        consent=draw(st.dictionaries(texts, st.booleans(), max_size=2)),
        tags=tuple(draw(st.lists(texts, max_size=3, unique=True))),
    )


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(people=st.lists(somebody(), min_size=1, max_size=12))
async def test_an_export_brings_everybody_back_where_nobody_is(
    people: Sequence[Person], tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with project(tmp_path_factory.mktemp("here")).open() as context:
        for number, person in enumerate(people):
            await context.store.people(Partition.LIVE).add(person, f"web:visitor-{number}")
        before, written = await everybody(context), await exported(context)
    async with project(tmp_path_factory.mktemp("there")).open() as context:
        assert set(outcomes(await imported(context, written))) == {str(ImportOutcome.CREATED)}
        after = {record.identities: record.person for record in await everybody(context)}
    for record in before:
        again = after[record.identities]
        same = replace(record.person, person_id=again.person_id, consent_at=again.consent_at)
        assert again == same

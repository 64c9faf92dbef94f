"""`greenroom people` and `greenroom cleanup` as a person meets them: whole screens, and the file of an export."""

import asyncio
import csv
import json
from pathlib import Path

import pytest
from tests.cli.command_line import AT, CommandLine, Screen, as_process
from tests.golden import assert_golden

from greenroom.clock import FrozenClock
from greenroom.conversation.people import Person
from greenroom.store.opening import open_store
from greenroom.store.partition import Partition, Sandbox

SCREENS = Path(__file__).parent / "screens"
PROJECT = """
segments:
  big-parties: {status: lead, fields.party_size: {at_least: 4}}
"""
AGENT = """
agent: desk
model: script:models/desk.yaml
people:
  fields:
    party_size: {type: number}
    code: {type: string}
    arrives: {type: date}
    vip: {type: boolean}
    marina: {options: [north, south]}
representatives: {dana: {name: Dana Cole}}
"""
PEOPLE = (
    Person(
        person_id="",
        first_name="Ana",
        last_name="Ruiz",
        email="ana@example.com",
        status="lead",
        fields={"party_size": 6, "old": ["a"]},
        consent={"messages": True},
        tags=("vip",),
    ),
    Person(person_id="", first_name="花子", company="東京 Boats", status="customer"),
    Person(person_id="", first_name="=cmd|' /C calc'!A0", phone="+15550100", fields={"party_size": 2}),
)

pytestmark = pytest.mark.requirement("A7")


def shows(name: str, screen: Screen) -> None:
    assert_golden(str(screen), SCREENS / f"{name}.txt")


@pytest.fixture
def desk(command: CommandLine) -> CommandLine:
    """A project with three live people, and one in a sandbox that somebody left."""
    (command.folder / "agents").mkdir()
    (command.folder / "models").mkdir()
    (command.folder / "models" / "desk.yaml").write_text("rules: [{reply: Hello.}]", encoding="utf-8")
    (command.folder / "greenroom.yaml").write_text(PROJECT, encoding="utf-8")
    (command.folder / "agents" / "desk.yaml").write_text(AGENT, encoding="utf-8")

    async def seed() -> None:
        store = await open_store("sqlite:///.greenroom/greenroom.db", command.folder, clock=FrozenClock(AT))
        for number, person in enumerate(PEOPLE):
            await store.people(Partition.LIVE).add(person, f"web:visitor-{number}")
        await store.people(Sandbox("chat-1")).add(Person(person_id="", first_name="Fay"), "chat:chat-1")
        await store.close()

    asyncio.run(seed())
    return command


def test_people_are_listed_counted_and_shown(desk: CommandLine) -> None:
    shows("people", desk("people"))
    shows("people-page", desk("people", "--limit", "1"))
    shows("people-count", desk("people", "--count"))
    shows("people-one", desk("people", "web:visitor-0"))
    shows("people-segment", desk("people", "--segment", "big-parties"))
    shows("people-none", desk("people", "--search", "nobody"))


def test_the_next_page_goes_on_where_the_first_ended(desk: CommandLine) -> None:
    first = json.loads(desk("people", "--limit", "2", "--format", "json").out)
    second = json.loads(desk("people", "--limit", "2", "--after", first["next"], "--format", "json").out)
    assert [person["id"] for page in (first, second) for person in page["people"]] == [
        "person-3",
        "person-2",
        "person-1",
    ]
    assert second["next"] is None


def test_json_has_everything_with_its_type(desk: CommandLine) -> None:
    person = json.loads(desk("people", "person-1", "--format", "json").out)
    assert person == {
        "id": "person-1",
        **dict.fromkeys(("phone", "company", "title", "product_interest", "representative", "notes"), ""),
        "first_name": "Ana",
        "last_name": "Ruiz",
        "email": "ana@example.com",
        "status": "lead",
        "fields": {"party_size": 6, "old": ["a"]},
        "consent": {"messages": {"given": True, "at": "2026-11-30T09:00:00.000+00:00"}},
        "tags": ["vip"],
        "identities": ["web:visitor-0"],
        "created_at": "2026-11-30T09:00:00.000+00:00",
        "updated_at": "2026-11-30T09:00:00.000+00:00",
    }
    assert json.loads(desk("people", "--count", "--format", "json").out)["total"] == 3


def test_the_sandbox_is_seen_when_it_is_asked_for_and_then_alone(desk: CommandLine) -> None:
    shows("people-sandbox", desk("people", "--sandbox"))
    assert "Fay" not in desk("people", "--format", "json").out
    assert desk("people", "person-4").code == 2
    assert desk("people", "chat:chat-1").code == 2
    assert desk("people", "person-4", "--sandbox").code == 0
    refused = desk("people", "person-4", "--sandbox", "--set", "status=lead")
    assert (refused.code, refused.err) == (
        2,
        "people of the sandbox can be looked at, and are changed by their conversation alone\n",
    )


def test_an_export_is_every_live_person_in_utf_8_and_no_formula(desk: CommandLine) -> None:
    screen = desk("people", "--export", "people.csv")
    assert (screen.code, screen.out, screen.err) == (0, "", "Wrote 3 people to people.csv\n")
    with (desk.folder / "people.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file, strict=True)}
    assert [row["first_name"] for row in rows.values()] == ["'=cmd|' /C calc'!A0", "花子", "Ana"]
    assert (rows["person-1"]["fields.party_size"], rows["person-1"]["other_fields"]) == ("6", '{"old": ["a"]}')
    assert rows["person-3"]["phone"] == "'+15550100"
    assert list(desk.folder.glob("*.part")) == []
    again = desk("people", "--export", "-", "--segment", "big-parties")
    assert again.out.count("\r\n") in {0, 2}
    assert "Ana" in again.out
    assert "花子" not in again.out


def test_an_export_that_can_not_be_written_says_so_and_leaves_nothing(desk: CommandLine) -> None:
    screen = desk("people", "--export", "nowhere/people.csv")
    assert (screen.code, screen.err) == (2, "HERE/nowhere/people.csv can't be written: No such file or directory\n")


def test_a_person_is_changed_and_bound(desk: CommandLine) -> None:
    changed = desk(
        *("people", "web:visitor-1", "--set", "status=lead", "--set", "party_size=4", "--set", "consent.messages=true"),
        *("--set", "representative=dana", "--bind", "sms:+15550111"),
    )
    shows("people-changed", changed)
    assert "花子" in desk("people", "sms:+15550111").out
    assert "花子" in desk("people", "--audience", "big-parties").out


def test_a_value_is_what_the_declared_field_holds(desk: CommandLine) -> None:
    pairs = (
        "code=0123",
        "arrives=2026-06-06",
        "vip=true",
        "fields.marina=south",
        "party_size=2.5",
        "tags=[vip, north]",
    )
    changed = desk("people", "person-1", "--format", "json", *(word for pair in pairs for word in ("--set", pair)))
    person = json.loads(changed.out)
    assert {**person["fields"], "old": None} == {
        "code": "0123",
        "arrives": "2026-06-06",
        "vip": True,
        "marina": "south",
        "party_size": 2.5,
        "old": None,
    }
    assert person["tags"] == ["vip", "north"]


@pytest.mark.parametrize("refused", ["15550100", "web:visitor-2"])
def test_what_is_set_and_bound_at_once_is_done_wholly_or_not_at_all(desk: CommandLine, refused: str) -> None:
    before = desk("people", "person-1", "--format", "json").out
    asked = ("--set", "status=customer", "--bind", "sms:+15550177", "--bind", refused)
    assert desk("people", "person-1", *asked).code == 2
    assert desk("people", "person-1", "--format", "json").out == before


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("people-bad-condition", ("people", "--where", "statsu: lead")),
        ("people-bad-segment", ("people", "--segment", "big-party")),
        ("people-bad-value", ("people", "person-1", "--set", "party_size=six", "--set", "representative=dan")),
        (
            "people-bad-values",
            (
                *("people", "person-1", "--set", "party_size=[6", "--set", "arrives=2026-13-01", "--set", "vip=yes"),
                *("--set", "marina=nort", "--set", "tags=[vip, {a: 1}]", "--set", "consent.messages=maybe"),
                *("--set", "email=ana at home", "--set", "phone=mobile"),
            ),
        ),
        ("people-bad-identity", ("people", "person-1", "--bind", "15550100")),
        ("people-taken-identity", ("people", "person-1", "--bind", "web:visitor-1")),
        ("people-nobody", ("people", "person-9")),
        ("people-change-nobody", ("people", "--set", "status=lead")),
        ("people-bad-mark", ("people", "--after", "page 2")),
    ],
)
def test_what_can_not_be_done_is_told_with_what_to_do(desk: CommandLine, name: str, arguments: tuple[str, ...]) -> None:
    shows(name, desk(*arguments))


@pytest.mark.requirement("A5")
def test_people_are_imported_from_what_a_spreadsheet_writes(desk: CommandLine) -> None:
    rows = "First name;Phone;Status;party_size\r\nZoe;+1 555 0155;lead;2,5\r\nYan;+1 555 0156;;\r\n"
    (desk.folder / "leads.csv").write_bytes(b"\xef\xbb\xbf" + rows.encode())
    shows("people-import-dry-run", desk("people", "--import", "leads.csv", "--dry-run", at=None))
    assert "Zoe" not in desk("people").out
    shows("people-import", desk("people", "--import", "leads.csv", at=None))
    shows("people-import-again", desk("people", "--import", "leads.csv", at=None))
    (desk.folder / "leads.csv").write_text(rows.replace("lead", "customer"), encoding="utf-8")
    told = json.loads(desk("people", "--import", "leads.csv", "--format", "json", at=None).out)
    assert {name: told[name] for name in ("dry_run", "created", "updated", "unchanged")} == {
        "dry_run": False,
        "created": 0,
        "updated": 1,
        "unchanged": 1,
    }
    assert [(each["line"], each["outcome"], each["changed"]) for each in told["people"]] == [
        (2, "updated", ["status"]),
        (3, "unchanged", []),
    ]
    assert "customer" in desk("people", "sms:+15550155").out


@pytest.mark.requirement("A5")
def test_what_is_wrong_in_a_file_is_told_at_once_and_nobody_is_imported(desk: CommandLine) -> None:
    (desk.folder / "leads.csv").write_text(
        "phone,party_size,representative\n+15550155,six,dan\n,2,\n", encoding="utf-8"
    )
    shows("people-import-refused", desk("people", "--import", "leads.csv"))
    assert desk("people", "sms:+15550155").code == 2
    (desk.folder / "leads.csv").write_text("phone,partysize,zzz\n+15550155,6,\n", encoding="utf-8")
    shows("people-import-columns", desk("people", "--import", "leads.csv"))
    shows("people-import-nothing", desk("people", "--import", "lead.csv"))


@pytest.mark.requirement("A5")
def test_an_export_that_comes_back_changes_nothing(desk: CommandLine) -> None:
    assert desk("people", "--export", "people.csv").code == 0
    assert desk("people", "--import", "people.csv").out == "0 people created, 0 updated, 3 unchanged.\n"
    read = as_process("people", "--import", "-", folder=desk.folder, typed=desk("people", "--export", "-").out)
    assert (read.returncode, read.stdout) == (0, "0 people created, 0 updated, 3 unchanged.\n")


@pytest.mark.requirement("A5")
def test_somebody_is_put_on_record(desk: CommandLine) -> None:
    added = desk(
        *("people", "--add", "sms:+15550155", "--bind", "rich:+15550155"),
        *("--set", "first_name=Zoe", "--set", "party_size=4", "--set", "consent.messages=true"),
        at=None,
    )
    assert (added.code, added.out.splitlines()[0][:5]) == (0, "Zoe  ")
    assert "identities         rich:+15550155, sms:+15550155" in added.out
    again = desk("people", "--add", "sms:+15550155", at=None)
    assert again.code == 2
    assert "`greenroom people sms:+15550155 --set FIELD=VALUE` changes them" in again.err
    assert desk("people", "--add", "sms:+15550156", "--set", "party_size=six").code == 2
    assert desk("people", "sms:+15550156").code == 2


@pytest.mark.requirement("A5")
def test_a_number_is_the_same_however_people_write_it(desk: CommandLine) -> None:
    added = desk("people", "--add", "sms:+1 (555) 0155", "--set", "first_name=Zoe", at=None)
    assert (added.code, added.err) == (0, "")
    assert "sms:+15550155" in added.out
    again = desk("people", "--add", "sms:001-555-0155", at=None)
    assert again.code == 2
    assert "the identity 'sms:+15550155' is bound to the person" in again.err
    assert desk("people", "sms:+1 555.0155", at=None).out == added.out
    bound = desk("people", "sms:+1 555 0155", "--bind", "sms:0170 1234567", at=None)
    assert (bound.code, bound.err) == (
        0,
        "warning: 'sms:01701234567' has no + and country code, as in sms:+15550100; no SMS will come from it\n",
    )
    assert "sms:+15550155, sms:01701234567" in bound.out


@pytest.mark.requirement("A5")
def test_an_import_warns_of_numbers_from_which_no_sms_comes(desk: CommandLine) -> None:
    (desk.folder / "leads.csv").write_text("First name,Phone\nYan,0170 1234567\n", encoding="utf-8")
    shows("people-import-warned", desk("people", "--import", "leads.csv", "--dry-run", at=None))
    told = json.loads(desk("people", "--import", "leads.csv", "--format", "json", at=None).out)
    assert (told["created"], len(told["warnings"])) == (1, 1)


@pytest.mark.parametrize(
    "asked",
    [
        ["person-1", "--export", "-"],
        ["--add", "sms:1", "--import", "x.csv"],
        ["--import", "x.csv", "--count"],
        ["--import", "x.csv", "--search", "ana"],
        ["--add", "sms:1", "--sandbox"],
        ["--import", "x.csv", "--set", "status=lead"],
        ["--dry-run"],
        ["--import", "x.csv", "--limit", "50"],
        ["--import", "x.csv", "--after", "x"],
        ["--export", "x.csv", "--format", "json"],
        ["--count", "--limit", "3"],
        ["person-1", "--search", "ana"],
    ],
    ids=" ".join,
)
def test_two_things_at_once_are_refused(asked: list[str], desk: CommandLine) -> None:
    screen = desk("people", *asked)
    assert (screen.code, screen.out) == (2, "")
    assert screen.err.count("\n") == 1


def test_people_are_listed_while_a_document_is_broken(desk: CommandLine) -> None:
    (desk.folder / "agents" / "desk.yaml").write_text("agent: [", encoding="utf-8")
    assert desk("people").code == 0
    assert desk("people", "--segment", "big-parties").code == 0
    assert desk("people", "--where", "status: lead").code == 2


def test_a_segment_that_names_no_field_is_an_error_of_lint(desk: CommandLine) -> None:
    (desk.folder / "models").mkdir(exist_ok=True)
    (desk.folder / "models" / "desk.yaml").write_text("rules: [{reply: Hello.}]\n", encoding="utf-8")
    (desk.folder / "greenroom.yaml").write_text(
        "segments:\n  ours: {statsu: lead, fields.guests: 4, name: {regex: '(?i)a'}}\n  Theirs: {}\n", encoding="utf-8"
    )
    shows("people-segments-refused", desk("lint"))
    (desk.folder / "greenroom.yaml").write_text(
        "segments:\n  ours: {statsu: lead, fields.guests: 4}\n", encoding="utf-8"
    )
    shows("people-segments-lint", desk("lint"))


@pytest.mark.requirement("A11")
def test_what_was_left_in_the_sandbox_is_cleaned_up(desk: CommandLine) -> None:
    shows("cleanup", desk("cleanup"))
    shows("cleanup-nothing", desk("cleanup"))
    assert json.loads(desk("people", "--sandbox", "--count", "--format", "json").out)["total"] == 0
    assert json.loads(desk("people", "--count", "--format", "json").out)["total"] == 3

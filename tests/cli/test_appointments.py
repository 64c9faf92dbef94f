"""`greenroom appointments` as a person meets it: whole screens, and its JSON."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.cli.command_line import AT, CommandLine, Screen
from tests.golden import assert_golden

from greenroom.clock import FrozenClock
from greenroom.conversation.appointments import Appointment
from greenroom.conversation.people import Person
from greenroom.store.opening import open_store
from greenroom.store.partition import Partition, Sandbox

SCREENS = Path(__file__).parent / "screens"
PROJECT = "time_zone: America/Chicago\n"
AGENT = """
agent: desk
model: script:models/desk.yaml
representatives: {dana: {name: Dana Cole}}
"""
CHICAGO = ZoneInfo("America/Chicago")

pytestmark = pytest.mark.requirement("A7")


def shows(name: str, screen: Screen) -> None:
    assert_golden(str(screen), SCREENS / f"{name}.txt")


def boat(
    day: int, hour: int, *, month: int = 12, title: str = "Powerboat", representative: str = "", notes: str = ""
) -> Appointment:
    start = datetime(2026, month, day, hour, 30, tzinfo=CHICAGO)
    end = start.astimezone(UTC) + timedelta(hours=1)
    return Appointment(
        appointment_id="",
        title=title,
        start=start,
        end=end.astimezone(CHICAGO),
        person_id="person-1",
        representative=representative,
        notes=notes,
    )


@pytest.fixture
def desk(command: CommandLine) -> CommandLine:
    """A project with some appointments: past, today, later, cancelled, and one in a sandbox that somebody left."""
    (command.folder / "agents").mkdir()
    (command.folder / "models").mkdir()
    (command.folder / "models" / "desk.yaml").write_text("rules: [{reply: Hello.}]", encoding="utf-8")
    (command.folder / "greenroom.yaml").write_text(PROJECT, encoding="utf-8")
    (command.folder / "agents" / "desk.yaml").write_text(AGENT, encoding="utf-8")

    async def seed() -> None:
        store = await open_store("sqlite:///.greenroom/greenroom.db", command.folder, clock=FrozenClock(AT))
        await store.people(Partition.LIVE).add(Person(person_id="", first_name="Ana", last_name="Ruiz"), "web:ana")
        talking = store.appointments(Partition.LIVE, agent="desk", conversation="desk:web:1")
        await talking.book(boat(29, 14, month=11, title="Yesterday"))
        await talking.book(boat(30, 0, month=11, title="This night"))
        await talking.book(boat(5, 14, representative="dana", notes="Six people"))
        await talking.book(boat(5, 23, title="Night cruise\nwith supper"))
        called_off = await talking.book(boat(6, 9, title="Called off"))
        await talking.cancel(called_off.appointment_id)
        other = store.appointments(Partition.LIVE, agent="hillside")
        await other.book(
            Appointment(
                appointment_id="",
                title="ボート",
                start=datetime(2026, 12, 24, 9, 0, tzinfo=UTC),
                end=datetime(2026, 12, 24, 9, 45, tzinfo=UTC),
                person_id="person-9",
            )
        )
        await store.appointments(Sandbox("chat-1"), agent="desk").book(boat(7, 14, title="Rehearsed"))
        await store.close()

    asyncio.run(seed())
    return command


def titles(screen: Screen) -> list[str]:
    return [each["title"] for each in json.loads(screen.out)["appointments"]]


def test_appointments_are_listed_and_shown(desk: CommandLine) -> None:
    shows("appointments", desk("appointments"))
    shows("appointments-page", desk("appointments", "--limit", "1"))
    shows("appointments-one", desk("appointments", "appointment-4"))
    shows("appointments-none", desk("appointments", "--agent", "desk", "--since", "2027-01-01"))
    shows("appointments-nobody", desk("appointments", "--person", "nobody"))
    shows("appointments-unknown", desk("appointments", "appointment-99"))
    shows("appointments-no-day", desk("appointments", "--since", "tomorow"))
    shows("appointments-no-status", desk("appointments", "--status", "canceled"))
    shows("appointments-mark", desk("appointments", "--after", "yesterday"))


def test_one_is_taken_back(desk: CommandLine) -> None:
    screens = [
        desk("appointments", "appointment-4", "--cancel"),
        desk("appointments", "appointment-4", "--cancel"),
        desk("appointments", "appointment-2", "--cancel"),
        desk("appointments", "appointment-7", "--cancel"),
        desk("appointments", "appointment-8", "--cancel"),
        desk("appointments", "appointment-8", "--cancel", "--sandbox"),
        desk("appointments", "--cancel"),
    ]
    assert_golden("\n\n".join(map(str, screens)), SCREENS / "appointments-cancel.txt")
    told = json.loads(desk("appointments", "appointment-5", "--cancel", "--format", "json").out)
    assert (told["status"], told["errands"]) == ("cancelled", [])


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["--agent", "hillside"], ["ボート"]),
        (["--representative", "dana"], ["Powerboat"]),
        (["--status", "cancelled"], ["Called off"]),
        (["--person", "web:ana", "--until", "2026-12-05"], ["This night", "Powerboat", "Night cruise\nwith supper"]),
        (["--person", "person-9"], ["ボート"]),
        (["--since", "2026-12-05T15:00", "--until", "2026-12-06"], ["Night cruise\nwith supper", "Called off"]),
        (["--since", "2026-11-01", "--until", "today"], ["Yesterday", "This night"]),
        (["--until", "2026-12-05T20:31:00Z", "--since", "2026-12-05"], ["Powerboat"]),
    ],
)
def test_a_list_can_be_narrowed_by_the_projects_days(desk: CommandLine, asked: list[str], found: list[str]) -> None:
    assert titles(desk("appointments", *asked, "--format", "json")) == found


def test_the_next_page_goes_on_where_the_first_ended(desk: CommandLine) -> None:
    first = desk("appointments", "--limit", "3", "--format", "json")
    mark = json.loads(first.out)["next"]
    second = desk("appointments", "--limit", "3", "--format", "json", "--after", mark)
    assert titles(first) + titles(second) == [
        "This night",
        "Powerboat",
        "Night cruise\nwith supper",
        "Called off",
        "ボート",
    ]
    assert json.loads(second.out)["next"] is None


def test_json_has_everything(desk: CommandLine) -> None:
    assert json.loads(desk("appointments", "appointment-4", "--format", "json").out) == {
        "id": "appointment-4",
        "title": "Powerboat",
        "start": "2026-12-05T14:30:00-06:00",
        "end": "2026-12-05T15:30:00-06:00",
        "representative": "dana",
        "status": "booked",
        "notes": "Six people",
        "agent": "desk",
        "person": "person-1",
        "person_name": "Ana Ruiz",
        "conversation": "desk:web:1",
        "created_at": "2026-11-30T09:00:00.000+00:00",
        "updated_at": "2026-11-30T09:00:00.000+00:00",
        "reminders": [],
    }


def test_the_sandbox_is_seen_when_it_is_asked_for_and_then_alone(desk: CommandLine) -> None:
    assert titles(desk("appointments", "--sandbox", "--format", "json")) == ["Rehearsed"]
    assert desk("appointments", "appointment-8").code == 2
    assert desk("appointments", "appointment-8", "--sandbox").code == 0


@pytest.mark.parametrize("option", ["--since", "--until"])
def test_a_day_beyond_the_calendar_is_refused(desk: CommandLine, option: str) -> None:
    for command in ("appointments", "stats"):
        screen = desk(command, option, "9999-12-31")
        assert (screen.code, screen.out) == (2, "")
        assert "years go from 1900 to 2999" in screen.err.replace("\n", " ")

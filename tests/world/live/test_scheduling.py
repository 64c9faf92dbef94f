"""What follows from a live appointment: calendar, team and reminders learn of it, with the turn (features.md A8)."""

from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.world.makers import UnderWay, desk
from tests.world.makers import live as live_of

from greenroom.clock import FrozenClock
from greenroom.conversation.durations import spelled_length
from greenroom.conversation.effects import Effect
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Agent
from greenroom.store.opening import Store, open_store
from greenroom.world.live.world import LiveWorld
from greenroom.world.ports import NotScheduled, Scheduled
from greenroom.world.webhooks import Webhooks

pytestmark = pytest.mark.requirement("A8")

FRIDAY = datetime(2026, 6, 5, 9, 0, tzinfo=UTC)
SATURDAY = datetime(2026, 6, 6, 14, 0, tzinfo=UTC)
DAILY = {day: ({"opens": 0, "closes": 1440},) for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}
CALDAV = {"caldav": "http://calendar.example/team/"}


class Noted:
    """The reminders that were set and taken back, in order."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def set(self, appointment_id: str, due: Mapping[str, datetime]) -> None:
        self.told.append((appointment_id, {name: moment.isoformat() for name, moment in due.items()}))

    def cancel(self, appointment_id: str, why: str) -> None:
        self.told.append((appointment_id, why))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await open_store("sqlite:///greenroom.db", tmp_path, clock=FrozenClock(FRIDAY))
    yield opened
    await opened.close()


@pytest.fixture
def turn() -> UnderWay:
    return UnderWay()


@pytest.fixture
def reminders() -> Noted:
    return Noted()


@pytest.fixture
def world(store: Store, turn: UnderWay, reminders: Noted) -> LiveWorld:
    return world_of(store, turn, reminders, lake())


def lake(**scheduling: object) -> Agent:
    return desk(
        notifications={"to": ("json://team.example", "json://boss.example")},
        representatives={"dana": {"name": "Dana Cole", "calendar": CALDAV}, "bob": {"name": "Bob"}},
        scheduling={"hours": DAILY, "remind": (86_400.0, 7_200.0), **scheduling},
    )


def world_of(store: Store, turn: UnderWay, reminders: Noted, agent: Agent) -> LiveWorld:
    return live_of(store, Webhooks(), agent=agent, turn=turn, reminders=reminders, clock=FrozenClock(FRIDAY))


async def ana(world: LiveWorld) -> str:
    person = await world.people.create("web:ana")
    await world.people.write(person.person_id, "first_name", "Ana")
    await world.people.write(person.person_id, "last_name", "Ruiz")
    return person.person_id


async def booked(world: LiveWorld, person: str, start: datetime = SATURDAY, whom: str = "dana") -> Effect:
    return done(
        await world.scheduling.book(person_id=person, title="Powerboat", start=start, representative=whom)
    ).effect


def done(outcome: Scheduled | NotScheduled) -> Scheduled:
    assert isinstance(outcome, Scheduled), outcome
    return outcome


def bodies(turn: UnderWay, kind: str) -> list[Mapping[str, Json]]:
    return [body for each, _, body in turn.errands if each == kind]


async def test_a_booking_is_mirrored_told_and_reminded_of(world: LiveWorld, turn: UnderWay, reminders: Noted) -> None:
    effect = await booked(world, await ana(world))
    name = effect.data["id"]
    news = (
        "New appointment: Powerboat, Sat 6 June 2026, 14:00–15:00, with Dana Cole\n\n"
        "With: Ana Ruiz, web:ana\nConversation: talk-1"
    )
    assert [(body["place"], body["text"]) for body in bodies(turn, "notify")] == [(0, news), (1, news)]
    assert bodies(turn, "calendar") == [{"appointment": name, "calendars": ("dana",)}]
    due = {"24h": "2026-06-05T14:00:00+00:00", "2h": "2026-06-06T12:00:00+00:00"}
    assert reminders.told == [(name, due)]
    assert not effect.captured
    assert (effect.data["team"], effect.data["calendar"], effect.data["reminders"]) == (
        {"status": "queued"},
        {"status": "queued"},
        due,
    )


async def test_a_move_reaches_both_calendars_and_sets_the_reminders_anew(
    store: Store, turn: UnderWay, reminders: Noted
) -> None:
    world = world_of(store, turn, reminders, lake(calendar=CALDAV))
    person = await ana(world)
    name = str((await booked(world, person)).data["id"])
    # Bob has no calendar of his own: his appointments stand in the agent's.
    today = FRIDAY + timedelta(hours=3)
    await world.scheduling.move(name, person_id=person, start=today, representative="bob")
    assert bodies(turn, "calendar")[-1] == {"appointment": name, "calendars": ("dana", "")}
    assert str(bodies(turn, "notify")[-1]["text"]).startswith("Appointment moved: Powerboat, Fri 5 June 2026, 12:00")
    assert reminders.told[-1] == (name, {"2h": "2026-06-05T10:00:00+00:00"})


async def test_a_move_to_where_no_reminder_is_due_takes_back_those_that_were_set(
    world: LiveWorld, reminders: Noted
) -> None:
    person = await ana(world)
    name = str((await booked(world, person)).data["id"])
    soon = FRIDAY + timedelta(hours=1)
    moved = done(await world.scheduling.move(name, person_id=person, start=soon, representative="dana"))
    assert reminders.told[-1] == (name, {})
    assert "reminders" not in moved.effect.data


async def test_a_cancellation_is_told_mirrored_and_not_reminded_of(
    world: LiveWorld, turn: UnderWay, reminders: Noted
) -> None:
    person = await ana(world)
    name = str((await booked(world, person)).data["id"])
    await world.scheduling.cancel(name, person_id=person)
    assert str(bodies(turn, "notify")[-1]["text"]).startswith("Appointment cancelled: Powerboat, Sat 6 June 2026")
    assert bodies(turn, "calendar")[-1] == {"appointment": name, "calendars": ("dana",)}
    assert reminders.told[-1] == (name, "the appointment was cancelled")


async def test_an_appointment_that_stands_in_no_calendar_and_has_no_reminders_is_told_alone(
    store: Store, turn: UnderWay, reminders: Noted
) -> None:
    world = world_of(store, turn, reminders, lake(remind=()))
    effect = await booked(world, await ana(world), whom="bob")
    assert {kind for kind, _, _ in turn.errands} == {"notify"}
    assert reminders.told == []
    assert not {"calendar", "reminders"} & effect.data.keys()


async def test_nobody_is_told_of_what_could_not_be_booked(world: LiveWorld, turn: UnderWay, reminders: Noted) -> None:
    person = await ana(world)
    yesterday = FRIDAY - timedelta(days=1)
    assert isinstance(await world.scheduling.book(person_id=person, title="Powerboat", start=yesterday), NotScheduled)
    assert (turn.errands, reminders.told) == ([], [])


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(86_400.0, "24h"), (172_800.0, "2d"), (90_000.0, "25h"), (5_400.0, "90m"), (90.0, "90s"), (0.5, "0.5s")],
)
def test_a_length_is_told_as_people_write_it(seconds: float, told: str) -> None:
    assert spelled_length(seconds) == told

"""Appointments get into the business's calendars by errands, once, whatever is repeated or late (features.md A8)."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.projects import written_project
from tests.servers.radicale import PASSWORD, USER, CalendarServer, calendar_server

from greenroom.clock import FrozenClock
from greenroom.conversation.appointments import Appointment
from greenroom.conversation.people import Person
from greenroom.conversation.sent import SentStatus
from greenroom.documents.agent import Agent
from greenroom.operations.context import Context, opened
from greenroom.operations.leaving import errand_deliveries
from greenroom.operations.real_calls import real_calls
from greenroom.store.errands import Errand
from greenroom.store.partition import Partition
from greenroom.world.live.sending import CALENDAR

pytestmark = pytest.mark.requirement("A8")

NOON = datetime(2026, 6, 5, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[CalendarServer]:
    async with calendar_server(tmp_path / "radicale") as running:
        await running.make("team")
        await running.make("dana")
        yield running


@pytest.fixture
async def context(tmp_path: Path) -> AsyncIterator[Context]:
    maker = written_project(tmp_path / "project", rules=[], cases={"one": {"script": ["Hi"], "expect": []}})
    async with opened(maker.root, environment={"CALENDAR": PASSWORD}, clock=FrozenClock(NOON)) as found:
        yield found


def an_agent(server: CalendarServer, *, danas: str | None = None) -> Agent:
    def calendar(url: str) -> object:
        return {"caldav": url, "user": USER, "password": "${CALENDAR}"}

    return Agent.model_validate({
        "id": "lakeside",
        "name": "Lakeside Boat Rentals",
        "model": {"name": "script:x"},
        "scheduling": {"calendar": calendar(server.url("team"))},
        "representatives": {
            "dana": {"name": "Dana", "calendar": calendar(danas or server.url("dana"))},
            "bob": {"name": "Bob"},
        },
    })


class Errands:
    """Gives errands for one appointment after the other, and has them done by a process of its own each time."""

    def __init__(self, context: Context, agent: Agent) -> None:
        self._context = context
        self._agent = agent
        self._given = 0

    async def give(self, appointment: Appointment, *calendars: str) -> None:
        self._given += 1
        errand = Errand(
            kind=CALENDAR,
            agent="lakeside",
            summary="booked",
            lane=appointment.appointment_id,
            body={"appointment": appointment.appointment_id, "calendars": calendars},
            conversation="c",
        )
        await self._context.store.errands().put(errand, name=f"errand {self._given}")

    async def do(self, *, seconds: float = 0.0) -> list[str | None]:
        """Do what is due so much later; what stands of each errand that is not done."""
        clock = FrozenClock(NOON + timedelta(seconds=seconds))
        environment = self._context.environment
        async with opened(self._context.root, environment=environment, clock=clock) as context:
            async with real_calls() as calls:
                for one in errand_deliveries(context, self._document, "sender", calls=calls):
                    while await one.deliver_due():
                        pass
            listed = await context.store.errands().of_conversation("c")
        return [each.error for each in listed if each.status is not SentStatus.SENT]

    async def _document(self, _: str) -> Agent:
        return self._agent


@pytest.fixture
def errands(context: Context, server: CalendarServer) -> Errands:
    return Errands(context, an_agent(server))


def boat(person: str | None = None, *, representative: str = "dana") -> Appointment:
    return Appointment(
        appointment_id="",
        title="Powerboat",
        start=NOON,
        end=NOON + HOUR,
        representative=representative,
        person_id=person,
        notes="Six people",
    )


def summaries(server: CalendarServer, calendar: str) -> list[str]:
    """When each event begins and what it is called."""
    told = ("DTSTART", "SUMMARY")
    events = [text.splitlines() for text in server.kept(calendar)]
    return [" ".join(line.partition(":")[2] for line in event if line.startswith(told)) for event in events]


async def test_an_appointment_stands_in_its_calendar_with_whom_it_is_for(
    context: Context, server: CalendarServer, errands: Errands
) -> None:
    people = context.store.people(Partition.LIVE)
    ana = await people.add(Person(person_id="", first_name="Ana", last_name="Ruiz", phone="+15550100"), "sms:1")
    mine = context.store.appointments(Partition.LIVE, agent="lakeside")
    await errands.give(await mine.book(boat(ana.person_id)), "dana")
    await errands.give(await mine.book(boat(representative="bob")), "")
    assert await errands.do() == []
    (in_danas,) = server.kept("dana")
    assert "SUMMARY:Powerboat: Ana Ruiz" in in_danas
    assert r"Six people\n+15550100\nBooked with Lakeside Boat Rentals" in in_danas.replace("\n ", "")
    (in_teams,) = server.kept("team")
    assert "SUMMARY:Powerboat\n" in in_teams.replace("\r\n", "\n")


async def test_what_was_done_without_a_record_is_done_again_and_stands_there_once(
    context: Context, server: CalendarServer, errands: Errands
) -> None:
    booked = await context.store.appointments(Partition.LIVE, agent="lakeside").book(boat())
    await errands.give(booked, "dana")
    await errands.do()
    once = server.kept("dana")
    await errands.give(booked, "dana")
    assert await errands.do() == []
    assert server.kept("dana") == once


async def test_a_move_to_another_representative_takes_it_from_one_calendar_to_the_other(
    context: Context, server: CalendarServer, errands: Errands
) -> None:
    mine = context.store.appointments(Partition.LIVE, agent="lakeside")
    booked = await mine.book(boat())
    await errands.give(booked, "dana")
    await errands.do()
    moved = await mine.move(booked.appointment_id, start=NOON + HOUR, end=NOON + 2 * HOUR, representative="bob")
    await errands.give(moved, "dana", "")
    assert await errands.do() == []
    assert (summaries(server, "dana"), summaries(server, "team")) == ([], ["20260605T130000Z Powerboat"])


async def test_errands_that_come_late_undo_nothing(context: Context, server: CalendarServer, errands: Errands) -> None:
    """What is written is the appointment as it stands, not as it stood when the errand was given."""
    mine = context.store.appointments(Partition.LIVE, agent="lakeside")
    booked = await mine.book(boat())
    await errands.give(booked, "dana")
    await errands.give(await mine.cancel(booked.appointment_id), "dana")
    assert await errands.do() == []
    assert server.kept("dana") == []


async def test_a_calendar_that_is_down_gets_the_appointment_when_it_is_back(
    context: Context, server: CalendarServer, errands: Errands
) -> None:
    booked = await context.store.appointments(Partition.LIVE, agent="lakeside").book(boat())
    await errands.give(booked, "dana")
    await server.stop()
    assert await errands.do() == ["the calendar can't be reached: connection refused"]
    await server.start()
    assert await errands.do(seconds=600) == []
    assert summaries(server, "dana") == ["20260605T120000Z Powerboat"]


async def test_one_calendar_that_is_down_keeps_no_other_from_being_written(
    context: Context, server: CalendarServer
) -> None:
    mine = context.store.appointments(Partition.LIVE, agent="lakeside")
    booked = await mine.book(boat())
    moved = await mine.move(booked.appointment_id, start=NOON, end=NOON + HOUR, representative="bob")
    errands = Errands(context, an_agent(server, danas="http://127.0.0.1:9/nobody/"))
    await errands.give(moved, "dana", "")
    assert await errands.do() == ["the calendar can't be reached: connection refused"]
    assert summaries(server, "team") == ["20260605T120000Z Powerboat"]

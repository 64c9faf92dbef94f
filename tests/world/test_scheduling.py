"""Making, moving and cancelling appointments, as an agent's world sees it (features.md A5, A8; issue 4)."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from tests.world.makers import case, desk, sandbox

from greenroom.clock import FrozenClock
from greenroom.conversation.appointments import Appointment, AppointmentStatus, Busy
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Agent
from greenroom.errors import CalendarUnreachable, CaseFault
from greenroom.world.ports import FreeTimes, NotScheduled, Scheduled, TakenTimes
from greenroom.world.sandbox.scheduling import MemoryAppointments
from greenroom.world.sandbox.world import Outside, SandboxWorld, sandbox_world
from greenroom.world.scheduling import AgentScheduling
from greenroom.world.webhooks import Webhooks

ZONES = (ZoneInfo("America/Chicago"), ZoneInfo("America/New_York"))
"""Read from their files here: documents read them when they are loaded, which happens in a thread."""
pytestmark = pytest.mark.requirement("A5", "A8")

FRIDAY = datetime(2026, 6, 5, 17, 30, tzinfo=UTC)
"""12:30 in Chicago."""
NINE_TO_ONE: Json = {"sat": [{"opens": 540, "closes": 780}], "sun": [{"opens": 540, "closes": 780}]}
ANA = "booking/saturday/1/person-1"


def lake(representatives: Mapping[str, Json] | None = None, **scheduling: Json) -> Agent:
    """In Chicago, open on Saturday and Sunday from 9 to 13."""
    return desk(
        time_zone="America/Chicago",
        scheduling={"hours": NINE_TO_ONE, **scheduling},
        representatives=representatives or {},
    )


TWO = {
    "dana": {"name": "Dana Whitfield"},
    "lee": {"name": "Lee", "time_zone": "America/New_York", "hours": {"sat": [{"opens": 660, "closes": 780}]}},
}
"""Lee's 11 to 13 in New York are 10 to 12 in Chicago."""


def world_of(agent: Agent, now: datetime = FRIDAY, **written: object) -> SandboxWorld:
    return sandbox(case(person={"first_name": "Ana"}, **written), agent=agent, clock=FrozenClock(now))


def at(written: str) -> datetime:
    return datetime.fromisoformat(written if written[-6] in "+-" else f"{written}-05:00")


async def times(world: SandboxWorld | AgentScheduling, **wanted: object) -> list[str]:
    scheduling = world.scheduling if isinstance(world, SandboxWorld) else world
    found = await scheduling.free_times(**wanted)  # pyright: ignore[reportArgumentType]: a test names what it wants
    assert isinstance(found, FreeTimes), found
    return [f"{time.start.isoformat(timespec='minutes')} {time.representative}".strip() for time in found.times]


async def book(world: SandboxWorld, start: str, representative: str = "", title: str = "Powerboat") -> Scheduled:
    made = await world.scheduling.book(person_id=ANA, title=title, start=at(start), representative=representative)
    assert isinstance(made, Scheduled), made
    return made


def why(answer: object) -> str:
    assert isinstance(answer, NotScheduled), answer
    return answer.why


async def test_as_many_times_are_found_as_the_agent_offers_by_its_own_clock() -> None:
    world = world_of(lake(offer=3))
    assert await times(world) == ["2026-06-06T09:00-05:00", "2026-06-06T10:00-05:00", "2026-06-06T11:00-05:00"]
    assert len(await times(world, most=6)) == 6
    day = {"since": at("2026-06-07T00:00"), "until": at("2026-06-07T11:00")}
    assert await times(world, **day) == ["2026-06-07T09:00-05:00", "2026-06-07T10:00-05:00"]


async def test_a_closed_day_has_no_times() -> None:
    assert (await times(world_of(lake(closed=["2026-06-06"])), most=1)) == ["2026-06-07T09:00-05:00"]


async def test_when_nothing_is_free_the_first_time_after_it_is_told() -> None:
    found = await world_of(lake()).scheduling.free_times(since=at("2026-06-08T00:00"), until=at("2026-06-09T00:00"))
    assert isinstance(found, FreeTimes)
    assert found.times == ()
    assert found.later is not None
    assert found.later.start == at("2026-06-13T09:00")


async def test_notice_and_days_ahead_bound_what_is_offered_and_booked() -> None:
    world = world_of(lake(notice=21.5 * 3600, ahead=86_400.0))
    assert await times(world) == ["2026-06-06T10:00-05:00", "2026-06-06T11:00-05:00", "2026-06-06T12:00-05:00"]
    early, late, over = [
        await world.scheduling.book(person_id=ANA, title="Boat", start=at(start))
        for start in ("2026-06-06T09:00", "2026-06-07T09:00", "2026-06-05T12:00")
    ]
    assert why(early) == ("Sat 6 June 2026, 09:00 is too soon; the earliest is Sat 6 June 2026, 10:00")
    assert why(late) == "Sun 7 June 2026, 09:00 is too far ahead; it must be before Sat 6 June 2026, 12:30"
    assert why(over) == "Fri 5 June 2026, 12:00 is over; the earliest is Sat 6 June 2026, 10:00"


async def test_representatives_have_hours_and_zones_of_their_own_and_the_first_that_is_free_is_taken() -> None:
    world = world_of(lake(TWO))
    assert await times(world, representative="lee", most=2) == [
        "2026-06-06T10:00-05:00 lee",
        "2026-06-06T11:00-05:00 lee",
    ]
    assert (await book(world, "2026-06-06T10:00")).appointment.representative == "dana"
    assert (await times(world))[:3] == [
        "2026-06-06T09:00-05:00 dana",
        "2026-06-06T10:00-05:00 lee",
        "2026-06-06T11:00-05:00 dana",
    ]
    assert (await book(world, "2026-06-06T11:00", "lee")).appointment.representative == "lee"
    refused = await world.scheduling.book(person_id=ANA, title="B", start=at("2026-06-06T09:00"), representative="lea")
    assert why(refused) == "there is no representative 'lea'; did you mean 'lee'?"


async def test_a_booking_is_shown_captured_and_blocks_its_time_in_its_own_case_only() -> None:
    world, other = world_of(lake(TWO)), world_of(lake(TWO))
    made = await book(world, "2026-06-06T10:00", "dana")
    assert (made.effect.effect, made.effect.captured) == (EffectKind.BOOKED, True)
    assert made.effect.summary == "Powerboat, Sat 6 June 2026, 10:00–11:00, with Dana Whitfield"
    assert made.effect.data == {
        "id": "appointment-1",
        "title": "Powerboat",
        "start": "2026-06-06T10:00:00-05:00",
        "end": "2026-06-06T11:00:00-05:00",
        "representative": "dana",
        "status": "booked",
        "notes": "",
        "person": ANA,
    }
    assert await world.scheduling.of_person(ANA) == (made.appointment,)
    assert "2026-06-06T10:00-05:00 dana" not in await times(world, representative="dana")
    assert "2026-06-06T10:00-05:00 dana" in await times(other, representative="dana")


async def test_what_is_taken_or_is_no_time_is_refused_with_the_free_times_nearby() -> None:
    world = world_of(lake())
    await book(world, "2026-06-06T10:00")
    other = "booking/saturday/1/person-2"
    taken = await world.scheduling.book(person_id=other, title="Boat", start=at("2026-06-06T10:00"))
    between = await world.scheduling.book(person_id=other, title="Boat", start=at("2026-06-06T11:30"))
    night = await world.scheduling.book(person_id=other, title="Boat", start=at("2026-06-09T03:00"))
    again = await world.scheduling.book(person_id=ANA, title="Boat", start=at("2026-06-06T10:00"))
    assert why(taken) == (
        "Sat 6 June 2026, 10:00 is taken; free are 2026-06-06T09:00-05:00, 2026-06-06T11:00-05:00, "
        "2026-06-06T12:00-05:00"
    )
    assert why(between).startswith("no appointment begins at Sat 6 June 2026, 11:30; free are 2026-06-06T09:00-05:00, ")
    assert why(night).endswith("; free are 2026-06-13T09:00-05:00")
    assert why(again) == "this person has Powerboat, Sat 6 June 2026, 10:00–11:00 already; nothing was booked"


async def test_a_moved_appointment_frees_its_old_time() -> None:
    world = world_of(lake(TWO, clock="12h"))
    made = await book(world, "2026-06-06T10:00", "dana")
    moved = await world.scheduling.move(made.appointment.appointment_id, person_id=ANA, start=at("2026-06-07T09:00"))
    assert isinstance(moved, Scheduled)
    assert moved.appointment.representative == "dana"
    assert moved.effect.effect is EffectKind.MOVED
    assert moved.effect.summary == (
        "Powerboat, Sun 7 June 2026, 9:00 am–10:00 am, with Dana Whitfield, instead of Sat 6 June 2026, 10:00 am"
    )
    assert moved.effect.data["before"] == {
        "start": "2026-06-06T10:00:00-05:00",
        "end": "2026-06-06T11:00:00-05:00",
        "representative": "dana",
    }
    assert "2026-06-06T10:00-05:00 dana" in await times(world, representative="dana")
    there = await world.scheduling.move(made.appointment.appointment_id, person_id=ANA, start=at("2026-06-07T09:00"))
    assert why(there).endswith("is at that time already; nothing was moved")


async def test_an_appointment_does_not_stand_in_its_own_way() -> None:
    """A case may begin with one at no regular time, which overlaps its new one."""
    written = {"title": "Boat", "start": "2026-06-06T10:30", "minutes": 60}
    world = world_of(lake(), appointments=[written])
    moved = await world.scheduling.move("appointment-1", person_id=ANA, start=at("2026-06-06T10:00"))
    assert isinstance(moved, Scheduled)


async def test_only_what_is_the_persons_own_holds_and_is_to_come_can_be_changed() -> None:
    world = world_of(
        lake(),
        appointments=[
            {"title": "Old", "start": "2026-06-05T11:00"},
            {"title": "Called off", "start": "2026-06-06T09:00", "status": "cancelled"},
            {"title": "Boat", "start": "2026-06-06T09:00"},
        ],
    )
    scheduling = world.scheduling
    assert why(await scheduling.cancel("appointment-9", person_id=ANA)) == (
        "there is no appointment 'appointment-9'; there are appointment-3 (Boat, Sat 6 June 2026, 09:00–10:00)"
    )
    assert why(await scheduling.cancel("appointment-3", person_id="somebody")) == (
        "there is no appointment 'appointment-3'; this person has none to come"
    )
    assert why(await scheduling.cancel("appointment-1", person_id=ANA)) == "Old, Fri 5 June 2026, 11:00–12:00 is over"
    assert why(await scheduling.cancel("appointment-2", person_id=ANA)).endswith("is cancelled already")
    cancelled = await scheduling.cancel("appointment-3", person_id=ANA)
    assert isinstance(cancelled, Scheduled)
    assert (cancelled.effect.effect, cancelled.appointment.status) == (
        EffectKind.CANCELLED,
        AppointmentStatus.CANCELLED,
    )
    assert cancelled.effect.summary == "Boat, Sat 6 June 2026, 09:00–10:00"
    assert (await times(world))[0] == "2026-06-06T09:00-05:00"


async def test_of_two_who_want_one_time_at_once_one_has_it() -> None:
    world = world_of(lake())
    both = await asyncio.gather(
        *(
            world.scheduling.book(person_id=f"person-{number}", title="Boat", start=at("2026-06-06T10:00"))
            for number in range(2)
        )
    )
    assert sorted(type(each).__name__ for each in both) == ["NotScheduled", "Scheduled"]


async def test_an_agent_that_makes_no_appointments_says_so() -> None:
    found = await world_of(desk()).scheduling.free_times()
    assert why(found) == "no appointments are made here"


class Taken:
    """Times that are taken elsewhere."""

    def __init__(self, *spans: tuple[str, str, str]) -> None:
        self._busy = [Busy(start=at(a), end=at(b), representative=name) for a, b, name in spans]

    async def busy(self, since: datetime, until: datetime) -> Sequence[Busy]:
        return self._busy


class Calendars:
    """The business's own calendars: Dana's, and one that can't be reached."""

    async def busy(self, representative: str, since: datetime, until: datetime) -> Sequence[Busy]:
        if representative == "lee":
            raise CalendarUnreachable("it refused the connection")
        whole = Busy(start=at("2026-06-06T09:00"), end=at("2026-06-06T10:00"))
        return [whole] if representative == "dana" else []


def outside(agent: Agent, taken: TakenTimes | None = None, *, graded: bool = True, **written: object) -> SandboxWorld:
    return sandbox_world(
        agent=agent,
        case=case(**written),
        clock=FrozenClock(FRIDAY),
        conversation="talk",
        identity="web:ana",
        outside=Outside(environment={}, webhooks=Webhooks(), taken=taken, calendars=Calendars()),
        graded=graded,
    )


async def test_a_sandbox_reads_what_is_really_taken() -> None:
    live = MemoryAppointments([
        Appointment(
            appointment_id="live-1",
            title="Somebody's",
            start=at("2026-06-06T11:00"),
            end=at("2026-06-06T12:00"),
            representative="dana",
        )
    ])
    world = outside(lake(TWO), live)
    assert await times(world, representative="dana", most=2) == [
        "2026-06-06T10:00-05:00 dana",
        "2026-06-06T12:00-05:00 dana",
    ]


async def test_what_is_taken_for_nobody_in_particular_is_taken_for_everybody() -> None:
    world = outside(lake({"dana": {"name": "Dana"}}), Taken(("2026-06-06T00:00", "2026-06-07T12:00", "")))
    assert await times(world, most=1) == ["2026-06-07T12:00-05:00 dana"]


async def test_a_test_breaks_off_when_a_calendar_cannot_be_reached() -> None:
    """It is not the agent that failed."""
    world = outside(lake(TWO))
    for broken in (
        world.scheduling.free_times(),
        world.scheduling.book(person_id=ANA, title="Boat", start=at("2026-06-06T10:00")),
    ):
        with pytest.raises(CaseFault, match="the calendar can't be reached: it refused the connection") as fault:
            await broken
        assert fault.value.cause == "platform"


async def test_who_tries_an_agent_by_hand_sees_what_it_does_without_its_calendar() -> None:
    """No verdict hangs on it: the agent is told, as live."""
    told = NotScheduled(why="the calendar can't be reached: it refused the connection; nothing was done")
    assert await outside(lake(TWO), graded=False).scheduling.free_times() == told


async def test_a_case_says_what_is_taken_in_place_of_what_really_is() -> None:
    """`world.calendar`; times without an offset are the agent's."""
    busy = [
        {"start": "2026-06-06T09:00", "end": "2026-06-06T11:00"},
        {"start": "2026-06-06T17:00+00:00", "end": "2026-06-06T17:30+00:00", "representative": "lee"},
    ]
    world = outside(lake(TWO), Taken(("2026-06-01T00:00", "2026-07-01T00:00", "")), world={"calendar": {"busy": busy}})
    assert await times(world, most=2) == ["2026-06-06T11:00-05:00 dana", "2026-06-06T12:00-05:00 dana"]


async def test_an_hour_shown_twice_can_be_booked_twice() -> None:
    hours: Json = {"sun": [{"opens": 60, "closes": 120}]}
    agent = desk(time_zone="America/Chicago", scheduling={"hours": hours})
    world = world_of(agent, datetime(2026, 10, 31, 12, tzinfo=UTC))
    assert await times(world) == [
        "2026-11-01T01:00-05:00",
        "2026-11-01T01:00-06:00",
        *(f"2026-11-{day}T01:00-06:00" for day in ("08", "15", "22")),
    ]
    first = await book(world, "2026-11-01T01:00-05:00")
    second = await book(world, "2026-11-01T01:00-06:00")
    assert second.appointment.start - first.appointment.start == first.appointment.end - first.appointment.start
    assert [each.appointment_id for each in await world.scheduling.of_person(ANA)] == ["appointment-1", "appointment-2"]
    assert [each.effect.summary for each in (first, second)] == [
        "Powerboat, Sun 1 November 2026, 01:00 (CDT)–01:00 (CST)",
        "Powerboat, Sun 1 November 2026, 01:00 (CST)–02:00",
    ]

"""The business's own calendars: what takes time in them, and appointments in them; a real Radicale (features.md A8)."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from zoneinfo import ZoneInfo

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from tests.servers.radicale import PASSWORD, USER, CalendarServer, calendar_server, event
from tests.servers.webhooks import endpoint

from greenroom.clock import FrozenClock, SystemClock
from greenroom.documents.agent import Agent
from greenroom.documents.scheduling import OpenHours, Weekday
from greenroom.errors import CalendarUnreachable
from greenroom.world.calendars import AgentCalendars, CalendarAccess, Calendars, CalendarWindow, MirroredEvent, home_of
from greenroom.world.ical import event_text, times_taken
from greenroom.world.ports import FreeTimes, Scheduled
from greenroom.world.sandbox.scheduling import MemoryAppointments
from greenroom.world.scheduling import AgentScheduling

pytestmark = pytest.mark.requirement("A8")

CHICAGO = ZoneInfo("America/Chicago")
SINCE, UNTIL = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 6, 15, tzinfo=UTC)
WINDOW = CalendarWindow(since=SINCE, until=UNTIL, zone="America/Chicago", owner="dana@lakeside.example")
BOAT = MirroredEvent(
    appointment_id="appointment-1",
    start=datetime(2026, 6, 6, 14, 0, tzinfo=CHICAGO),
    end=datetime(2026, 6, 6, 15, 0, tzinfo=CHICAGO),
    title="Powerboat: Ana Ruiz, her husband; and son",
    description="Six people\nana@example.com",
    written_at=datetime(2026, 6, 1, tzinfo=UTC),
)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[CalendarServer]:
    async with calendar_server(tmp_path / "radicale") as running:
        yield running


@pytest.fixture
async def calendars() -> AsyncGenerator[Calendars]:
    opened = Calendars()
    yield opened
    await opened.close()


async def access_to(server: CalendarServer, calendar: str = "team") -> CalendarAccess:
    return CalendarAccess(url=await server.make(calendar), user=USER, password=PASSWORD)


def shown(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%d %H:%M")


def spans(text: str, window: CalendarWindow = WINDOW) -> list[tuple[str, str]]:
    return [(shown(each.start), shown(each.end)) for each in times_taken([("a.ics", text)], window)]


VTIMEZONE = """BEGIN:VTIMEZONE
TZID:Lake time
BEGIN:STANDARD
DTSTART:19701101T020000
RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
TZOFFSETFROM:-0500
TZOFFSETTO:-0600
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700308T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU
TZOFFSETFROM:-0600
TZOFFSETTO:-0500
END:DAYLIGHT
END:VTIMEZONE"""


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        (event("UID:1", "DTSTART:20260602T150000Z", "DTEND:20260602T160000Z"), [("02 15:00", "02 16:00")]),
        (event("UID:1", "DTSTART:20260602T150000Z", "DURATION:PT90M"), [("02 15:00", "02 16:30")]),
        # A time of no zone, and a day, are the owner's.
        (event("UID:1", "DTSTART:20260602T150000", "DTEND:20260602T160000"), [("02 20:00", "02 21:00")]),
        (event("UID:1", "DTSTART;VALUE=DATE:20260602"), [("02 05:00", "03 05:00")]),
        (event("UID:1", "DTSTART;VALUE=DATE:20260602", "DTEND;VALUE=DATE:20260604"), [("02 05:00", "04 05:00")]),
        (event("UID:1", "DTSTART;TZID=Europe/Berlin:20260602T150000", "DURATION:PT1H"), [("02 13:00", "02 14:00")]),
        (
            event("UID:1", "DTSTART;TZID=Lake time:20260602T150000", "DURATION:PT1H", zones=VTIMEZONE),
            [("02 20:00", "02 21:00")],
        ),
        # Offered as free, called off, declined by the owner, or without length.
        (event("UID:1", "DTSTART:20260602T150000Z", "DURATION:PT1H", "TRANSP:TRANSPARENT"), []),
        (event("UID:1", "DTSTART:20260602T150000Z", "DURATION:PT1H", "STATUS:CANCELLED"), []),
        (
            event(
                "UID:1",
                "DTSTART:20260602T150000Z",
                "DURATION:PT1H",
                "ATTENDEE;PARTSTAT=ACCEPTED:mailto:bob@lakeside.example",
                "ATTENDEE;PARTSTAT=DECLINED:mailto:Dana@Lakeside.example",
            ),
            [],
        ),
        (event("UID:1", "DTSTART:20260602T150000Z"), []),
        (
            event("UID:1", "DTSTART:20260602T150000Z", "DURATION:PT1H", "STATUS:TENTATIVE"),
            [("02 15:00", "02 16:00")],
        ),
        # Outside of what was asked, and half inside.
        (event("UID:1", "DTSTART:20260615T000000Z", "DURATION:PT1H"), []),
        (event("UID:1", "DTSTART:20260531T233000Z", "DURATION:PT1H"), [("31 23:30", "01 00:30")]),
    ],
)
def test_an_event_takes_its_time(text: str, taken: list[tuple[str, str]]) -> None:
    assert spans(text) == taken


def test_a_series_takes_the_time_of_each_of_its_occurrences() -> None:
    """One is left out, one is moved, one is called off; the series began years ago."""
    moved = event(
        "UID:weekly",
        "DTSTART;TZID=America/Chicago:20200601T090000",
        "DURATION:PT1H",
        "RRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH",
        "EXDATE;TZID=America/Chicago:20260602T090000",
        "END:VEVENT",
        "BEGIN:VEVENT",
        "UID:weekly",
        "DTSTAMP:20260101T000000Z",
        "RECURRENCE-ID;TZID=America/Chicago:20260603T090000",
        "DTSTART;TZID=America/Chicago:20260605T100000",
        "DURATION:PT2H",
        "END:VEVENT",
        "BEGIN:VEVENT",
        "UID:weekly",
        "DTSTAMP:20260101T000000Z",
        "RECURRENCE-ID;TZID=America/Chicago:20260604T090000",
        "DTSTART;TZID=America/Chicago:20260604T090000",
        "DURATION:PT1H",
        "STATUS:CANCELLED",
    )
    week = replace(WINDOW, until=datetime(2026, 6, 7, tzinfo=UTC))
    assert spans(moved, week) == [("01 14:00", "01 15:00"), ("05 15:00", "05 17:00")]


def test_a_series_at_a_wall_clock_time_moves_against_utc_when_the_clocks_change() -> None:
    daily = event(
        "UID:daily", "DTSTART;TZID=America/Chicago:20260301T090000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=30"
    )
    march = replace(WINDOW, since=datetime(2026, 3, 7, tzinfo=UTC), until=datetime(2026, 3, 9, tzinfo=UTC))
    assert [start for start, _ in spans(daily, march)] == ["07 15:00", "08 14:00"]


def test_the_day_on_which_the_clocks_change_has_its_own_length() -> None:
    """All day on 8 March 2026 takes 23 hours in Chicago, on 1 November 25."""
    year = replace(WINDOW, since=datetime(2026, 1, 1, tzinfo=UTC), until=datetime(2027, 1, 1, tzinfo=UTC))
    for day, hours in (("20260308", 23), ("20261101", 25), ("20260602", 24)):
        (taken,) = times_taken([("a.ics", event("UID:1", f"DTSTART;VALUE=DATE:{day}"))], year)
        assert taken.end - taken.start == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["no calendar", event("UID:1", "DTSTART:yesterday"), event("UID:1", "RRULE:FREQ=X")])
def test_an_event_that_can_not_be_read_is_told_and_not_taken_for_free_time(text: str) -> None:
    with pytest.raises(CalendarUnreachable, match=r"it holds an event that can't be read \(odd\.ics\)"):
        times_taken([("odd.ics", text)], WINDOW)


@given(
    start=st.datetimes(datetime(2026, 6, 2), datetime(2026, 6, 10)),  # noqa: DTZ001  - its zone is drawn
    minutes=st.integers(1, 600),
    zone=st.sampled_from(["UTC", "America/Chicago", "Asia/Kathmandu"]),
    title=st.text(max_size=30),
)
def test_what_is_written_of_an_appointment_is_known_again(start: datetime, minutes: int, zone: str, title: str) -> None:
    begins = start.replace(microsecond=0, tzinfo=ZoneInfo(zone)).astimezone(UTC)
    mine = replace(BOAT, start=begins, end=begins + timedelta(minutes=minutes), title=title, description=title)
    (taken,) = times_taken([("a.ics", event_text(mine))], WINDOW)
    assert (taken.start, taken.end, taken.mirrors) == (mine.start, mine.end, "appointment-1")


async def test_a_real_calendar_is_read_and_written(server: CalendarServer, calendars: Calendars) -> None:
    access = await access_to(server)
    await server.put("team", "lunch", event("UID:lunch", "DTSTART:20260602T170000Z", "DURATION:PT1H"))
    await server.put("team", "later", event("UID:later", "DTSTART:20270602T170000Z", "DURATION:PT1H"))
    standup = event("UID:daily", "DTSTART:20250101T140000Z", "DURATION:PT15M", "RRULE:FREQ=WEEKLY;BYDAY=FR")
    await server.put("team", "standup", standup)
    await calendars.put(access, BOAT)

    events = await calendars.events(access, WINDOW)
    assert [(shown(each.start), each.mirrors) for each in events] == [
        ("02 17:00", None),
        ("05 14:00", None),
        ("06 19:00", "appointment-1"),
        ("12 14:00", None),
    ]


async def test_a_repeat_changes_nothing_in_the_calendar(server: CalendarServer, calendars: Calendars) -> None:
    access = await access_to(server)
    await calendars.put(access, BOAT)
    once = server.kept("team")
    await calendars.put(access, BOAT)
    assert server.kept("team") == once
    moved = replace(BOAT, start=BOAT.start + timedelta(hours=2), end=BOAT.end + timedelta(hours=2))
    await calendars.put(access, moved)
    (event_of_ours,) = await calendars.events(access, WINDOW)
    assert event_of_ours.start == moved.start
    await calendars.remove(access, "appointment-1")
    await calendars.remove(access, "appointment-1")
    assert server.kept("team") == []


def an_agent(server: CalendarServer, *, own: str | None = "team", **representatives: str | None) -> Agent:
    def calendar(name: str | None) -> object:
        return "embedded" if name is None else {"caldav": server.url(name), "user": USER, "password": "${CALENDAR}"}

    people = {key: {"name": key, "calendar": calendar(name)} for key, name in representatives.items()}
    written = {"calendar": calendar(own)}
    return Agent.model_validate({
        "id": "lakeside",
        "model": {"name": "script:x"},
        "time_zone": "America/Chicago",
        "scheduling": written,
        "representatives": people,
    })


def of_agent(
    agent: Agent,
    calendars: Calendars,
    *,
    known: Sequence[str] = ("appointment-1",),
    frozen: bool = False,
    environment: Mapping[str, str] = MappingProxyType({"CALENDAR": PASSWORD}),
) -> AgentCalendars:
    async def ours(ids: Collection[str]) -> Collection[str]:
        return [each for each in ids if each in known]

    clock = FrozenClock(SINCE) if frozen else SystemClock()
    return AgentCalendars(agent, calendars, environment=environment, clock=clock, known=ours)


async def test_each_representative_has_their_own_calendar(server: CalendarServer, calendars: Calendars) -> None:
    await server.make("team")
    await server.make("dana")
    await server.put("dana", "lunch", event("UID:lunch", "DTSTART:20260602T170000Z", "DURATION:PT1H"))
    busy = of_agent(an_agent(server, dana="dana", bob=None), calendars).busy
    (lunch,) = await busy("dana", SINCE, UNTIL)
    assert (shown(lunch.start), shown(lunch.end), lunch.representative) == ("02 17:00", "02 18:00", "dana")
    assert await busy("", SINCE, UNTIL) == ()
    assert await busy("bob", SINCE, UNTIL) == ()


async def test_our_own_appointment_takes_its_time_once_and_is_not_in_the_way_of_its_move(
    server: CalendarServer, calendars: Calendars
) -> None:
    """Greenroom says when it is; one that somebody has dragged elsewhere, or that is another Greenroom's, counts."""
    access, agent = await access_to(server), an_agent(server)
    await calendars.put(access, BOAT)
    assert await of_agent(agent, calendars).busy("", SINCE, UNTIL) == ()
    assert len(await of_agent(agent, calendars, known=()).busy("", SINCE, UNTIL)) == 1
    (text,) = server.kept("team")
    dragged = text.replace("DTSTART:20260606T19", "DTSTART:20260606T17").replace(
        "DTEND:20260606T20", "DTEND:20260606T18"
    )
    await server.put("team", "appointment-1@greenroom", dragged)
    (busy,) = await of_agent(agent, calendars).busy("", SINCE, UNTIL)
    assert shown(busy.start) == "06 17:00"


async def test_one_turn_asks_a_calendar_once(server: CalendarServer, calendars: Calendars) -> None:
    """What was read a moment ago answers a narrower question too, and many at once."""
    await access_to(server)
    here = of_agent(an_agent(server), calendars, frozen=True)
    await asyncio.gather(*(here.busy("", SINCE, UNTIL) for _ in range(3)))
    await server.stop()
    assert await here.busy("", SINCE + timedelta(days=1), UNTIL - timedelta(days=1)) == ()
    with pytest.raises(CalendarUnreachable, match="the calendar can't be reached: connection refused"):
        await here.busy("", SINCE, UNTIL + timedelta(days=1))


async def test_what_is_asked_one_after_the_other_is_read_once_though_the_clock_goes_on(
    server: CalendarServer, calendars: Calendars
) -> None:
    """Times are found and one of them is booked; each question reaches as far ahead as appointments may be then."""
    await access_to(server)
    agent = an_agent(server)
    assert agent.scheduling is not None
    hours = {day: (OpenHours(opens=0, closes=1440),) for day in Weekday}
    agent = agent.model_copy(update={"scheduling": agent.scheduling.model_copy(update={"hours": hours})})
    read = of_agent(agent, calendars)
    here = AgentScheduling(agent, clock=SystemClock(), store=MemoryAppointments(), calendars=read)
    found = await here.free_times(since=SystemClock().now() + timedelta(days=2))
    assert isinstance(found, FreeTimes)
    await server.stop()
    booked = await here.book(person_id="ana", title="Boat", start=found.times[0].start)
    assert isinstance(booked, Scheduled), booked


async def test_a_dead_calendar_is_asked_once_for_all_who_want_to_know(calendars: Calendars) -> None:
    """The cases of a run don't wait for it one after the other."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=503)

    async with endpoint(answer) as there:
        agent = Agent.model_validate({
            "id": "lakeside",
            "model": {"name": "script:x"},
            "scheduling": {"calendar": {"caldav": there.url}},
        })
        here = of_agent(agent, calendars, frozen=True)
        asked = (here.busy("", SINCE, UNTIL) for _ in range(5))
        said = await asyncio.gather(*asked, return_exceptions=True)
        assert {str(each) for each in said} == {"the calendar can't be reached: it answered HTTP 503"}
        assert len(there.received) == 1


async def test_a_calendar_that_can_not_be_read_says_why_without_a_secret(
    server: CalendarServer, calendars: Calendars
) -> None:
    access = await access_to(server)
    for wrong, why in (
        (replace(access, password="wrong"), "it answered HTTP 401: it refused the user or the password"),
        (replace(access, url=server.url("nowhere")), "it answered HTTP 404: there is no calendar at its address"),
        (replace(access, url="lakeside"), "its `caldav` is no http or https address"),
    ):
        with pytest.raises(CalendarUnreachable) as said:
            await calendars.events(wrong, WINDOW)
        assert str(said.value) == f"the calendar can't be reached: {why}"
        assert PASSWORD not in repr(wrong)
    unset = of_agent(an_agent(server), calendars, environment={})
    with pytest.raises(CalendarUnreachable, match=r"`scheduling\.calendar` needs the environment variable CALENDAR"):
        await unset.busy("", SINCE, UNTIL)


async def test_a_password_never_goes_unencrypted_to_another_machine(calendars: Calendars) -> None:
    """What stands in a variable is seen by nobody before it is filled in."""
    calendar = {"caldav": "${URL}", "user": USER, "password": "${CALENDAR}"}
    agent = Agent.model_validate({
        "id": "lakeside",
        "model": {"name": "script:x"},
        "scheduling": {"calendar": calendar},
    })
    told = of_agent(agent, calendars, environment={"URL": "http://192.0.2.1/a/", "CALENDAR": "secret"})
    with pytest.raises(CalendarUnreachable, match=r"`scheduling\.calendar` would be sent unencrypted; .* https"):
        await told.busy("", SINCE, UNTIL)


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (200, "hello", "it answered HTTP 200"),
        (207, "hello", "its answer is no XML that can be read"),
        (301, "", "its address leads to another one, which is to be written in its place"),
        (503, "", "it answered HTTP 503"),
    ],
)
async def test_what_is_no_calendar_is_told(calendars: Calendars, status: int, body: str, why: str) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text=body)

    async with endpoint(answer) as there:
        with pytest.raises(CalendarUnreachable, match=why):
            await calendars.events(CalendarAccess(url=there.url), WINDOW)


async def test_a_server_that_wants_a_digest_gets_one(calendars: Calendars) -> None:
    """As Baïkal does by default; the password itself is not repeated."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.headers.get("Authorization", "").partition(" ")[0])
        if asked[-1] != "Digest":
            wanted = {"WWW-Authenticate": 'Digest realm="lake", qop="auth", nonce="n", opaque="o", algorithm=MD5'}
            return web.Response(status=401, headers=wanted)
        return web.Response(status=201)

    async with endpoint(answer) as there:
        await calendars.put(CalendarAccess(url=there.url, user=USER, password=PASSWORD), BOAT)
    assert asked[-1] == "Digest"


def test_an_appointment_stands_in_the_representatives_calendar_or_in_the_agents(server: CalendarServer) -> None:
    agent = an_agent(server, dana="dana", bob=None)
    assert [home_of(agent, key) for key in ("dana", "bob", "")] == ["dana", "", ""]
    assert home_of(an_agent(server, own=None, bob=None), "bob") is None

"""Appointments made in live conversations: through the gateway, into a real calendar, told to the team (A5, A8)."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import orjson
import pytest
from tests.projects import ProjectMaker
from tests.servers.gateway import Channel, desk_project, eventually, only_conversation, serving
from tests.servers.radicale import PASSWORD, USER, CalendarServer, calendar_server, event
from tests.servers.webhooks import endpoint

from greenroom.clock import SystemClock
from greenroom.conversation.appointments import AppointmentStatus
from greenroom.conversation.calls import ToolCall
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.transcript import render_transcript
from greenroom.conversation.turns import Turn
from greenroom.errors import NotFound, UsageError
from greenroom.operations.appointments import AppointmentsRequest, list_appointments
from greenroom.operations.cancelling import cancel_appointment
from greenroom.operations.chat import ChatRequest, open_chat
from greenroom.operations.context import Context
from greenroom.operations.publishing import PublishRequest, publish

pytestmark = [
    pytest.mark.requirement("A5", "A8"),
    # Apprise asks for a module that a later Python has no more; it does without.
]

DAY = (SystemClock().now() + timedelta(days=2)).replace(hour=0, minute=0, second=0, microsecond=0)
HOURS = range(9, 17)


def at(hour: int) -> datetime:
    return DAY.replace(hour=hour)


def says(word: str, tool: str, **arguments: Json) -> object:
    return {"when": {"last": {"regex": f"^{word}$"}}, "calls": [{"tool": tool, "arguments": arguments}]}


ACTIONS = ("find_times", "book_appointment", "move_appointment", "cancel_appointment")
RULES: Sequence[object] = [
    *({"when": {"answered": {"tool": tool, "text": "taken"}}, "reply": "Sorry."} for tool in ACTIONS),
    *({"when": {"answered": {"tool": tool, "text": "can't be reached"}}, "reply": "Sorry."} for tool in ACTIONS),
    *({"when": {"answered": tool}, "reply": "Done."} for tool in ACTIONS),
    says("when", "find_times", **{"from": DAY.date().isoformat(), "to": DAY.date().isoformat()}),
    says("cancel", "cancel_appointment"),
    *(says(f"book {hour}", "book_appointment", start=at(hour).isoformat(), title="Powerboat") for hour in HOURS),
    *(says(f"move {hour}", "move_appointment", start=at(hour).isoformat()) for hour in HOURS),
    {"reply": "You said: {{last}}"},
]


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[CalendarServer]:
    async with calendar_server(tmp_path / "radicale") as running:
        await running.make("team")
        yield running


def a_desk(
    root: Path, server: CalendarServer, *, database: str | None = None, agent: Mapping[str, object] | None = None
) -> ProjectMaker:
    maker = desk_project(
        root / "project",
        rules=RULES,
        database=database,
        agent={
            "people": {"auto_create": True},
            "scheduling": {
                "hours": {"daily": "09:00-17:00"},
                "offer": 20,
                "calendar": {"caldav": server.url("team"), "user": USER, "password": "${CALENDAR_PASSWORD}"},
            },
            **(agent or {}),
        },
    )
    maker.environment["CALENDAR_PASSWORD"] = PASSWORD
    return maker


def lunch(hour: int, *more: str) -> str:
    start = at(hour).strftime("%Y%m%dT%H%M%SZ")
    return event("UID:lunch", f"DTSTART:{start}", "DURATION:PT1H", *more)


async def hours_offered(channel: Channel, *, identity: str = "ana") -> list[int]:
    answered = await channel.said("when", identity=identity)
    parts = [part for message in answered.body["messages"] for part in message.get("parts", ())]
    slots = [slot["start"] for part in parts if part["kind"] == "time_picker" for slot in part["slots"]]
    return [datetime.fromisoformat(start).hour for start in slots]


async def listed(context: Context, *, sandbox: bool = False) -> list[tuple[int, AppointmentStatus]]:
    found = await list_appointments(context, AppointmentsRequest(sandbox=sandbox))
    return [(each.appointment.start.hour, each.appointment.status) for each in found.page.appointments]


def starts(server: CalendarServer) -> list[int]:
    """The hours at which events stand in the calendar."""
    lines = [line for text in server.kept("team") for line in text.splitlines() if line.startswith("DTSTART")]
    return sorted(int(line.rpartition("T")[2][:2]) for line in lines)


def calls(turn: Turn) -> list[ToolCall]:
    return [entry for entry in turn.entries if isinstance(entry, ToolCall)]


async def test_an_appointment_is_found_booked_moved_and_cancelled_and_the_calendar_says_so(
    tmp_path: Path, server: CalendarServer
) -> None:
    await server.put("team", "lunch", lunch(12))
    async with (
        endpoint() as team,
        serving(
            a_desk(tmp_path, server, agent={"notifications": {"to": [team.url.replace("http://", "json://")]}})
        ) as (channel, context),
    ):
        assert await hours_offered(channel) == [9, 10, 11, 13, 14, 15, 16]
        assert (await channel.said("book 12")).texts == ["Sorry."]
        assert (await channel.said("book 14")).texts == ["Done."]
        await eventually(lambda: said_by(server, [12, 14]))
        assert await listed(context) == [(14, AppointmentStatus.BOOKED)]
        assert await hours_offered(channel, identity="bob") == [9, 10, 11, 13, 15, 16]

        # The event of its own is not in the way of a move, and goes with it.
        assert (await channel.said("move 15")).texts == ["Done."]
        await eventually(lambda: said_by(server, [12, 15]))
        assert await listed(context) == [(15, AppointmentStatus.BOOKED)]

        assert (await channel.said("cancel")).texts == ["Done."]
        await eventually(lambda: said_by(server, [12]))
        assert await listed(context) == [(15, AppointmentStatus.CANCELLED)]
        await eventually(lambda: told(team.received, 3))
        day = f"{DAY:%a} {DAY.day} {DAY:%B %Y}"
        assert [orjson.loads(one.body)["message"].partition("\n")[0] for one in team.received] == [
            f"New appointment: Powerboat, {day}, 14:00–15:00",
            f"Appointment moved: Powerboat, {day}, 15:00–16:00, instead of {day}, 14:00",
            f"Appointment cancelled: Powerboat, {day}, 15:00–16:00",
        ]


async def said_by(server: CalendarServer, hours: list[int]) -> bool:
    return starts(server) == hours


async def told(received: Sequence[object], times: int) -> bool:
    return len(received) == times


async def test_reminders_go_with_the_appointment(tmp_path: Path, server: CalendarServer) -> None:
    """Those whose time is past already are never set, nor is any once the appointment is cancelled."""
    hours = {"hours": {"daily": "09:00-17:00"}, "remind": ["2h", "4d"]}
    async with serving(a_desk(tmp_path, server, agent={"scheduling": hours})) as (channel, context):

        async def reminders() -> list[tuple[str, str, str]]:
            page = await list_appointments(context, AppointmentsRequest())
            ids = [each.appointment.appointment_id for each in page.page.appointments]
            found = await context.store.timers().of_subjects(OwnMessageKind.REMINDER, "desk", ids)
            return [(each.name, each.due_at[11:16], each.status.value) for each in found]

        await channel.said("book 14")
        assert await reminders() == [("2h", "12:00", "waiting")]
        await channel.said("move 16")
        assert await reminders() == [("2h", "14:00", "waiting")]
        await channel.said("cancel")
        assert await reminders() == [("2h", "14:00", "cancelled")]


@pytest.mark.requirement("A7")
async def test_an_appointment_is_taken_back_by_hand_as_the_agent_would(tmp_path: Path, server: CalendarServer) -> None:
    hours = {
        "hours": {"daily": "09:00-17:00"},
        "offer": 20,
        "remind": ["2h"],
        "calendar": {"caldav": server.url("team"), "user": USER, "password": "${CALENDAR_PASSWORD}"},
    }
    async with endpoint() as team:
        places = {"to": [team.url.replace("http://", "json://")]}
        desk = a_desk(tmp_path, server, agent={"scheduling": hours, "notifications": places})
        async with serving(desk) as (channel, context):
            await channel.said("book 14")
            await eventually(lambda: said_by(server, [14]))
            (record,) = (await list_appointments(context, AppointmentsRequest())).page.appointments
            name = record.appointment.appointment_id

            done = await cancel_appointment(context, name)

            (cancelled,) = done.shown.page.appointments
            assert cancelled.appointment.status is AppointmentStatus.CANCELLED
            assert [(each.name, each.status.value) for each in done.shown.reminders] == [("2h", "cancelled")]
            await eventually(lambda: said_by(server, []))
            await eventually(lambda: told(team.received, 2))
            day = f"{DAY:%a} {DAY.day} {DAY:%B %Y}"
            assert orjson.loads(team.received[1].body)["message"].startswith(
                f"Appointment cancelled: Powerboat, {day}, 14:00–15:00\n\nWith: "
            )
            assert 14 in await hours_offered(channel, identity="bob")
            with pytest.raises(UsageError, match="is cancelled already; nothing was changed"):
                await cancel_appointment(context, name)
            with pytest.raises(NotFound):
                await cancel_appointment(context, "nothing")


async def test_of_many_who_want_one_time_at_once_one_gets_it(
    tmp_path: Path, database_url: str, server: CalendarServer
) -> None:
    async with serving(a_desk(tmp_path, server, database=database_url)) as (channel, context):
        asking = (channel.said("book 10", identity=f"person-{number}", message_id=f"m{number}") for number in range(6))
        said = [text for answered in await asyncio.gather(*asking) for text in answered.texts]
        assert sorted(said) == ["Done."] + ["Sorry."] * 5
        assert await listed(context) == [(10, AppointmentStatus.BOOKED)]
        await eventually(lambda: said_by(server, [10]))


async def test_a_calendar_that_is_down_is_told_to_the_model_and_nothing_is_booked(
    tmp_path: Path, server: CalendarServer
) -> None:
    async with serving(a_desk(tmp_path, server)) as (channel, context):
        await server.stop()
        assert (await channel.said("book 10")).texts == ["Sorry."]
        (turn,) = (await only_conversation(context)).turns
        (call,) = calls(turn.turn)
        assert call.error == "the calendar can't be reached: connection refused; nothing was done"
        assert await listed(context) == []


async def test_a_calendar_whose_password_is_missing_is_told_where_the_server_runs(
    tmp_path: Path, server: CalendarServer
) -> None:
    maker, trouble = a_desk(tmp_path, server), list[str]()
    async with maker.open() as context:
        await publish(context, PublishRequest(agent="desk"))
    del maker.environment["CALENDAR_PASSWORD"]
    until = "until it is set where `greenroom serve` runs,"
    missing = "`scheduling.calendar` needs the environment variable CALENDAR_PASSWORD, which is not set"
    async with serving(maker, published=False, trouble=trouble) as (channel, context):
        await channel.said("book 10")
        (turn,) = (await only_conversation(context)).turns
        assert [call.error for call in calls(turn.turn)] == [
            f"the calendar can't be reached: {missing}; nothing was done"
        ]
    assert f"agent 'desk': {missing}; {until} it makes no appointments" in trouble


async def test_a_live_chat_books_for_real_with_an_agent_that_was_never_published(
    tmp_path: Path, server: CalendarServer
) -> None:
    async with a_desk(tmp_path, server).open() as context:
        async with open_chat(context, ChatRequest(agent="desk", live=True)) as chat:
            turn = await chat.say("book 11")
            assert [(effect.effect, effect.captured) for effect in turn.effects] == [(EffectKind.BOOKED, False)]
            done = await chat.errands()
            assert {each.kind: each.status.value for each in done} == {"calendar": "sent"}
        assert starts(server) == [11]
        assert await listed(context) == [(11, AppointmentStatus.BOOKED)]


@pytest.mark.requirement("A7", "A11")
@pytest.mark.requirement("A9")
@pytest.mark.parametrize("live", [False, True])
async def test_a_chat_goes_on_while_a_calendar_is_down_in_the_sandbox_too(
    tmp_path: Path, server: CalendarServer, live: bool
) -> None:
    """No verdict hangs on it; a case breaks off (tests/world/test_scheduling.py)."""
    maker = a_desk(tmp_path, server)
    await server.stop()
    async with maker.open() as context, open_chat(context, ChatRequest(agent="desk", live=live)) as chat:
        turn = await chat.say("book 11")
        why = "the calendar can't be reached: connection refused; nothing was done"
        assert ([call.error for call in calls(turn)], turn.effects) == ([why], ())
        assert "You said: Hello" in render_transcript([await chat.say("Hello")])


async def test_a_chat_in_the_sandbox_reads_for_real_and_books_for_itself_alone(
    tmp_path: Path, server: CalendarServer
) -> None:
    await server.put("team", "lunch", lunch(12))
    maker = a_desk(tmp_path, server)
    async with maker.open() as context, open_chat(context, ChatRequest(agent="desk")) as chat:
        assert [call.error for call in calls(await chat.say("book 12"))] != [None]
        turn = await chat.say("book 11")
        assert [effect.captured for effect in turn.effects] == [True]
        async with open_chat(context, ChatRequest(agent="desk")) as other:
            assert [effect.captured for effect in (await other.say("book 11")).effects] == [True]
            assert await listed(context, sandbox=True) == [(11, AppointmentStatus.BOOKED)] * 2
        assert await listed(context, sandbox=True) == [(11, AppointmentStatus.BOOKED)]
        assert await listed(context) == []
        # What is really booked is taken for a rehearsal too.
        async with open_chat(context, ChatRequest(agent="desk", live=True)) as live:
            await live.say("book 15")
        assert (await chat.say("book 15")).effects == ()
    async with maker.open() as context:
        assert await listed(context, sandbox=True) == []
        assert starts(server) == [12]


async def test_a_run_reads_the_calendar_and_writes_nothing_into_it(tmp_path: Path, server: CalendarServer) -> None:
    await server.put("team", "lunch", lunch(12))
    maker = a_desk(tmp_path, server)
    maker.write(
        "suites/booking.yaml",
        {
            "suite": "booking",
            "agents": ["desk"],
            "cases": {
                "taken": {"script": ["book 12"], "expect": [{"reply": "Sorry."}, {"not_called": "move_appointment"}]},
                "free": {"script": ["book 11"], "expect": [{"reply": "Done."}]},
            },
        },
    )
    outcome = await maker.run()
    assert outcome.run.counts.passed == 2
    assert starts(server) == [12]
    async with maker.open() as context:
        assert await listed(context) == []

"""A server that is killed around a booking neither loses nor doubles it, nor its event in the business's calendar.

A real process, a real SIGKILL, a real Radicale; what was held by the dead runs out, which another clock says.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from tests.projects import ProjectMaker
from tests.servers.gateway import NOTHING, Channel, desk_project, eventually, started_process
from tests.servers.radicale import PASSWORD, USER, CalendarServer, calendar_server
from tests.servers.webhooks import endpoint

from greenroom.clock import FrozenClock, SystemClock
from greenroom.conversation.appointments import AppointmentStatus
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.summaries import Ticked
from greenroom.operations.appointments import AppointmentsRequest, list_appointments
from greenroom.operations.context import opened
from greenroom.operations.gateway import open_gateway
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.operations.tick import tick
from greenroom.store.timers import TimerFilter

pytestmark = [pytest.mark.slow, pytest.mark.requirement("A8")]

START = (SystemClock().now() + timedelta(days=2)).replace(hour=14, minute=0, second=0, microsecond=0)
BOOKS: Sequence[object] = [
    {"when": {"answered": "look_up"}, "reply": "It is booked."},
    {
        "when": {"answered": "book_appointment", "last": {"regex": "slowly"}},
        "calls": [{"tool": "look_up", "arguments": NOTHING}],
    },
    {"when": {"answered": "book_appointment"}, "reply": "It is booked."},
    {
        "when": {"last": {"regex": "^book"}},
        "calls": [{"tool": "book_appointment", "arguments": {"start": START.isoformat(), "title": "Powerboat"}}],
    },
    {"reply": "You said: {{last}}"},
]


class Gate:
    """Stands before an endpoint, lets what comes through to it, and keeps back its answer until it is opened."""

    def __init__(self, to: str | None = None, *, method: str = "") -> None:
        self.came, self.open = asyncio.Event(), asyncio.Event()
        self._to = to
        self._method = method

    async def answer(self, request: web.Request) -> web.Response:
        answered = web.json_response({"ok": True}) if self._to is None else await self._passed_on(request, self._to)
        if request.method == self._method or not self._method:
            self.came.set()
            await self.open.wait()
        return answered

    async def _passed_on(self, request: web.Request, to: str) -> web.Response:
        headers = {
            name: request.headers[name]
            for name in ("Authorization", "Content-Type", "Depth")
            if name in request.headers
        }
        body = await request.read()
        async with (
            aiohttp.ClientSession() as session,
            session.request(request.method, f"{to}{request.path}", data=body, headers=headers) as said,
        ):
            return web.Response(status=said.status, body=await said.read())


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[CalendarServer]:
    async with calendar_server(tmp_path / "radicale") as running:
        await running.make("team")
        yield running


async def a_desk(root: Path, calendar: str, database: str, *, look_up: str = "http://127.0.0.1:9/") -> ProjectMaker:
    maker = desk_project(
        root / "project",
        rules=BOOKS,
        database=database,
        agent={
            "tools": {"look_up": {"description": "Looks up.", "url": look_up, "method": "POST"}},
            "people": {"auto_create": True},
            "scheduling": {
                "hours": {"daily": "00:00-24:00"},
                "remind": ["2h", "1h"],
                "calendar": {"caldav": "${CALENDAR_URL}", "user": USER, "password": "${CALENDAR_PASSWORD}"},
            },
        },
    )
    maker.environment |= {"CALENDAR_URL": calendar, "CALENDAR_PASSWORD": PASSWORD}
    async with maker.open() as context:
        await publish(context, PublishRequest(agent="desk"))
    return maker


@asynccontextmanager
async def channel_of(url: str) -> AsyncGenerator[Channel]:
    async with aiohttp.ClientSession() as session:
        yield Channel(url=url, session=session)


async def ticked(maker: ProjectMaker, **later: float) -> Ticked:
    """What another process does, so much later."""
    clock = FrozenClock(SystemClock().now() + timedelta(**later))
    at_that_time = opened(maker.root, environment=maker.environment, clock=clock)
    async with at_that_time as context, open_gateway(context) as gateway:
        return await tick(context, gateway)


async def booked(maker: ProjectMaker) -> list[tuple[datetime, AppointmentStatus]]:
    async with maker.open() as context:
        listed = await list_appointments(context, AppointmentsRequest())
    return [(each.appointment.start, each.appointment.status) for each in listed.page.appointments]


async def reminders(maker: ProjectMaker) -> int:
    async with maker.open() as context:
        page = await context.store.timers().page(TimerFilter(kind=OwnMessageKind.REMINDER))
    return len(page.timers)


async def mirrored(maker: ProjectMaker) -> bool:
    """Whether the errand that writes into the calendar is done."""
    async with maker.open() as context:
        (one,) = (await list_appointments(context, AppointmentsRequest())).page.appointments
        listed = await context.store.errands().of_conversation(one.conversation or "")
    return [each.status for each in listed if each.kind == "calendar"] == [SentStatus.SENT]


ONCE = [(START, AppointmentStatus.BOOKED)]


async def test_killed_between_holding_a_time_and_keeping_the_turn_it_is_booked_once(
    tmp_path: Path, database_url: str, server: CalendarServer
) -> None:
    gate = Gate()
    async with endpoint(gate.answer) as orders:
        maker = await a_desk(tmp_path, server.url("team"), database_url, look_up=orders.url)
        async with started_process(maker) as running, channel_of(running.url) as channel:
            sending = asyncio.create_task(channel.said("book slowly", message_id="m1"))
            await asyncio.wait_for(gate.came.wait(), 20)
            # The time is held: somebody else doesn't get it, and there is no appointment yet.
            other = await channel.said("book", identity="bob", message_id="m2")
            assert other.status == 200
            assert await booked(maker) == []
            await running.kill()
            with pytest.raises(aiohttp.ClientError):
                await sending
        gate.open.set()
        assert (await booked(maker), server.kept("team"), await reminders(maker)) == ([], [], 0)

        assert (await ticked(maker, minutes=2)).served == 1
        assert await booked(maker) == ONCE
        assert len(server.kept("team")) == 1
        assert (await ticked(maker, minutes=20)).served == 0
        assert await booked(maker) == ONCE
        assert len(server.kept("team")) == 1
        assert await reminders(maker) == 2


async def test_killed_before_the_calendar_was_written_it_is_written_later(
    tmp_path: Path, database_url: str, server: CalendarServer
) -> None:
    maker = await a_desk(tmp_path, server.url("team"), database_url)
    gate = Gate(to=f"http://127.0.0.1:{server.port}", method="REPORT")
    async with endpoint(gate.answer) as before:
        maker.environment["CALENDAR_URL"] = server.url("team").replace(f"http://127.0.0.1:{server.port}", before.url)
        gate.open.set()
        async with started_process(maker) as running, channel_of(running.url) as channel:
            # Read through the gate; then the calendar is gone before anything is written.
            asking = asyncio.create_task(channel.said("book", message_id="m1"))
            await asyncio.wait_for(gate.came.wait(), 20)
            await server.stop()
            assert (await asking).texts == ["It is booked."]
            assert not await mirrored(maker)
            await running.kill()
    assert await booked(maker) == ONCE
    await server.start()
    maker.environment["CALENDAR_URL"] = server.url("team")
    assert server.kept("team") == []
    await ticked(maker, minutes=5)
    assert await mirrored(maker)
    assert len(server.kept("team")) == 1
    assert await booked(maker) == ONCE


async def test_killed_between_the_calendar_and_its_record_the_event_stands_there_once(
    tmp_path: Path, database_url: str, server: CalendarServer
) -> None:
    gate = Gate(to=f"http://127.0.0.1:{server.port}", method="PUT")
    async with endpoint(gate.answer) as before:
        behind_gate = server.url("team").replace(f"http://127.0.0.1:{server.port}", before.url)
        maker = await a_desk(tmp_path, behind_gate, database_url)
        async with started_process(maker) as running, channel_of(running.url) as channel:
            assert (await channel.said("book", message_id="m1")).texts == ["It is booked."]
            await asyncio.wait_for(gate.came.wait(), 20)
            await running.kill()
        gate.open.set()
    once = server.kept("team")
    assert len(once) == 1
    assert not await mirrored(maker)
    maker.environment["CALENDAR_URL"] = server.url("team")

    async def done() -> bool:
        await ticked(maker, minutes=5)
        return await mirrored(maker)

    await eventually(done)
    assert server.kept("team") == once
    assert await booked(maker) == ONCE

"""What agents say by themselves is said once, whatever kills the process, and however many processes say it at once.

A real `greenroom tick` in a process of its own, a real SIGKILL.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import orjson
import psycopg
import pytest
from aiohttp import web
from tests.projects import ProjectMaker
from tests.servers.gateway import desk_project, eventually
from tests.servers.webhooks import endpoint

from greenroom.clock import FrozenClock, SystemClock
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.people import Person
from greenroom.conversation.summaries import Ticked
from greenroom.conversation.timers import TimerStatus
from greenroom.operations.context import Context, opened
from greenroom.operations.conversations import ConversationsRequest, list_conversations
from greenroom.operations.gateway import open_gateway
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.operations.tick import tick
from greenroom.store.locks import Turn
from greenroom.store.partition import Partition
from greenroom.store.people_lists import PeopleFilter
from greenroom.store.timers import NewTimer, TimerFilter

pytestmark = [pytest.mark.slow, pytest.mark.requirement("A8")]

SOURCES = Path(__file__).parent.parent.parent / "src"
AGENT: Mapping[str, object] = {
    "outreach": {
        "spring": {"to": {"status": "lead", "consent.messages": True}, "opening": "Hello.", "hours": "00:00-24:00"}
    }
}


async def desk_with_leads(root: Path, url: str, receiver: str, *, leads: int) -> ProjectMaker:
    """A published desk and people whom its outreach is for."""
    maker = desk_project(root, database=url, outbound=receiver, agent=AGENT)
    async with maker.open() as context:
        await publish(context, PublishRequest(agent="desk"))
        for number in range(leads):
            person = Person(person_id="", status="lead", consent={"messages": True})
            await context.store.people(Partition.LIVE).add(person, f"sms:p{number}")
    return maker


@asynccontextmanager
async def ticking(maker: ProjectMaker) -> AsyncGenerator["subprocess.Popen[bytes]"]:
    """`greenroom tick` in a process of its own; what is left of it is killed at the end."""
    process = await asyncio.to_thread(
        subprocess.Popen,
        [sys.executable, "-m", "greenroom", "tick", "--project", str(maker.root)],
        env={**os.environ, **maker.environment, "PYTHONPATH": str(SOURCES)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await asyncio.to_thread(process.communicate)


async def kill(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGKILL)
    await asyncio.to_thread(process.communicate)


async def ticked(maker: ProjectMaker, **later: float) -> Ticked:
    """What another process does, so much later."""
    clock = FrozenClock(SystemClock().now() + timedelta(**later))
    at_that_time = opened(maker.root, environment=maker.environment, clock=clock)
    async with at_that_time as context, open_gateway(context) as gateway:
        return await tick(context, gateway)


async def statuses(context: Context) -> list[TimerStatus]:
    page = await context.store.timers().page(TimerFilter(kind=OwnMessageKind.OUTREACH), limit=1000)
    return [timer.status for timer in page.timers]


async def conversations(context: Context) -> int:
    return len((await list_conversations(context, ConversationsRequest(limit=1000))).conversations)


async def test_killed_after_it_was_said_and_before_it_left_it_leaves_once(tmp_path: Path, database_url: str) -> None:
    """It was kept with its timer; the next process sends it again with the same key and says nothing anew."""
    came, go = asyncio.Event(), asyncio.Event()

    async def answer(_: web.Request) -> web.Response:
        came.set()
        await go.wait()
        return web.Response(status=204)

    async with endpoint(answer) as receiver:
        maker = await desk_with_leads(tmp_path, database_url, receiver.url, leads=1)
        async with ticking(maker) as process:
            await asyncio.wait_for(came.wait(), 60)
            await kill(process)
        go.set()
        async with maker.open() as context:
            assert await statuses(context) == [TimerStatus.DONE]
            assert await conversations(context) == 1

        later = await ticked(maker, minutes=2)
        assert (later.said, later.delivered) == (0, 1)
        assert len({one.headers["Idempotency-Key"] for one in receiver.received}) == 1
        assert len({one.body for one in receiver.received}) == 1


async def test_killed_before_it_was_said_nothing_has_happened_and_the_next_process_says_it(
    tmp_path: Path, postgresql_url: str
) -> None:
    """Killed while its transaction waits: the lock that all such transactions take is held by somebody else."""
    async with endpoint() as receiver:
        maker = await desk_with_leads(tmp_path, postgresql_url, receiver.url, leads=1)
        async with maker.open() as context:
            (person,) = (await context.store.people(Partition.LIVE).page(PeopleFilter())).people
            timer = NewTimer(
                kind=OwnMessageKind.OUTREACH,
                agent="desk",
                name="spring",
                subject=person.person.person_id,
                due_at=context.clock.now(),
            )
            await context.store.timers().enrol([timer])
        with psycopg.connect(postgresql_url) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [int(Turn.CONVERSATIONS)])
            async with ticking(maker) as process:
                await eventually(lambda: _somebody_waits(postgresql_url))
                await kill(process)
        assert receiver.received == []
        async with maker.open() as context:
            assert await statuses(context) == [TimerStatus.WAITING]
            assert await conversations(context) == 0

        again = await ticked(maker, seconds=1)
        assert (again.said, again.delivered, len(receiver.received)) == (1, 1, 1)


async def _somebody_waits(url: str) -> bool:
    def look() -> bool:
        with psycopg.connect(url) as connection:
            waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            return connection.execute(waiting).fetchone() is not None

    return await asyncio.to_thread(look)


async def test_several_processes_at_once_say_each_message_once(tmp_path: Path, database_url: str) -> None:
    """Three ticks of the same minute over twenty people."""
    async with endpoint() as receiver:
        maker = await desk_with_leads(tmp_path, database_url, receiver.url, leads=20)

        async def one() -> None:
            async with ticking(maker) as process:
                _, told = await asyncio.to_thread(process.communicate)
                assert process.returncode == 0, told.decode()

        await asyncio.gather(*(one() for _ in range(3)))
        await ticked(maker, minutes=20)
        async with maker.open() as context:
            assert await statuses(context) == [TimerStatus.DONE] * 20
            assert await conversations(context) == 20
        identities = [orjson.loads(each.body)["identity"] for each in receiver.received]
        assert sorted(identities) == sorted(f"p{number}" for number in range(20))

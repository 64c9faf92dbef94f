"""A server that is killed around a notification or a mail neither loses one nor sends a second one as if it were new.

A real process, a real SIGKILL; what was held by it is taken over once its hold has run out, which another clock says.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest
from tests.projects import ProjectMaker
from tests.servers.gateway import Channel, Held, eventually, only_conversation, serving, started_process
from tests.servers.mail import mail_server
from tests.servers.office import office, told
from tests.servers.webhooks import endpoint

from greenroom.clock import FrozenClock, SystemClock
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.summaries import ErrandSummary, Ticked
from greenroom.operations.context import opened
from greenroom.operations.gateway import open_gateway
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.operations.tick import tick

pytestmark = [
    pytest.mark.slow,
    # Apprise still looks for a module of the standard library that goes with Python 3.13.
]


@asynccontextmanager
async def channel_of(url: str) -> AsyncGenerator[Channel]:
    async with aiohttp.ClientSession() as session:
        yield Channel(url=url, session=session)


async def published(maker: ProjectMaker) -> None:
    async with maker.open() as context:
        await publish(context, PublishRequest(agent="desk"))


async def ticked(maker: ProjectMaker, **later: float) -> Ticked:
    """What another process does, so much later."""
    clock = FrozenClock(SystemClock().now() + timedelta(**later))
    at_that_time = opened(maker.root, environment=maker.environment, clock=clock)
    async with at_that_time as context, open_gateway(context) as gateway:
        return await tick(context, gateway)


async def errands(maker: ProjectMaker) -> Sequence[ErrandSummary]:
    async with maker.open() as context:
        return (await only_conversation(context)).errands


async def lost(sending: "asyncio.Task[object]") -> None:
    """The channel hears nothing of a server that was killed."""
    with pytest.raises(aiohttp.ClientError):
        await sending


ASKS_AFTER_IT: Sequence[object] = [
    {"when": {"answered": "look_up"}, "reply": "It is ready."},
    {"when": {"answered": "notify_team"}, "calls": [{"tool": "look_up", "arguments": {"order": 7}}]},
    {"when": {"last": "ready?"}, "calls": [{"tool": "notify_team", "arguments": {"text": "Somebody asks"}}]},
]
LOOK_UP = {
    "description": "Looks up.",
    "method": "POST",
    "parameters": {"type": "object", "properties": {"order": {"type": "integer"}}},
}


@pytest.mark.requirement("A1", "A8")
async def test_killed_within_a_turn_nothing_has_left_and_the_repeat_calls_under_the_same_key(
    tmp_path: Path, database_url: str
) -> None:
    """The turn has told the team and is in the middle of a real call when its process dies."""
    held = Held()
    async with endpoint(held.answer) as orders, endpoint() as team:
        maker = office(
            tmp_path,
            database=database_url,
            team=team,
            agent={"tools": {"look_up": {**LOOK_UP, "url": orders.url}}},
        )
        maker.write("models/agent.yaml", {"rules": [*ASKS_AFTER_IT, {"reply": "You said: {{last}}"}]})
        await published(maker)
        async with started_process(maker) as server, channel_of(server.url) as channel:
            sending = asyncio.create_task(channel.said("ready?", message_id="m1"))
            await asyncio.wait_for(held.came.wait(), 20)
            await server.kill()
            await lost(sending)
        held.go.set()
        assert (await errands(maker), team.received) == ((), [])
        assert (await ticked(maker, seconds=90)).served == 1

        (notified,) = await errands(maker)
        assert notified.status is SentStatus.SENT
        assert told(team) == [notified.key]
        keys = [one.headers["Idempotency-Key"] for one in orders.received]
        assert len(keys) == 2
        assert len(set(keys)) == 1


@pytest.mark.requirement("A8")
async def test_killed_between_the_turn_and_the_sending_it_leaves_later_and_once(
    tmp_path: Path, database_url: str
) -> None:
    """Mail waits while there is no server at its port, as it does in a process that dies before it gets to it."""
    async with mail_server() as server:
        port = server.port
    maker = office(tmp_path, database=database_url, mail_port=port)
    await published(maker)
    async with started_process(maker) as process, channel_of(process.url) as channel:
        assert (await channel.said("mail Dana")).status == 200

        async def put_off() -> bool:
            return [one.error for one in await errands(maker)] == ["it can't be reached: connection refused"]

        await eventually(put_off)
        await process.kill()
    async with mail_server(port=port) as server:
        assert (await ticked(maker, minutes=2)).errands == 1
        assert (await ticked(maker, minutes=4)).errands == 0
        (taken,) = server.taken
    (sent,) = await errands(maker)
    assert sent.status is SentStatus.SENT
    assert taken.mail["Message-ID"] == f"<{sent.key}@lakeside.example>"


@pytest.mark.requirement("A8")
async def test_killed_between_the_sending_and_its_record_the_repeat_is_known_for_one(
    tmp_path: Path, database_url: str
) -> None:
    """The mail server and the team have it, and the process dies before it hears so."""
    held = Held()
    async with mail_server() as server, endpoint(held.answer) as team:
        server.hold = asyncio.Event()
        maker = office(tmp_path, database=database_url, mail_port=server.port, team=team)
        await published(maker)
        async with started_process(maker) as process, channel_of(process.url) as channel:
            await channel.said("tell them")
            await channel.said("mail Dana")
            await asyncio.wait_for(held.came.wait(), 20)
            await asyncio.wait_for(server.arrived.wait(), 20)
            await process.kill()
        held.go.set()
        server.hold.set()
        assert {one.status for one in await errands(maker)} == {SentStatus.WAITING}
        assert (await ticked(maker, seconds=30)).errands == 0
        assert (await ticked(maker, seconds=90)).errands == 2

        notified, mailed = await errands(maker)
        assert (notified.status, mailed.status) == (SentStatus.SENT, SentStatus.SENT)
        assert told(team) == [notified.key] * 2
        assert len({one.body for one in team.received}) == 1
        assert len(server.came) == 2
        assert len({taken.raw for taken in server.came}) == 1
        assert server.came[0].mail["Message-ID"] == f"<{mailed.key}@lakeside.example>"


async def test_a_server_that_is_told_to_end_notes_down_what_it_is_sending(tmp_path: Path) -> None:
    held = Held()
    async with endpoint(held.answer) as team:
        maker = office(tmp_path, team=team)
        async with serving(maker) as (channel, _):
            await channel.said("tell them")
            await asyncio.wait_for(held.came.wait(), 20)
            held.go.set()
        (notified,) = await errands(maker)
    assert notified.status is SentStatus.SENT

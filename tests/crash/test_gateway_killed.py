"""A server that is killed at the points where it hurts neither loses nor doubles a turn or a message.

A real process, a real SIGKILL; what was held by it is taken over once its hold has run out, which another clock says.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import aiohttp
import orjson
import pytest
from tests.projects import ProjectMaker
from tests.servers.gateway import (
    LOOKS_UP,
    Answered,
    Channel,
    Held,
    desk_project,
    only_conversation,
    serving,
    started_process,
)
from tests.servers.webhooks import Endpoint, endpoint

from greenroom.clock import FrozenClock, SystemClock
from greenroom.conversation.events import Said
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.summaries import ShownConversation, Ticked
from greenroom.operations.context import opened
from greenroom.operations.gateway import open_gateway
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.operations.tick import tick

T = TypeVar("T")

pytestmark = pytest.mark.slow


@asynccontextmanager
async def channel_of(url: str, name: str = "web") -> AsyncGenerator[Channel]:
    async with aiohttp.ClientSession() as session:
        yield Channel(url=url, session=session, name=name)


async def published(maker: ProjectMaker) -> None:
    async with maker.open() as context:
        await publish(context, PublishRequest(agent="desk"))


async def ticked(maker: ProjectMaker, **later: float) -> Ticked:
    """What another process does, so much later."""
    clock = FrozenClock(SystemClock().now() + timedelta(**later))
    at_that_time = opened(maker.root, environment=maker.environment, clock=clock)
    async with at_that_time as context, open_gateway(context) as gateway:
        return await tick(context, gateway)


async def looked_at(maker: ProjectMaker) -> ShownConversation:
    async with maker.open() as context:
        return await only_conversation(context)


async def lost(sending: "asyncio.Task[Answered]") -> None:
    """The channel hears nothing of a server that was killed."""
    with pytest.raises(aiohttp.ClientError):
        await sending


async def test_killed_in_the_middle_of_a_turn_the_event_is_kept_and_served_later(
    tmp_path: Path, database_url: str
) -> None:
    held = Held()
    async with endpoint(held.answer) as orders:
        maker = desk_project(
            tmp_path,
            rules=LOOKS_UP,
            database=database_url,
            agent={"tools": {"look_up": {"description": "Looks up.", "url": orders.url, "method": "POST"}}},
        )
        await published(maker)
        async with started_process(maker) as server, channel_of(server.url) as channel:
            sending = asyncio.create_task(channel.said("ready?", message_id="m1"))
            await asyncio.wait_for(held.came.wait(), 20)
            await server.kill()
            await lost(sending)
        held.go.set()
        assert len((await looked_at(maker)).unserved) == 1

        assert (await ticked(maker, seconds=20)).served == 0
        assert (await ticked(maker, minutes=2)).served == 1

        kept = await looked_at(maker)
        assert kept.unserved == ()
        assert [[message.parts for message in each.turn.messages] for each in kept.turns] != [[]]
        async with serving(maker) as (channel, context):
            again = await channel.said("ready?", message_id="m1")
            assert again.texts == ["It is ready."]
            assert len((await only_conversation(context)).turns) == 1


async def test_killed_in_the_middle_of_a_turn_the_next_event_waits_for_the_one_before(tmp_path: Path) -> None:
    """The conversation is held by the dead; the living serve both events in order once that has run out."""
    held = Held()
    async with endpoint(held.answer) as orders:
        maker = desk_project(
            tmp_path,
            rules=LOOKS_UP,
            agent={"tools": {"look_up": {"description": "Looks up.", "url": orders.url, "method": "POST"}}},
        )
        await published(maker)
        async with started_process(maker) as server, channel_of(server.url) as channel:
            sending = asyncio.create_task(channel.said("ready?", message_id="m1", conversation="c"))
            await asyncio.wait_for(held.came.wait(), 20)
            await server.kill()
            await lost(sending)
        held.go.set()

        later = FrozenClock(SystemClock().now() + timedelta(seconds=31))
        async with serving(maker, clock=later) as (channel, context):
            channel.clock = later
            answer = await channel.said("thanks", message_id="m2", conversation="c")
            assert answer.texts == ["You said: thanks"]
            events = [each.turn.event for each in (await only_conversation(context)).turns]
            assert events == [Said(text="ready?"), Said(text="thanks")]


async def test_killed_between_a_message_and_its_record_it_is_sent_again_with_the_same_key(
    tmp_path: Path, database_url: str
) -> None:
    held = Held()
    async with endpoint(held.answer) as receiver:
        maker = desk_project(tmp_path, database=database_url, outbound=receiver.url)
        await published(maker)
        async with started_process(maker) as server, channel_of(server.url, "sms") as channel:
            assert (await channel.said("one", message_id="m1")).status == 200
            await asyncio.wait_for(held.came.wait(), 20)
            await server.kill()
        held.go.set()
        assert [one.status for one in (await looked_at(maker)).sent] == [SentStatus.WAITING]

        assert (await ticked(maker, seconds=30)).delivered == 0
        assert (await ticked(maker, seconds=90)).delivered == 1

        assert [one.status for one in (await looked_at(maker)).sent] == [SentStatus.SENT]
        keys = [one.headers["Idempotency-Key"] for one in receiver.received]
        bodies = [one.body for one in receiver.received]
        assert len(keys) == 2
        assert len(set(keys)) == len(set(bodies)) == 1


async def test_killed_before_a_message_left_it_leaves_later_and_once(tmp_path: Path, database_url: str) -> None:
    maker = desk_project(tmp_path, database=database_url, outbound="http://127.0.0.1:9/nobody")
    await published(maker)
    async with started_process(maker) as server, channel_of(server.url, "sms") as channel:
        first = await channel.said("one", message_id="m1")
        await _until(lambda: _tried(maker))
        await server.kill()
    async with endpoint() as receiver:
        maker.environment["OUTBOUND"] = receiver.url
        async with started_process(maker) as server, channel_of(server.url, "sms") as channel:
            again = await channel.said("one", message_id="m1")
            assert again.body == first.body
            await channel.said("two", message_id="m2")
            await _until(lambda: _sent(maker, 2))
            assert await server.end() == 0
        texts = [orjson.loads(one.body)["message"]["text"] for one in receiver.received]
        assert texts == ["You said: one", "You said: two"]


async def test_a_server_that_is_told_to_end_finishes_what_it_has_begun(tmp_path: Path) -> None:
    held = Held()
    async with endpoint(held.answer) as orders:
        maker = desk_project(
            tmp_path,
            rules=LOOKS_UP,
            agent={"tools": {"look_up": {"description": "Looks up.", "url": orders.url, "method": "POST"}}},
        )
        await published(maker)
        async with started_process(maker) as server, channel_of(server.url) as channel:
            sending = asyncio.create_task(channel.said("ready?"))
            await asyncio.wait_for(held.came.wait(), 20)
            ending = asyncio.create_task(server.end())
            held.go.set()
            assert (await sending).texts == ["It is ready."]
            assert await ending == 0


async def _tried(maker: ProjectMaker) -> bool:
    """It has been put off; while it is under way, another server would wait for its hold to run out."""
    return [one.error for one in (await looked_at(maker)).sent] == ["connection refused"]


async def _sent(maker: ProjectMaker, count: int) -> bool:
    sent = (await looked_at(maker)).sent
    return [one.status for one in sent] == [SentStatus.SENT] * count


async def _until(look: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while not await look():
            await SystemClock().sleep(0.05)


async def test_a_server_that_slept_through_its_hold_keeps_nothing_and_gives_the_other_one_s_answer(
    tmp_path: Path, database_url: str
) -> None:
    """As a machine does that was suspended in the middle of a turn."""
    held = Held()
    async with endpoint(held.answer) as orders:
        maker = desk_project(
            tmp_path,
            rules=LOOKS_UP,
            database=database_url,
            agent={"tools": {"look_up": {"description": "Looks up.", "url": orders.url, "method": "POST"}}},
        )
        async with serving(maker) as (channel, context):
            sleeping = asyncio.create_task(channel.said("ready?", message_id="m1"))
            await asyncio.wait_for(held.came.wait(), 20)
            awake = asyncio.create_task(ticked(maker, minutes=2))
            await _until(lambda: _called(orders, 2))
            held.go.set()

            assert (await awake).served == 1
            assert (await sleeping).texts == ["It is ready."]
            assert len((await only_conversation(context)).turns) == 1


async def _called(orders: Endpoint, times: int) -> bool:
    return len(orders.received) >= times

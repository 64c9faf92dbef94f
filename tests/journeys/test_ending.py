"""A server that is told to end does so in bounded time, and what it breaks off is served by the next one."""

import asyncio
import signal
from datetime import datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
from tests.projects import ProjectMaker
from tests.servers.gateway import (
    Channel,
    ServerProcess,
    desk_project,
    eventually,
    only_conversation,
    serving,
    started_process,
)
from tests.servers.openai_compatible import ChatServer, Reply, chat_server, said

from greenroom.api.bodies import Bounds
from greenroom.clock import SystemClock
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.server import ServeOptions

pytestmark = pytest.mark.requirement("A1")

SOON = ServeOptions(port=0, bounds=Bounds(), finish_seconds=0.1)
NEVER = Reply(hang=True)


class Shifted(SystemClock):
    """Real time, and so much later."""

    def __init__(self, **later: float) -> None:
        self._later = timedelta(**later)

    def now(self) -> datetime:
        return super().now() + self._later


def desk_of(root: Path, model: ChatServer, database: str | None = None) -> ProjectMaker:
    return desk_project(root, database=database, agent={"model": f"openai:desk@{model.url}"})


async def test_turns_of_a_model_that_never_answers_are_broken_off_told_and_served_again(
    tmp_path: Path, database_url: str
) -> None:
    """First a turn that a channel waits for, then the same event as the tick of the next server found it."""
    stop, trouble = asyncio.Event(), list[str]()
    async with chat_server() as model:
        model.answer(NEVER, NEVER, said("Here I am."))
        maker = desk_of(tmp_path, model, database_url)
        async with serving(maker, options=SOON, trouble=trouble, stop=stop) as (channel, context):
            sending = asyncio.create_task(channel.said("Hello", message_id="m1", conversation="c"))
            await eventually(lambda: _was_asked(model, 1))
            stop.set()
            answered = await sending
            assert answered.status == 502
            assert "the event is kept and will be served" in answered.body["detail"]
            assert len((await only_conversation(context)).unserved) == 1

        async with serving(maker, options=SOON, trouble=trouble, clock=Shifted(minutes=2)) as (_, context):
            await eventually(lambda: _was_asked(model, 2))
        left = (
            "1 event could not be answered within 0.1 s after the signal to end (desk:web:c); it waits for the next "
            "`greenroom serve` or `greenroom tick`"
        )
        assert [line for line in trouble if not line.startswith("POST ")] == [left] * 2

        async with serving(maker, clock=Shifted(minutes=4)) as (_, context):
            await eventually(lambda: _was_asked(model, 3))
        async with serving(maker) as (channel, context):
            again = await channel.said("Hello", message_id="m1", conversation="c")
            assert again.texts == ["Here I am."]
            assert len((await only_conversation(context)).turns) == 1
            assert len(model.asked) == 3


async def test_after_the_signal_no_other_event_is_begun_that_was_left_over(tmp_path: Path) -> None:
    """Eight are served at a time; of twenty that wait, the first eight are answered and the others left."""
    trouble = list[str]()
    async with chat_server() as model:
        maker = desk_of(tmp_path, model)
        model.answer(*(NEVER,) * 20)
        stop = asyncio.Event()
        async with serving(maker, options=SOON, trouble=trouble, stop=stop) as (channel, _):
            all_at_once = [asyncio.create_task(channel.said("Hello", conversation=f"c{n}")) for n in range(20)]
            await eventually(lambda: _was_asked(model, 20))
            stop.set()
            assert {answer.status for answer in await asyncio.gather(*all_at_once)} == {502}
        assert trouble[0].startswith(
            "20 events could not be answered within 0.1 s after the signal to end (desk:web:c0,"
        )
        assert trouble[0].endswith(
            "desk:web:c12 and more); they wait for the next `greenroom serve` or `greenroom tick`"
        )

        model.answer(*(Reply(text="Hello.", seconds=0.3),) * 20)
        async with serving(maker, clock=Shifted(minutes=2)):
            await eventually(lambda: _was_asked(model, 28))
        assert len(model.asked) == 28


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)])
async def test_the_second_signal_ends_it_at_once(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """While a turn is under way that would take much longer."""
    async with chat_server() as model, aiohttp.ClientSession() as session:
        model.answer(NEVER)
        maker = desk_of(tmp_path, model)
        async with maker.open() as context:
            await publish(context, PublishRequest(agent="desk"))
        async with started_process(maker) as server:
            sending = asyncio.create_task(Channel(url=server.url, session=session).said("Hello"))
            await eventually(lambda: _was_asked(model, 1))
            server.process.send_signal(number)
            await eventually(lambda: _listens_no_more(server.url))
            assert server.process.poll() is None
            server.process.send_signal(number)
            async with asyncio.timeout(20):
                await asyncio.to_thread(server.process.communicate)
            assert server.process.returncode == code
            await asyncio.gather(sending, return_exceptions=True)


async def _was_asked(model: ChatServer, times: int) -> bool:
    return len(model.asked) >= times


async def _listens_no_more(url: str) -> bool:
    async with aiohttp.ClientSession() as session:
        try:
            async with session.get(f"{url}/healthz"):
                return False
        except aiohttp.ClientConnectorError:
            return True


async def test_a_server_names_who_is_live_and_where_the_widgets_are(tmp_path: Path) -> None:
    maker = desk_project(tmp_path)
    async with started_process(maker) as server:
        assert await _next_line(server) == "No agent is live yet; `greenroom publish AGENT` makes one so."
    async with maker.open() as context:
        await publish(context, PublishRequest(agent="desk"))
    async with started_process(maker) as server:
        assert await _next_line(server) == "Live: desk, on web, sms, rich, web_voice"
        assert await _next_line(server) == f"  widget: {server.url}/widget/desk"


async def _next_line(server: ServerProcess) -> str:
    assert server.process.stderr is not None
    return (await asyncio.to_thread(server.process.stderr.readline)).rstrip("\n")

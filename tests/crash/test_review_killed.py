"""A server that is killed while the judge thinks: the conversation is judged again, once, and nothing is lost.

A real process, a real SIGKILL; what was held by it is taken over once its hold has run out, which another clock says.
"""

import asyncio
from pathlib import Path

import aiohttp
import pytest
from tests.journeys.live_desk import LiveDesk
from tests.journeys.reviewed_desk import judged_over_http, only_review, passing
from tests.servers.gateway import Channel, eventually, started_process
from tests.servers.openai_compatible import ChatServer, Reply, chat_server

from greenroom.clock import SystemClock
from greenroom.conversation.reviews import ReviewStatus, ReviewVerdict

pytestmark = [pytest.mark.slow, pytest.mark.requirement("E5")]


async def test_killed_while_the_judge_thinks_the_conversation_is_judged_again_once(
    tmp_path: Path, database_url: str
) -> None:
    async with chat_server() as judge:
        desk = await judged_over_http(tmp_path, judge, database_url)
        await killed_in_the_middle(desk, judge)
        review = await only_review(desk)
        assert (review.status, review.tries, review.judged) == (ReviewStatus.WAITING, 1, None)

        judge.answer(*[passing(2)] * 4)
        desk.now = SystemClock().now()
        assert (await desk.tick()).reviewed == 0, "it is still held"
        desk.later(minutes=2)
        done = await asyncio.gather(desk.tick(), desk.tick())

        assert sum(each.reviewed for each in done) == 1
        assert len(judge.asked) == 2
        review = await only_review(desk)
        assert (review.status, review.verdict, review.tries) == (ReviewStatus.DONE, ReviewVerdict.PASSED, 2)
        assert (review.units, review.judged and review.judged.usage.calls) == (1, 1)


async def killed_in_the_middle(desk: LiveDesk, judge: ChatServer) -> None:
    judge.answer(Reply(hang=True))

    async def asked() -> bool:
        return bool(judge.asked)

    async with started_process(desk.maker) as server, aiohttp.ClientSession() as session:
        answered = await Channel(url=server.url, session=session).said("bye", conversation="c")
        assert answered.texts == ["Goodbye."], "the judge holds nobody up"
        await eventually(asked)
        await server.kill()

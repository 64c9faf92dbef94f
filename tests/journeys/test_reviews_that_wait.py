"""Reviews that can't be judged now: no judge, one that is down, processes that end in the middle (features.md E5)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from tests.journeys.live_desk import LiveDesk
from tests.journeys.reviewed_desk import (
    DOWN,
    PASSES,
    judged_over_http,
    only_review,
    passing,
)
from tests.servers.gateway import eventually, serving
from tests.servers.openai_compatible import ChatServer, Reply, chat_server

from greenroom.clock import SystemClock
from greenroom.conversation.reviews import Judged, ReviewFilter, ReviewStatus, ReviewVerdict
from greenroom.errors import UsageError
from greenroom.operations.reviews import ReviewRequest, review_conversation, review_waiting
from greenroom.running.review import review_pause
from greenroom.store.reviews import HOLD_S, MOST_TRIES

pytestmark = pytest.mark.requirement("E5")


async def test_without_a_judge_reviews_wait_and_it_is_said(desk: LiveDesk) -> None:
    desk.judged_by()
    await desk.said("bye")

    done = await desk.tick()

    assert (done.reviewed, done.obstacle[:68]) == (
        0,
        "closed conversations wait for their review: no judge is configured; ",
    )
    assert (await only_review(desk)).tries == 0
    async with desk.open() as (context, _):
        with pytest.raises(UsageError, match="no judge is configured"):
            await review_waiting(context, most=10)
        with pytest.raises(UsageError, match="no judge is configured"):
            await review_conversation(context, ReviewRequest(conversation="desk:web:c"))
    assert (await only_review(desk)).tries == 0
    desk.judged_by(PASSES)
    assert (await desk.tick()).reviewed == 1


async def test_a_server_says_once_that_there_is_no_judge(small_desk: LiveDesk) -> None:
    small_desk.judged_by()
    await small_desk.closed("c0", "c1", "c2")
    told: list[str] = []
    async with small_desk.open() as (_, gateway):
        stop, wake = asyncio.Event(), asyncio.Event()
        going = asyncio.create_task(gateway.reviewing.until(stop, wake, told.append))
        await eventually(lambda: _is_there(told))
        wake.set()
        await small_desk.said("bye", conversation="c9")
        stop.set()
        await going
    assert [text.split(";")[0] for text in told] == [
        "closed conversations wait for their review: no judge is configured"
    ]


async def _is_there(told: Sequence[str]) -> bool:
    return bool(told)


async def test_a_judge_that_is_down_is_asked_again_after_pauses_that_grow(desk: LiveDesk) -> None:
    desk.judged_by(DOWN)
    await desk.said("bye")
    waited: list[float] = []
    for tries in range(1, 4):
        assert (await desk.tick()).reviewed == 1
        assert (await desk.tick()).reviewed == 0
        review = await only_review(desk)
        assert (review.status, review.tries) == (ReviewStatus.WAITING, tries)
        assert "the request is not accepted" in (review.error or "")
        pause = datetime.fromisoformat(review.due_at) - desk.now
        waited.append(pause.total_seconds())
        desk.later(seconds=waited[-1])
    assert waited == [60.0, 240.0, 960.0]
    desk.judged_by(PASSES)

    await desk.tick()

    review = await only_review(desk)
    assert (review.status, review.verdict, review.tries, review.error) == (
        ReviewStatus.DONE,
        ReviewVerdict.PASSED,
        4,
        None,
    )


async def test_a_judge_that_never_answers_leaves_an_error_with_its_reason(desk: LiveDesk) -> None:
    desk.judged_by({"reply": "I'd rather not."})
    await desk.said("bye")
    for _ in range(MOST_TRIES):
        assert (await desk.tick()).reviewed == 1
        desk.later(hours=9)
    assert (await desk.tick()).reviewed == 0

    review = await only_review(desk)

    assert (review.status, review.tries, review.needs_review) == (ReviewStatus.ERRORED, MOST_TRIES, True)
    assert review.error is not None
    assert review.error.startswith("The judge could not answer, so there is no verdict")
    assert review.judged is not None
    assert review.judged.usage.calls == 2 * MOST_TRIES
    assert await desk.listed(ReviewFilter.ERRORED) == ["c"]
    assert await desk.listed(ReviewFilter.NEEDS_REVIEW) == ["c"]


def test_pauses_end_at_six_hours() -> None:
    assert [review_pause(tries, 0.5) / 60 for tries in range(1, 8)] == [1, 4, 16, 64, 256, 360, 360]
    assert review_pause(50, 0.0) == 3 * 3600


async def test_two_processes_judge_each_conversation_once(desk: LiveDesk) -> None:
    names = [f"c{number}" for number in range(10)]
    await desk.closed(*names)

    done = await asyncio.gather(desk.tick(), desk.tick(), desk.tick())

    assert sum(one.reviewed for one in done) == 10
    for name in names:
        review = await only_review(desk, name)
        assert (review.status, review.tries) == (ReviewStatus.DONE, 1)


async def test_a_server_that_is_told_to_stop_lets_go_of_what_it_judges(tmp_path: Path, database_url: str) -> None:
    """The next one judges it at once, and it was no try."""
    async with chat_server() as judge:
        desk = await judged_over_http(tmp_path, judge, database_url)
        judge.answer(Reply(hang=True))
        async with serving(desk.maker) as (channel, _):
            await channel.said("bye", conversation="c")
            await eventually(lambda: _asked(judge))
        assert (await only_review(desk)).tries == 0
        judge.answer(passing(2))
        desk.now = SystemClock().now()
        assert (await desk.tick()).reviewed == 1
        review = await only_review(desk)
        assert (review.verdict, review.tries) == (ReviewVerdict.PASSED, 1)


async def _asked(judge: ChatServer) -> bool:
    return bool(judge.asked)


async def test_no_more_than_a_few_are_judged_at_a_time_and_so_many_in_one_tick(tmp_path: Path) -> None:
    async with chat_server() as judge:
        desk = await judged_over_http(tmp_path, judge)
        await desk.closed(*(f"c{number}" for number in range(45)))
        judge.answer(*[replace(passing(2), seconds=0.02)] * 50)
        assert [(await desk.tick()).reviewed for _ in range(3)] == [40, 5, 0]
        assert judge.most_in_flight == 4


async def test_a_review_whose_process_dies_each_time_is_given_up(small_desk: LiveDesk) -> None:
    desk = small_desk
    await desk.said("bye")
    for tries in range(1, MOST_TRIES + 1):
        async with desk.open() as (context, _):
            (taken,) = await context.store.reviews().take("a process that dies", limit=4)
            assert taken.tries == tries
            assert await context.store.reviews().take("another", limit=4) == ()
        desk.later(seconds=HOLD_S + 1)
    assert (await desk.tick()).reviewed == 0
    review = await only_review(desk)
    assert (review.status, review.tries) == (ReviewStatus.ERRORED, MOST_TRIES)
    assert review.error == f"it was begun {MOST_TRIES} times, and its process ended each time before it did"


async def test_what_a_process_finds_that_was_too_slow_is_not_kept(small_desk: LiveDesk) -> None:
    desk = small_desk
    await desk.said("bye")
    async with desk.open() as (context, _):
        (slow,) = await context.store.reviews().take("slow", limit=1)
    desk.later(seconds=HOLD_S + 1)
    assert (await desk.tick()).reviewed == 1
    async with desk.open() as (context, _):
        await context.store.reviews().finish(slow, "slow", Judged(), units=9)
        await context.store.reviews().put_off(slow, "slow", "late", Judged(), seconds=1)
    review = await only_review(desk)
    assert (review.verdict, review.units, review.error) == (ReviewVerdict.PASSED, 1, None)

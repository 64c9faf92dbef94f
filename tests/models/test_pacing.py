"""One rate limit slows every call to its endpoint, and no other; what waits is no error and takes nobody's time."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.models.asking import SteppingClock, agent_asks
from tests.servers.openai_compatible import ChatServer, Reply, chat_server, said

from greenroom.documents.agent import ModelChoice
from greenroom.errors import ModelUnreachable
from greenroom.models.model import Model
from greenroom.models.opening import Models
from greenroom.models.pacing import Pacing
from greenroom.models.retries import PassingFault, RetryPolicy, with_retries
from greenroom.models.time_limits import TimeLimit, Waits


def limit(seconds: str) -> Reply:
    return Reply(status=429, headers={"Retry-After": seconds}, body=b'{"error": {"message": "slow down"}}')


@pytest.fixture
async def server() -> AsyncGenerator[ChatServer]:
    async with chat_server() as found:
        yield found


async def opened(models: Models, server: ChatServer, name: str = "busy", **choice: float) -> Model:
    return await models.open(ModelChoice.model_validate({"name": f"openai:{name}@{server.url}", **choice}))


async def test_nobody_asks_an_endpoint_before_the_time_it_gave_to_one_of_them(
    tmp_path: Path, server: ChatServer
) -> None:
    """The agent and a judge that is asked at another temperature are limited together; another model is not."""
    server.answer(limit("20"))
    clock = SteppingClock(holds=True)
    async with Models(tmp_path, {}, clock) as models:
        agent, judge = await opened(models, server), await opened(models, server, temperature=0.5)
        first = asyncio.create_task(agent.ask(agent_asks("hi")))
        await clock.until_asleep()
        others = [asyncio.create_task(model.ask(agent_asks("hi"))) for model in (agent, judge) for _ in range(15)]
        free = await (await opened(models, server, "free")).ask(agent_asks("hi"))
        assert (free.attempts, len(server.asked), models.pacing.waits.total_s) == (1, 2, 0.0)

        clock.wake.set()
        answers = await asyncio.gather(first, *others)
        assert [answer.attempts for answer in answers] == [2, *[1] * 30]
        assert len(server.asked) == 33
        assert 20.0 <= models.pacing.waits.total_s < 21.0


async def test_after_a_limit_fewer_ask_at_once_and_then_as_many_as_before(tmp_path: Path, server: ChatServer) -> None:
    """An endpoint that takes four at once answers all of sixteen, though each gives up after four failures."""
    server.room = 4
    async with Models(tmp_path, {}, SteppingClock()) as models:
        model = await opened(models, server)
        server.answer(*[Reply(text="ok", seconds=0.002)] * 16)
        answers = await asyncio.gather(*(model.ask(agent_asks("hi")) for _ in range(16)))
        assert [answer.text for answer in answers] == ["ok"] * 16

        server.room = None
        server.most_in_flight = 0
        await asyncio.gather(*(model.ask(agent_asks("hi")) for _ in range(200)))
        server.answer(*[Reply(text="ok", seconds=0.2)] * 16)
        await asyncio.gather(*(model.ask(agent_asks("hi")) for _ in range(16)))
        assert server.most_in_flight == 16


async def test_half_as_many_go_on_and_each_answer_makes_room_for_more() -> None:
    clock = SteppingClock()
    pace = Pacing(clock).of("busy")
    for _ in range(8):
        await pace.enter("talk", 60)
    for _ in range(8):
        pace.leave(answered=False)
        pace.limited(0, 5.0, "slow down")
    calls = [asyncio.create_task(pace.enter("talk", 60)) for _ in range(8)]

    async def let_go() -> int:
        for _ in range(50):
            await asyncio.sleep(0)  # noqa: TID251 - whoever may go goes
        return sum(call.done() for call in calls)

    assert await let_go() == 4, "all eight tell of one limit"
    assert clock.passed == 5.0
    pace.leave(answered=False)
    assert await let_go() == 5
    for _ in range(4):
        pace.leave(answered=True)
    assert await let_go() == 8


async def test_an_endpoint_that_limits_everything_is_given_up_on(tmp_path: Path, server: ChatServer) -> None:
    server.room = 0
    async with Models(tmp_path, {}, SteppingClock()) as models:
        model = await opened(models, server)
        ended = await asyncio.gather(*(model.ask(agent_asks("hi")) for _ in range(3)), return_exceptions=True)
        assert [str(each).endswith("answered 429: {} (after 4 tries)") for each in ended] == [True] * 3


@pytest.mark.parametrize(("beside", "tries"), [(True, 10), (False, 4)])
async def test_a_limited_try_counts_only_when_nobody_got_through_meanwhile(*, beside: bool, tries: int) -> None:
    """Whether a call ends well must not depend on how many are made beside it."""
    clock = SteppingClock()
    pace = Pacing(clock).of("busy")

    async def attempt(number: int) -> int:
        if number == 10:
            return number
        if beside:
            pace.answers += 1
        raise PassingFault("slow down", limits=True)

    try:
        made = (await with_retries("busy", clock, RetryPolicy(), attempt, pace=pace)).attempts
    except ModelUnreachable as fault:
        made = fault.attempts
    assert made == tries


@pytest.mark.parametrize(
    ("reply", "shared"),
    [
        (Reply(status=503, headers={"Retry-After": "9"}, body=b"{}"), True),
        (Reply(status=503, body=b'{"error": {"message": "The model is overloaded"}}'), True),
        (Reply(status=529, body=b"{}"), True),
        (Reply(status=503, body=b"{}"), False),
        (Reply(status=500, headers={"Retry-After": "9"}, body=b"{}"), False),
    ],
)
async def test_what_says_that_it_is_asked_too_much_holds_everybody_back(
    tmp_path: Path, server: ChatServer, reply: Reply, *, shared: bool
) -> None:
    server.answer(reply)
    clock = SteppingClock(holds=True)
    async with Models(tmp_path, {}, clock) as models:
        model = await opened(models, server)
        first = asyncio.create_task(model.ask(agent_asks("hi")))
        await clock.until_asleep()
        second = asyncio.create_task(model.ask(agent_asks("hi")))
        if not shared:
            assert (await second).attempts == 1
        clock.wake.set()
        assert [answer.text for answer in await asyncio.gather(first, second)] == ["ok", "ok"]
        assert (models.pacing.waits.total_s > 0) is shared


async def test_a_wait_that_is_too_long_is_told_to_everybody_without_asking_again(
    tmp_path: Path, server: ChatServer
) -> None:
    """Some minutes later somebody asks again: a server goes on for months."""
    server.answer(limit("86400"))
    clock = SteppingClock()
    async with Models(tmp_path, {}, clock) as models:
        model = await opened(models, server)
        for told in ("asks to wait 86400 s, longer than the 60 s we wait", "asks to wait 300 s, longer than the 60 s"):
            with pytest.raises(ModelUnreachable, match=told):
                await model.ask(agent_asks("hi"))
        assert len(server.asked) == 1
        assert models.pacing.shut.endswith("asks to wait 86400 s, longer than the 60 s we wait")
        clock.passed = 290.0
        server.answer(said("here again"))
        assert (await model.ask(agent_asks("hi"))).text == "here again"


async def test_whoever_is_first_in_line_may_be_stopped(tmp_path: Path, server: ChatServer) -> None:
    """The next one watches the time then, and nothing is left waiting."""
    server.answer(limit("20"))
    clock = SteppingClock(holds=True)
    async with Models(tmp_path, {}, clock) as models:
        model = await opened(models, server)
        first = asyncio.create_task(model.ask(agent_asks("hi")))
        await clock.until_asleep()
        second = asyncio.create_task(model.ask(agent_asks("hi")))
        clock.asleep.clear()
        first.cancel()
        await clock.until_asleep()
        clock.wake.set()
        assert (await second).text == "ok"
        assert first.cancelled()


async def test_a_time_limit_stands_still_while_its_conversation_is_held_back_and_only_then() -> None:
    waits, clock, over = Waits(SteppingClock()), SteppingClock(), asyncio.Event()

    async def longer_than_the_limit() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await over.wait()

    async with TimeLimit(0.05, clock, waits, "ours") as limited:
        with waits.held_back("ours"), waits.held_back("ours"):
            clock.passed += 7.0
            await longer_than_the_limit()
    assert (limited.expired(), limited.stood_still_s) == (False, 7.0)

    limited = TimeLimit(0.05, clock, waits, "ours")
    with pytest.raises(TimeoutError):
        async with limited:
            with waits.held_back("theirs"):
                await longer_than_the_limit()
    assert limited.expired()

"""Live conversations counted by day, through the gateway and the tick, on both databases."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.journeys.live_desk import LiveDesk, live_desk
from tests.servers.gateway import ECHO, document_of

from greenroom.conversation.channels import Channel
from greenroom.conversation.daily import DailyStatistics, Figures, Outcome, ReviewCounts
from greenroom.conversation.events import Opened, Tap, TapKind
from greenroom.errors import GreenroomError, NotFound, UsageError
from greenroom.operations.chat import ChatRequest, open_chat
from greenroom.operations.statistics import StatisticsRequest, daily_statistics
from greenroom.reports.daily import daily_json

ROME_AUTUMN = datetime(2026, 10, 24, 22, 0, tzinfo=UTC)
"""Midnight in Rome of the day that has 25 hours."""
ROME_SPRING = datetime(2026, 3, 28, 23, 0, tzinfo=UTC)
"""Midnight in Rome of the day that has 23 hours."""


@pytest.fixture
async def desk(tmp_path: Path, database_url: str) -> LiveDesk:
    return await live_desk(tmp_path, database=database_url)


async def counted(desk: LiveDesk, **request: object) -> DailyStatistics:
    async with desk.open() as (context, _):
        return await daily_statistics(context, StatisticsRequest(**request))  # pyright: ignore[reportArgumentType]


async def today(desk: LiveDesk) -> Figures:
    (only,) = (await counted(desk, days=1)).days
    return only.figures


async def test_every_conversation_has_one_outcome_on_the_day_on_which_it_began(desk: LiveDesk) -> None:
    await desk.said("bye", conversation="ended")
    await desk.said("human", conversation="handed-over")
    await desk.said("Hi", conversation="silent")
    desk.later(hours=20)
    await desk.said("Hi", conversation="open", channel=Channel.SMS)
    desk.later(hours=10)
    await desk.tick()

    first, second = (await counted(desk, days=2)).days

    assert (first.day, second.day) == (date(2026, 11, 30), date(2026, 12, 1))
    assert first.figures.begun == {"web": 3}
    assert first.figures.outcomes == {Outcome.ENDED: 1, Outcome.HANDED_OVER: 1, Outcome.SILENT: 1}
    assert second.figures.begun == {"sms": 1}
    assert second.figures.outcomes == {Outcome.OPEN: 1}


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        ({"tool": "end_conversation", "arguments": {"resolved": True}}, Outcome.RESOLVED),
        ({"tool": "end_conversation", "arguments": {"resolved": False}}, Outcome.ENDED),
    ],
)
async def test_what_is_resolved_is_told_from_what_is_only_over(tmp_path: Path, call: object, outcome: Outcome) -> None:
    desk = await live_desk(tmp_path, rules=[{"reply": "Done.", "calls": [call]}])
    await desk.said("thanks")
    assert (await today(desk)).outcomes == {outcome: 1}


async def test_messages_are_counted_by_channel_also_those_that_nobody_answered(desk: LiveDesk) -> None:
    tap = Tap(tapped=TapKind.CHIP, label="North", value="North")
    await desk.did(Opened())
    await desk.said("Hi")
    await desk.did(tap)
    await desk.said("human")
    await desk.said("are you there?", "hello?")
    await desk.said("marinas", conversation="d", channel=Channel.SMS)
    with pytest.raises(GreenroomError):
        await desk.said("break", conversation="e", channel=Channel.SMS)

    figures = await today(desk)

    assert figures.messages_in == {"web": 5, "sms": 2}
    assert figures.messages_out == {"web": 4, "sms": 1}
    assert sum(figures.turn_times.values()) == 4


async def test_a_message_that_comes_twice_counts_once(desk: LiveDesk) -> None:
    await desk.said("Hi")
    desk.numbers = iter([1])
    await desk.said("Hi")
    figures = await today(desk)
    assert (figures.messages_in, figures.messages_out) == ({"web": 1}, {"web": 1})


async def test_reviews_are_counted_on_the_day_of_the_closing_the_newest_of_each(
    tmp_path: Path, database_url: str
) -> None:
    desk = await live_desk(tmp_path, database=database_url, review=["Polite."])
    for name, word in (("a", "pass"), ("b", "fail"), ("c", "unknown")):
        desk.judged_by({"verdicts": word})
        await desk.said("bye", conversation=name)
        await desk.tick()
    await desk.said("Hi", conversation="again")
    desk.judged_by({"verdicts": "fail"})
    desk.later(hours=25)
    await desk.tick()
    desk.judged_by({"verdicts": "pass"})
    await desk.said("bye", conversation="again")
    await desk.said("bye", conversation="waits")
    assert (await today(desk)).reviews == ReviewCounts(waiting=2)
    await desk.tick()

    period = await counted(desk, days=2)

    first, second = (each.figures.reviews for each in period.days)
    assert first == ReviewCounts(passed=1, failed=1, unknown=1)
    assert first.pass_rate == 0.5
    assert second == ReviewCounts(passed=2)
    assert period.total.reviews == ReviewCounts(passed=3, failed=1, unknown=1)
    assert ReviewCounts(unknown=3).pass_rate is None


@pytest.mark.requirement("A7")
async def test_a_chat_in_the_sandbox_never_counts_and_a_live_one_does(desk: LiveDesk) -> None:
    async with desk.open() as (context, _):
        async with open_chat(context, ChatRequest(agent="desk")) as chat:
            await chat.say("Hi")
            assert await today(desk) == Figures()
        async with open_chat(context, ChatRequest(agent="desk", live=True)) as chat:
            await chat.say("bye")
    figures = await today(desk)
    assert (figures.begun, figures.messages_in, figures.messages_out) == ({"web": 1}, {"web": 1}, {"web": 2})
    assert figures.outcomes == {Outcome.ENDED: 1}


@pytest.mark.requirement("A7")
async def test_the_sandbox_is_counted_by_itself_while_its_chats_go_on(tmp_path: Path, database_url: str) -> None:
    """Asked for, it is all that is counted; not a figure of it stands among live ones, nor the other way round."""
    start = ROME_AUTUMN + timedelta(days=40, hours=10)
    book = {"tool": "book_appointment", "arguments": {"title": "Boat", "start": start.isoformat()}}
    rules = [{"when": {"answered": "book_appointment"}, "reply": "Done."}, {"when": {"last": "book"}, "calls": [book]}]
    hours = {"hours": {"daily": "00:00-24:00"}}
    desk = await live_desk(tmp_path, database=database_url, rules=[*rules, *ECHO], scheduling=hours)
    await desk.said("Hi", "Hello?", conversation="live", channel=Channel.SMS)
    live = await today(desk)
    async with desk.open() as (context, _):
        async with open_chat(context, ChatRequest(agent="desk")) as chat:
            await chat.say("book")
            for request in (StatisticsRequest(sandbox=True), StatisticsRequest(sandbox=True, agent="desk")):
                there = await daily_statistics(context, request)
                assert (there.total.begun, there.total.outcomes) == ({"web": 1}, {Outcome.OPEN: 1})
                assert (there.total.messages_in, there.total.messages_out) == ({"web": 1}, {"web": 2})
                assert there.total.appointments_booked == 1
            assert await today(desk) == live
        assert (await daily_statistics(context, StatisticsRequest(sandbox=True))).total == Figures()


async def test_turn_records_that_are_dropped_change_no_figure(desk: LiveDesk) -> None:
    await desk.said("Hi", "bye")
    before = await today(desk)
    day = desk.now.date()
    desk.later(days=100)
    assert (await desk.tick()).records_dropped == 2
    (then,) = (await counted(desk, since=day, until=day)).days
    assert then.figures == before


@pytest.mark.parametrize(("midnight", "hours"), [(ROME_AUTUMN, 25), (ROME_SPRING, 23)])
async def test_a_day_on_which_clocks_are_changed_has_as_many_hours_as_it_has(
    tmp_path: Path, database_url: str, midnight: datetime, hours: int
) -> None:
    """One conversation in its first minute, one in its last, and one on each side of it."""
    desk = await live_desk(tmp_path, database=database_url, time_zone="Europe/Rome")
    end = midnight + timedelta(hours=hours)
    moments = (-1, 0, hours * 60 - 1, hours * 60)
    for number, minute in enumerate(moments):
        desk.now = midnight + timedelta(minutes=minute)
        await desk.said("Hi", conversation=f"c{number}")
    desk.now = end + timedelta(hours=1)

    period = await counted(desk, agent="desk", days=3)

    assert period.time_zone == "Europe/Rome"
    assert [sum(each.figures.begun.values()) for each in period.days] == [1, 2, 1]
    assert [sum(each.figures.messages_in.values()) for each in period.days] == [1, 2, 1]


async def test_days_are_the_project_s_for_all_agents_and_the_agent_s_for_one(tmp_path: Path) -> None:
    desk = await live_desk(tmp_path, time_zone="Pacific/Auckland")
    desk.now = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)
    await desk.said("Hi")
    of_all, of_desk = await counted(desk, days=1), await counted(desk, days=1, agent="desk")
    assert (of_all.time_zone, of_all.days[0].day) == ("UTC", date(2026, 11, 30))
    assert (of_desk.time_zone, of_desk.days[0].day) == ("Pacific/Auckland", date(2026, 12, 1))
    assert of_all.total == of_desk.total != Figures()


async def test_one_agent_is_counted_apart_from_the_others(desk: LiveDesk) -> None:
    desk.maker.write("agents/kiosk.yaml", {**document_of(desk.maker), "agent": "kiosk", "name": "Kiosk"})
    await desk.said("Hi")
    assert (await counted(desk, agent="desk")).total == (await counted(desk)).total
    assert (await counted(desk, agent="kiosk")).total == Figures()
    with pytest.raises(NotFound, match="there is no agent 'dask'; did you mean 'desk'"):
        await counted(desk, agent="dask")


async def test_days_without_anything_are_there_with_zeros(desk: LiveDesk) -> None:
    await desk.said("Hi")
    desk.later(days=3)
    told = daily_json(await counted(desk))
    assert [day["day"] for day in told["days"]] == [f"2026-11-{n}" for n in (27, 28, 29, 30)] + [
        "2026-12-01",
        "2026-12-02",
        "2026-12-03",
    ]
    assert [day["begun"] for day in told["days"]] == [0, 0, 0, 1, 0, 0, 0]
    empty = told["days"][0]
    assert empty["outcomes"] == dict.fromkeys(Outcome, 0)
    assert empty["turn_seconds"] == {"median": None, "p95": None}
    assert empty["reviews"]["pass_rate"] is None


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ({}, "2026-11-24", "2026-11-30"),
        ({"days": 30}, "2026-11-01", "2026-11-30"),
        ({"since": date(2026, 11, 29)}, "2026-11-29", "2026-11-30"),
        ({"since": date(2026, 2, 28), "days": 2}, "2026-02-28", "2026-03-01"),
        ({"until": date(2026, 11, 2), "days": 3}, "2026-10-31", "2026-11-02"),
        ({"since": date(2024, 2, 29), "until": date(2024, 3, 1)}, "2024-02-29", "2024-03-01"),
    ],
)
async def test_a_period_is_said_in_days(tmp_path: Path, asked: dict[str, object], first: str, last: str) -> None:
    told = daily_json(await counted(await live_desk(tmp_path), **asked))
    assert (told["since"], told["until"]) == (first, last)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"since": date(2026, 12, 2)}, "2026-12-02 lies after 2026-11-30"),
        ({"since": date(2020, 1, 1)}, "2020-01-01 to 2026-11-30 are 2526 days; at most 1100"),
        ({"since": date(2026, 1, 1), "until": date(2026, 1, 3), "days": 3}, "together say too much"),
        ({"days": 0}, "0 days are asked for"),
        ({"until": date(9999, 12, 31)}, "beyond what a calendar holds"),
        ({"until": date(1, 1, 3)}, "beyond what a calendar holds"),
    ],
)
async def test_a_period_that_is_none_is_refused(tmp_path: Path, asked: dict[str, object], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        await counted(await live_desk(tmp_path), **asked)

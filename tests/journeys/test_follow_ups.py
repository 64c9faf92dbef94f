"""Follow-ups: what a live agent says after a silence, in the same conversation (features.md A7, A10)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.days import Desk, desk_at
from tests.stores import Statements

from greenroom.conversation.channels import Channel
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.turns import StopReason
from greenroom.operations.conversations import ConversationsRequest, list_conversations, show_conversation
from greenroom.operations.people import PeopleRequest, list_people
from greenroom.reports.lines import plain
from greenroom.reports.live import conversation_lines
from greenroom.store.timers import TimerFilter

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
NUDGE = "Are you still there?"


def nudge(**more: object) -> dict[str, object]:
    """An agent with one follow-up."""
    return {"follow_ups": {"nudge": {"after": "4h", "message": NUDGE, **more}}}


async def ends(desk: Desk) -> list[str]:
    """What became of each follow-up, the first one first."""
    page = await desk.context.store.timers().page(TimerFilter(kind=OwnMessageKind.FOLLOW_UP))
    return [f"{timer.name}: {timer.why or timer.status.value}" for timer in reversed(page.timers)]


@pytest.mark.requirement("A8")
async def test_after_a_silence_the_person_is_asked_once_in_the_same_conversation(
    tmp_path: Path, database_url: str
) -> None:
    async with desk_at(tmp_path, NOON, agent=nudge(), database=database_url) as desk:
        await desk.says("Hello")
        said = [(await desk.ticks(NOON + timedelta(minutes=minutes))).said for minutes in (60, 239, 240, 241, 600)]
        assert said == [0, 0, 1, 0, 0]
        await desk.says("Yes!")
        assert desk.texts == ["You said: Hello", NUDGE]
        await desk.ticks()
        assert await desk.transcripts() == [
            [
                "Person: Hello",
                "Agent: You said: Hello",
                "[outbound message: nudge]",
                f"Agent: {NUDGE}",
                "Person: Yes!",
                "Agent: You said: Yes!",
            ]
        ]
        assert (await desk.ticks(NOON + timedelta(hours=20))).said == 0
        assert await ends(desk) == ["nudge: done"]
        page = await list_conversations(desk.context, ConversationsRequest())
        shown = await show_conversation(desk.context, page.conversations[0].conversation)
        assert "follow-up  nudge  2026-05-04 16:00 UTC  sent" in list(plain(conversation_lines(shown)))


async def test_it_is_said_as_often_as_it_may_be_each_time_after_so_much_silence(
    tmp_path: Path, database_url: str
) -> None:
    agent = nudge(at_most=3, hours="00:00-24:00")
    async with desk_at(tmp_path, NOON, agent=agent, database=database_url) as desk:
        await desk.says("Hello")
        said = [
            hour
            for hour in (3, 4, 5, 7, 8, 11, 12, 15, 16, 20)
            if (await desk.ticks(NOON + timedelta(hours=hour))).said
        ]
        assert said == [4, 8, 12]
        assert await ends(desk) == ["nudge: done", "nudge/2: done", "nudge/3: done"]


async def test_a_conversation_that_is_followed_up_already_costs_nothing_each_minute(
    tmp_path: Path, database_url: str
) -> None:
    """One whose follow-up waits, was skipped or was said: with thousands of them a tick would take longer than that."""
    async with desk_at(tmp_path, NOON, agent=nudge(hours="08:00-12:30"), database=database_url) as desk:
        for number in range(5):
            await desk.says("Hello", identity=f"person {number}")
        assert (await desk.ticks(NOON + timedelta(hours=5))).said == 0
        asked = Statements(desk.context.store.database.readers)
        assert (await desk.ticks(NOON + timedelta(hours=6))).said == 0
        assert [query for query, _ in asked.queries if "conversation_turns" in query] == []
        assert (await desk.ticks(NOON + timedelta(hours=20))).said == 5
        asked = Statements(desk.context.store.database.readers)
        assert (await desk.ticks(NOON + timedelta(hours=24, minutes=1))).said == 0
        assert [query for query, _ in asked.queries if "conversation_turns" in query] == []


async def test_nobody_is_asked_who_was_not_answered_or_spoke_last(tmp_path: Path) -> None:
    """The model failed at Ben's line, so it is the agent's turn."""
    rules = [{"when": {"last": "break"}, "fault": "rejected"}, {"reply": "You said: {{last}}"}]
    async with desk_at(tmp_path, NOON, agent=nudge(), rules=rules) as desk:
        await desk.says("Hello", identity="ben")
        desk.clock.at += timedelta(minutes=1)
        with pytest.raises(Exception, match="was not answered"):
            await desk.says("break", identity="ben")
        desk.clock.at += timedelta(hours=5)
        assert (await desk.ticks()).said == 0


async def test_it_waits_for_the_morning_and_is_cancelled_when_the_person_speaks_by_night(
    tmp_path: Path, database_url: str
) -> None:
    """A silence of four hours from 18:00 on is over at 22:00; the clocks of Chicago are changed that night."""
    chicago = ZoneInfo("America/Chicago")
    evening = datetime(2026, 3, 7, 18, 0, tzinfo=chicago)
    agent = {**nudge(), "time_zone": "America/Chicago"}
    async with desk_at(tmp_path, evening, agent=agent, database=database_url) as desk:
        await desk.says("Hello", identity="ana")
        await desk.says("Hello", identity="ben")
        start = evening.astimezone(UTC)
        at = [start + timedelta(hours=count) for count in (3, 4, 10, 11, 12, 13, 14)]
        said: list[str] = []
        for moment in at:
            if moment == start + timedelta(hours=11):
                desk.clock.at = moment
                await desk.says("Good night", identity="ben")
            if count := (await desk.ticks(moment)).said:
                said.append(f"{count} at {moment.astimezone(chicago):%H:%M}")
        assert said == ["1 at 08:00"]
        assert sorted(await ends(desk)) == ["nudge: done", "nudge: the person has spoken"]

        # What was cancelled was never said and counts for nothing: Ben is asked after his next silence.
        assert (await desk.ticks(datetime(2026, 3, 8, 10, 0, tzinfo=chicago))).said == 1
        assert sorted(await ends(desk)) == ["nudge: done", "nudge: done"]


async def test_a_conversation_stays_open_while_its_follow_up_waits_for_the_morning(tmp_path: Path) -> None:
    """`after` and `close_after` end in the same night; the follow-up comes first, and the closing a day after it."""
    agent = {**nudge(after="24h")}
    midnight = datetime(2026, 5, 4, 23, 0, tzinfo=UTC)
    async with desk_at(tmp_path, midnight, agent=agent) as desk:
        await desk.says("Hello")
        closed: dict[int, tuple[int, int]] = {}
        for hours in (23, 24, 25, 32, 33, 34, 56, 57, 58, 59):
            ticked = await desk.ticks(midnight + timedelta(hours=hours))
            closed |= {hours: (ticked.said, ticked.closed)} if ticked.said or ticked.closed else {}
        assert closed == {33: (1, 0), 58: (0, 1)}


@pytest.mark.parametrize(
    ("line", "why"), [("bye", "the conversation has ended"), ("human", "the conversation was handed over")]
)
async def test_a_conversation_that_is_over_gets_none(tmp_path: Path, line: str, why: str) -> None:
    rules: list[object] = [
        {"when": {"last": "bye"}, "reply": "Bye.", "calls": [{"tool": "end_conversation", "arguments": {}}]},
        {"when": {"last": "human"}, "reply": "So.", "calls": [{"tool": "hand_over", "arguments": {"reason": "r"}}]},
        {"reply": "Hello."},
    ]
    agent = nudge(hours="10:00-11:00")
    async with desk_at(tmp_path, NOON, agent=agent, rules=rules) as desk:
        await desk.says("Hello")
        await desk.ticks(hours=5)
        assert await ends(desk) == ["nudge: waiting"]
        await desk.says(line)
        assert (await desk.ticks(NOON + timedelta(hours=22, minutes=30))).said == 0
        assert await ends(desk) == [f"nudge: {why}"]


async def test_only_in_the_playbooks_and_for_the_people_that_it_is_for(tmp_path: Path, database_url: str) -> None:
    rules = [
        {"when": {"role": "router", "last": "money"}, "reply": "refunds"},
        {"when": {"role": "router"}, "reply": "b"},
    ]
    agent = {
        **nudge(playbooks="refunds", to={"status": "lead"}),
        "playbooks": {"booking": {"when": "A boat."}, "refunds": {"when": "Money back."}},
    }
    said = [*rules, {"reply": "You said: {{last}}"}]
    async with desk_at(tmp_path, NOON, agent=agent, rules=said, database=database_url) as desk:
        await desk.person("sms:ana", status="lead", consent=None)
        await desk.person("sms:ben", status="lead", consent=False)
        await desk.person("sms:cleo", status="customer")
        await desk.person("sms:dan", status="lead")
        for name in ("ana", "ben", "cleo"):
            await desk.says("money", identity=name)
        await desk.says("boat", identity="dan")
        assert (await desk.ticks(hours=4)).said == 1
        assert desk.bodies[-1]["identity"] == "ana"


async def test_on_a_channel_by_which_nothing_leaves_nobody_can_be_asked(tmp_path: Path) -> None:
    async with desk_at(tmp_path, NOON, agent=nudge()) as desk:
        await desk.says("Hello", channel=Channel.WEB)
        assert (await desk.ticks(hours=4)).said == 0


async def test_after_a_downtime_of_days_nobody_is_asked_any_more(tmp_path: Path) -> None:
    async with desk_at(tmp_path, NOON, agent=nudge()) as desk:
        await desk.says("Hello")
        ticked = await desk.ticks(days=3)
        assert (ticked.said, ticked.closed) == (0, 1)
        assert await ends(desk) == []


async def test_many_silences_are_answered_over_some_minutes(tmp_path: Path) -> None:
    agent = nudge(after="24h")
    async with desk_at(tmp_path, NOON, agent=agent, limits={"own_messages": 3}) as desk:
        for number in range(7):
            await desk.says("Hello", identity=f"p{number}")
        ticks = [await desk.ticks(NOON + timedelta(hours=24, minutes=minute)) for minute in range(4)]
        assert [(ticked.said, ticked.closed) for ticked in ticks] == [(3, 0), (3, 0), (1, 0), (0, 0)]


async def test_the_person_who_went_on_elsewhere_is_not_asked_in_the_old_conversation(tmp_path: Path) -> None:
    agent = nudge(after="24h")
    evening = datetime(2026, 5, 4, 22, 0, tzinfo=UTC)
    async with desk_at(tmp_path, evening, agent=agent) as desk:
        await desk.says("Hello")
        await desk.ticks(hours=24, minutes=1)
        assert await ends(desk) == ["nudge: waiting"]
        desk.clock.at += timedelta(hours=1)
        await desk.says("Hello again")
        page = await list_conversations(desk.context, ConversationsRequest())
        assert len(page.conversations) == 2
        await desk.ticks(datetime(2026, 5, 6, 8, 0, tzinfo=UTC))
        assert await ends(desk) == ["nudge: the person went on in another conversation"]


async def test_one_that_refuses_in_the_meantime_is_not_asked(tmp_path: Path) -> None:
    evening = datetime(2026, 5, 4, 18, 0, tzinfo=UTC)
    async with desk_at(tmp_path, evening, agent=nudge()) as desk:
        ana = await desk.person("sms:ana", consent=None)
        await desk.says("Hello")
        await desk.ticks(hours=5)
        await desk.agrees(ana, False)
        await desk.ticks(datetime(2026, 5, 5, 8, 0, tzinfo=UTC))
        assert await ends(desk) == ["nudge: it is not for this person any more"]


async def test_a_follow_up_that_is_published_no_more_is_cancelled(tmp_path: Path) -> None:
    evening = datetime(2026, 5, 4, 18, 0, tzinfo=UTC)
    async with desk_at(tmp_path, evening, agent=nudge()) as desk:
        await desk.says("Hello")
        await desk.ticks(hours=5)
        await desk.republish(follow_ups={})
        await desk.ticks(hours=1)
        assert await ends(desk) == ["nudge: the agent has it no longer"]


@pytest.mark.requirement("A5", "A7")
async def test_after_a_stop_by_sms_nothing_is_said_but_what_confirms_it_also_when_the_team_has_the_conversation(
    tmp_path: Path,
) -> None:
    """Ana had a talk, Ben was handed over, Cleo writes for the first time: each says STOP, and Ana START later."""
    rules = [
        {"when": {"last": "human"}, "reply": "So.", "calls": [{"tool": "hand_over", "arguments": {"reason": "r"}}]},
        {"reply": "You said: {{last}}"},
    ]
    agent = {
        **nudge(),
        "outreach": {"spring": {"to": {"consent.messages": True}, "opening": "Spring!"}},
        "channels": {
            "sms": {"secret": "${CHANNEL_SECRET}", "outbound": "${OUTBOUND}", "words": {"stopped": "No more."}}
        },
        "people": {"auto_create": False},
    }
    async with desk_at(tmp_path, NOON, agent=agent, rules=rules) as desk:
        for name in ("ana", "ben"):
            await desk.person(f"sms:{name}", first_name=name)
        await desk.says("Hello", identity="ana")
        await desk.says("human", identity="ben")
        ended = [(await desk.says("STOP", identity=name)).ended for name in ("ana", "ben", "cleo")]
        assert ended == [None, StopReason.HANDED_OVER, None]
        ticks = [(await desk.ticks(NOON + timedelta(hours=hours))).said for hours in (2, 4, 6)]
        assert ticks == [0, 0, 0]
        assert sorted(desk.texts) == ["No more.", "No more.", "No more.", "So.", "You said: Hello"]
        people = await list_people(desk.context, PeopleRequest(where=("consent.messages: false",)))
        assert len(people.people) == 3
        page = await list_conversations(desk.context, ConversationsRequest())
        assert {one.identity: one.ended for one in page.conversations}["sms:ben"] is StopReason.HANDED_OVER

        await desk.says("Start", identity="ana")
        assert (await desk.ticks(minutes=61)).said == 1
        assert desk.texts[-1] == "Spring!"

"""Outreach: a live agent begins conversations by itself, once with each person (features.md A7, A8, A10)."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import psycopg
import pytest
from sqlalchemy import text
from tests.days import Desk, desk_at
from tests.servers.gateway import eventually

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Tap, TapKind
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.timers import TimerStatus
from greenroom.operations.conversations import ConversationsRequest, list_conversations, show_conversation
from greenroom.operations.outreach_lists import OutreachRequest, list_outreach, preview_outreach
from greenroom.operations.people import change_person
from greenroom.store.locks import Turn
from greenroom.store.partition import Partition
from greenroom.store.timers import TimerFilter

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
PLAYBOOKS: Mapping[str, object] = {
    "booking": {"when": "The person wants a boat.", "prompt": "BOOKING"},
    "refunds": {"when": "The person wants money back.", "prompt": "REFUNDS"},
}
LEADS: Mapping[str, object] = {"status": "lead", "consent.messages": True}


def outreach(**more: object) -> dict[str, object]:
    """One outreach, with everything else that an agent needs for it."""
    opening = "Hello {{person.first_name}}, the season opens."
    return {"outreach": {"spring": {"to": LEADS, "opening": opening, **more}}, "playbooks": PLAYBOOKS}


async def ends(desk: Desk) -> dict[str, str | None]:
    """Everybody who has a timer, and what became of it."""
    page = await desk.context.store.timers().page(TimerFilter(kind=OwnMessageKind.OUTREACH))
    return {timer.subject: timer.why or timer.status.value for timer in page.timers}


@pytest.mark.requirement("A8")
async def test_everybody_in_the_segment_gets_it_once_and_the_answer_is_served_in_its_playbook(
    tmp_path: Path, database_url: str
) -> None:
    rules = [{"when": {"role": "router"}, "reply": "refunds"}, {"reply": "You said: {{last}}"}]
    async with desk_at(tmp_path, NOON, agent=outreach(playbook="booking"), rules=rules, database=database_url) as desk:
        await desk.person("sms:ana", first_name="Ana", status="lead")
        await desk.person("sms:ben", first_name="Ben", status="customer")
        await desk.person("rich:cleo", first_name="Cleo", status="lead")

        ticked = await desk.ticks()
        assert (ticked.said, ticked.delivered) == (2, 2)
        assert sorted(desk.texts) == ["Hello Ana, the season opens.", "Hello Cleo, the season opens."]
        assert {(one["channel"], one["identity"]) for one in desk.bodies} == {("sms", "ana"), ("rich", "cleo")}

        await desk.says("A boat please", identity="ana")
        assert (await desk.ticks(minutes=1)).said == 0
        assert (await desk.ticks(days=30)).said == 0

        first, second = sorted(await desk.transcripts(), key=len)
        assert first == ["[outbound message: spring]", "Agent: Hello Cleo, the season opens."]
        assert second == [
            "[outbound message: spring]",
            "Agent: Hello Ana, the season opens.",
            "Person: A boat please",
            "Agent: You said: A boat please",
        ]
        page = await list_conversations(desk.context, ConversationsRequest())
        turns = [(await show_conversation(desk.context, one.conversation)).turns for one in page.conversations]
        assert sorted([kept.turn.playbook for kept in each] for each in turns) == [["booking"], ["booking", "booking"]]
        assert {effect.captured for each in turns for kept in each for effect in kept.turn.effects} == {False}
        assert sorted(one.turns for one in page.conversations) == [0, 1]


@pytest.mark.requirement("A8")
async def test_a_rich_opening_can_be_tapped(tmp_path: Path) -> None:
    """`marinas` is one of the desk's templates; on SMS the same is words."""
    async with desk_at(tmp_path, NOON, agent=outreach(opening="marinas")) as desk:
        await desk.person("rich:ana", first_name="Ana", status="lead")
        await desk.person("sms:ben", first_name="Ben", status="lead")
        await desk.ticks()
        by_channel = {one["channel"]: one["message"] for one in desk.bodies}
        kinds = [part["kind"] for part in by_channel["rich"]["parts"]]
        assert kinds == ["text", "carousel", "time_picker", "confirm", "chips"]
        assert "parts" not in by_channel["sms"]
        assert by_channel["sms"]["text"] == by_channel["rich"]["text"]

        tap = Tap(tapped=TapKind.CHIP, label="Book at North", value="Book at North", card="North")
        await desk.does(tap, identity="ana", channel=Channel.RICH)
        taps = ["Person: [tap: Book at North]", "Agent: You said: Book at North"]
        assert taps in [transcript[-2:] for transcript in await desk.transcripts()]


@pytest.mark.requirement("A7")
async def test_nobody_gets_it_without_consent_or_where_they_are_not_known(tmp_path: Path, database_url: str) -> None:
    """Whatever `to` says; a phone number on a record is no identity."""
    agent = outreach(to={"status": "lead"})
    async with desk_at(tmp_path, NOON, agent=agent, database=database_url) as desk:
        never_asked = await desk.person("sms:ana", status="lead", consent=None)
        await desk.person("sms:ben", status="lead", consent=False)
        unknown = await desk.person("web:cleo", status="lead", phone="+15550100")
        assert (await desk.ticks()).said == 0
        assert await ends(desk) == {}

        await desk.agrees(never_asked, True)
        await change_person(desk.context, unknown, {}, ["sms:cleo"])
        assert (await desk.ticks(minutes=1)).said == 2
        assert sorted(one["identity"] for one in desk.bodies) == ["ana", "cleo"]


async def test_the_first_channel_on_which_somebody_is_known_is_taken(tmp_path: Path) -> None:
    async with desk_at(tmp_path, NOON, agent=outreach(channel=["rich", "sms"])) as desk:
        await desk.person("sms:ana", "rich:ana-r", status="lead")
        await desk.person("sms:ben", status="lead")
        await desk.ticks()
        assert {one["identity"] for one in desk.bodies} == {"ana-r", "ben"}


@pytest.mark.requirement("A7")
async def test_consent_that_is_withdrawn_before_it_is_said_stops_it(tmp_path: Path, database_url: str) -> None:
    """Ana is being answered when it would be said, and withdraws before it is tried again."""
    async with desk_at(tmp_path, NOON, agent=outreach(), database=database_url) as desk:
        ana = await desk.person("sms:ana", first_name="Ana", status="lead")
        await desk.says("Hello")
        assert (await desk.ticks(minutes=5)).said == 0
        assert await ends(desk) == {ana: "waiting"}
        await desk.agrees(ana, False)
        (preview,) = await preview_outreach(desk.context, OutreachRequest(agent="desk"))
        assert preview.would_not == {"they refused messages": 1}
        assert (await desk.ticks(hours=2)).said == 0
        assert await ends(desk) == {ana: "the consent was withdrawn"}
        await desk.agrees(ana, True)
        assert (await desk.ticks(hours=2)).said == 0
        assert desk.texts == ["You said: Hello"]


async def test_an_open_conversation_is_not_broken_into_and_goes_on_with_it(tmp_path: Path, database_url: str) -> None:
    """After an hour of silence it is said in the conversation that is open; the router is not asked for the answer."""
    rules = [{"when": {"role": "router"}, "reply": "refunds"}, {"reply": "You said: {{last}}"}]
    async with desk_at(tmp_path, NOON, agent=outreach(playbook="booking"), rules=rules, database=database_url) as desk:
        await desk.person("sms:ana", first_name="Ana", status="lead")
        await desk.says("Hello")
        assert [(await desk.ticks(minutes=20)).said for _ in range(4)] == [0, 0, 1, 0]
        await desk.says("A boat")
        await desk.says("My money back")
        (only,) = await desk.transcripts()
        assert only == [
            "Person: Hello",
            "Agent: You said: Hello",
            "[outbound message: spring]",
            "Agent: Hello Ana, the season opens.",
            "Person: A boat",
            "Agent: You said: A boat",
            "Person: My money back",
            "Agent: You said: My money back",
        ]
        page = await list_conversations(desk.context, ConversationsRequest())
        kept = (await show_conversation(desk.context, page.conversations[0].conversation)).turns
        assert [each.turn.playbook for each in kept] == ["refunds", "booking", "booking", "refunds"]
        assert [each.turn.index for each in kept] == [1, 1, 2, 3]


async def test_a_conversation_that_the_team_has_taken_over_is_left_to_it(tmp_path: Path) -> None:
    rules = [{"calls": [{"tool": "hand_over", "arguments": {"reason": "asked"}}], "reply": "One moment."}]
    async with desk_at(tmp_path, NOON, agent={**outreach(), "playbooks": {}}, rules=rules) as desk:
        await desk.person("sms:ana", status="lead")
        await desk.says("A human please")
        assert [(await desk.ticks(hours=7)).said for _ in range(3)] == [0, 0, 0]
        assert (await desk.ticks(NOON + timedelta(days=2))).said == 1
        assert len(await desk.transcripts()) == 2


CHICAGO = ZoneInfo("America/Chicago")


@pytest.mark.parametrize("day", [datetime(2026, 3, 8, tzinfo=CHICAGO), datetime(2026, 11, 1, tzinfo=CHICAGO)])
async def test_it_is_said_by_day_as_clocks_show_it_also_when_they_are_changed(tmp_path: Path, day: datetime) -> None:
    """DST begins and ends on these days; a tick each half hour of the mornings, by real time."""
    agent = {**outreach(hours="08:00-08:45"), "time_zone": "America/Chicago"}
    async with desk_at(tmp_path, day, agent=agent, limits={"own_messages": 1}) as desk:
        for number in range(4):
            await desk.person(f"sms:p{number}", status="lead")
        said: list[str] = []
        start = day.astimezone(UTC)
        for half_hours in range(2 * 48):
            at = start + timedelta(minutes=30 * half_hours)
            if at.astimezone(CHICAGO).hour in {7, 8, 9} and (await desk.ticks(at)).said:
                said.append(at.astimezone(CHICAGO).strftime("%H:%M"))
        assert said == ["08:00", "08:30"] * 2


async def test_it_is_said_from_its_first_day_to_its_last_in_the_agent_s_zone(tmp_path: Path) -> None:
    agent = {
        **outreach(**{"from": "2026-05-05", "until": "2026-05-06", "hours": "00:00-24:00"}),
        "time_zone": "America/Chicago",
    }
    async with desk_at(tmp_path, NOON, agent=agent) as desk:
        first = await desk.person("sms:p1", status="lead")
        assert (await desk.ticks(datetime(2026, 5, 5, 4, 59, tzinfo=UTC))).said == 0
        assert (await desk.ticks(datetime(2026, 5, 5, 5, 0, tzinfo=UTC))).said == 1
        late = await desk.person("sms:p2", status="lead")
        await desk.says("Hello", identity="p2")
        assert (await desk.ticks(datetime(2026, 5, 5, 5, 30, tzinfo=UTC))).said == 0
        await desk.person("sms:p3", status="lead")
        assert (await desk.ticks(datetime(2026, 5, 7, 5, 0, tzinfo=UTC))).said == 0
        assert await ends(desk) == {first: "done", late: "its last day was 2026-05-06"}


async def test_weekly_hours_hold_too(tmp_path: Path) -> None:
    """The 4th of May 2026 is a Monday."""
    agent = outreach(hours={"tue": "22:00-02:00"})
    async with desk_at(tmp_path, NOON, agent=agent) as desk:
        await desk.person("sms:ana", status="lead")
        said = [(await desk.ticks(NOON + timedelta(hours=hours))).said for hours in (0, 24, 33, 40, 37)]
        assert said == [0, 0, 0, 0, 1]


@pytest.mark.requirement("A7")
async def test_after_a_downtime_people_are_not_flooded(tmp_path: Path, database_url: str) -> None:
    """Twelve people, five each minute; whoever was there first comes first."""
    async with desk_at(tmp_path, NOON, agent=outreach(), limits={"own_messages": 5}, database=database_url) as desk:
        for number in range(12):
            await desk.person(f"sms:p{number}", status="lead")
        assert [(await desk.ticks(minutes=1)).said for _ in range(4)] == [5, 5, 2, 0]
        assert {one["identity"] for one in desk.bodies[:5]} == {f"p{number}" for number in range(5)}
        assert len({one["identity"] for one in desk.bodies}) == 12


async def test_whoever_changes_so_that_it_is_for_them_gets_it_on_the_next_tick(
    tmp_path: Path, database_url: str
) -> None:
    """Long after they were looked at: by their status, their consent, a channel, and by what is published."""
    agent = outreach(hours="00:00-24:00")
    async with desk_at(tmp_path, NOON, agent=agent, database=database_url) as desk:
        ana = await desk.person("sms:ana", status="customer")
        ben = await desk.person("sms:ben", status="lead", consent=None)
        cleo = await desk.person("web:cleo", status="lead")
        await desk.person("sms:dan", status="vip")
        changes = (
            lambda: change_person(desk.context, ana, {"status": "lead"}),
            lambda: desk.agrees(ben, True),
            lambda: change_person(desk.context, cleo, {}, ["sms:cleo"]),
            lambda: desk.republish(**outreach(to={"status": "vip"}, hours="00:00-24:00")),
        )
        assert (await desk.ticks()).said == 0
        for change in changes:
            assert (await desk.ticks(hours=2)).said == 0
            await change()
            assert (await desk.ticks(minutes=1)).said == 1
        assert [one["identity"] for one in desk.bodies] == ["ana", "ben", "cleo", "dan"]


async def test_people_who_stay_as_they_are_are_read_once_a_day(tmp_path: Path, database_url: str) -> None:
    """A tick each minute would read all of them each minute. A change past Greenroom is seen by the next day."""
    agent = outreach(hours="00:00-24:00")
    async with desk_at(tmp_path, NOON, agent=agent, database=database_url) as desk:
        await asyncio.gather(*(desk.person(f"sms:p{number}", status="customer") for number in range(600)))
        await desk.person("sms:last", status="lead")
        assert (await desk.ticks(minutes=30)).said == 1
        await _rewrite(desk, """replace(body, '"customer"', '"lead"')""")
        assert [(await desk.ticks(hours=hours)).said for hours in (1, 22, 1)] == [0, 0, 100]


async def test_a_change_that_is_kept_late_is_seen(tmp_path: Path, postgresql_url: str) -> None:
    """It was stamped before the last look and committed after it, by a process that had to wait."""
    async with desk_at(tmp_path, NOON, agent=outreach(), database=postgresql_url) as desk:
        ana = await desk.person("sms:ana", status="customer")
        with psycopg.connect(postgresql_url) as connection:
            late = """UPDATE people SET body = replace(body, '"customer"', '"lead"'), updated_at = %s"""
            connection.execute(late, ["2026-05-04T12:01:00.000+00:00"])
            desk.clock.at = NOON + timedelta(minutes=2)
            await desk.person("sms:ben", status="lead")
            assert (await desk.ticks()).said == 1
            connection.commit()
        assert (await desk.ticks(minutes=2)).said == 1
        assert (await ends(desk))[ana] == "done"


async def test_one_that_breaks_greenroom_itself_is_put_off_and_keeps_it_from_nobody_else(
    tmp_path: Path, database_url: str
) -> None:
    """Ana's record was broken past Greenroom when she waited for it; she comes first, and gets it once it is mended."""
    async with desk_at(tmp_path, NOON, agent=outreach(), database=database_url) as desk:
        await desk.person("sms:ana", first_name="Ana", status="lead")
        await desk.says("Hello")
        assert (await desk.ticks()).said == 0
        await _rewrite(desk, "'{' || body", of="ana")
        await desk.person("sms:ben", first_name="Ben", status="lead")
        with pytest.raises(ValueError, match="property name"):
            await desk.ticks(hours=2)
        assert (await desk.ticks(minutes=1)).said == 1
        await _rewrite(desk, "substr(body, 2)", of="ana")
        assert [(await desk.ticks(minutes=minutes)).said for minutes in (1, 15)] == [0, 1]
        assert desk.texts == ["You said: Hello", "Hello Ben, the season opens.", "Hello Ana, the season opens."]


async def _rewrite(desk: Desk, body: str, *, of: str = "") -> None:
    """Past Greenroom: the records in which this stands."""
    change = text(f"UPDATE people SET body = {body} WHERE searched LIKE :of")
    writer = desk.context.store.writer
    await writer.write(lambda connection: connection.execute(change, {"of": f"%{of}%"}), Turn.PEOPLE)


@pytest.mark.requirement("A8")
async def test_an_endpoint_that_is_down_gets_each_message_once_it_is_up_again(
    tmp_path: Path, database_url: str
) -> None:
    async with desk_at(tmp_path, NOON, agent=outreach(), database=database_url) as desk:
        await desk.person("sms:ana", first_name="Ana", status="lead")
        desk.down = True
        for _ in range(4):
            await desk.ticks(minutes=30)
        desk.down = False
        await desk.ticks(hours=1)
        await desk.ticks(hours=1)
        keys = {one.headers["Idempotency-Key"] for one in desk.receiver.received}
        assert len(desk.texts) > 3
        assert set(desk.texts) == {"Hello Ana, the season opens."}
        assert len(keys) == 1
        assert len(await desk.transcripts()) == 1


async def test_what_waits_for_an_outreach_that_is_published_no_more_is_cancelled(tmp_path: Path) -> None:
    async with desk_at(tmp_path, NOON, agent=outreach()) as desk:
        ana = await desk.person("sms:ana", status="lead")
        await desk.says("Hello")
        await desk.ticks(minutes=1)
        await desk.republish(outreach={})
        await desk.ticks(hours=2)
        assert await ends(desk) == {ana: "the agent has it no longer"}


async def test_somebody_who_is_not_in_the_segment_any_more_is_left_out(tmp_path: Path) -> None:
    async with desk_at(tmp_path, NOON, agent=outreach()) as desk:
        ana = await desk.person("sms:ana", status="lead")
        await desk.says("Hello")
        await desk.ticks(minutes=1)
        await desk.context.store.people(Partition.LIVE).write(ana, "status", "customer")
        await desk.ticks(hours=2)
        assert await ends(desk) == {ana: "it is not for this person any more"}
        status = (await desk.context.store.timers().page(TimerFilter())).timers[0].status
        assert status is TimerStatus.SKIPPED


@pytest.mark.requirement("A7")
async def test_consent_that_is_withdrawn_in_the_very_moment_stops_it(tmp_path: Path, postgresql_url: str) -> None:
    """The withdrawal is written and not yet kept when everything has been looked at; the message waits for it."""
    withdraw = """UPDATE people SET body = replace(body, '"messages":true', '"messages":false')"""
    async with desk_at(tmp_path, NOON, agent=outreach(), database=postgresql_url) as desk:
        ana = await desk.person("sms:ana", status="lead")
        with psycopg.connect(postgresql_url) as connection:
            assert connection.execute(withdraw).rowcount == 1
            ticking = asyncio.create_task(desk.ticks())
            await eventually(lambda: _waits_for_a_row(postgresql_url))
            connection.commit()
        assert (await ticking).said == 0
        assert await ends(desk) == {ana: "the consent was withdrawn"}
        assert await desk.transcripts() == []


async def _waits_for_a_row(url: str) -> bool:
    def look() -> bool:
        with psycopg.connect(url) as connection:
            waiting = "SELECT 1 FROM pg_locks WHERE locktype IN ('transactionid', 'tuple') AND NOT granted"
            return connection.execute(waiting).fetchone() is not None

    return await asyncio.to_thread(look)


async def test_what_was_said_counts_as_sent_once_its_channel_has_it(tmp_path: Path, database_url: str) -> None:
    """Said, waiting to leave and with its receiver are three things; so are a follow-up's."""
    agent = {**outreach(), "follow_ups": {"nudge": {"after": "2h", "message": "Still there?"}}}
    request = OutreachRequest(agent="desk")
    async with desk_at(tmp_path, NOON, agent=agent, database=database_url) as desk:
        await desk.person("sms:ana", first_name="Ana", status="lead")
        desk.down = True
        await desk.ticks()
        waits = await list_outreach(desk.context, request)
        assert waits.undelivered == {"spring": {SentStatus.WAITING: 1}}
        assert [timer.delivery for timer in waits.page.timers] == [SentStatus.WAITING]
        assert [timer.error for timer in waits.page.timers] == ["it answered HTTP 503"]
        assert waits.page.timers[0].next_try_at is not None

        desk.down = False
        await desk.ticks(minutes=1)
        sent = await list_outreach(desk.context, request)
        assert (sent.undelivered, [timer.delivery for timer in sent.page.timers]) == ({}, [SentStatus.SENT])
        assert [(timer.error, timer.next_try_at) for timer in sent.page.timers] == [(None, None)]

        await desk.says("Hello")
        desk.down = True
        await desk.ticks(hours=3)
        (only,) = (await list_conversations(desk.context, ConversationsRequest())).conversations
        shown = await show_conversation(desk.context, only.conversation)
        assert [timer.delivery for timer in shown.follow_ups] == [SentStatus.WAITING]

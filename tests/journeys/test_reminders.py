"""Reminders of appointments that live agents made, when the time for them comes (features.md A8, A10)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.days import Desk, desk_at
from tests.servers.mail import mail_server

from greenroom.conversation.appointments import Appointment
from greenroom.conversation.channels import Channel
from greenroom.conversation.json_values import Json
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.operations.appointments import show_appointment
from greenroom.reports.appointments import appointment_lines
from greenroom.reports.lines import plain
from greenroom.store.partition import Partition
from greenroom.store.timers import NewTimer, TimerFilter

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
SATURDAY = "2026-06-06T14:00"
ACTIONS = ("book_appointment", "move_appointment", "cancel_appointment")


def says(word: str, tool: str, **arguments: Json) -> object:
    return {"when": {"last": word}, "calls": [{"tool": tool, "arguments": arguments}]}


RULES: Sequence[object] = [
    *({"when": {"answered": tool}, "reply": "Done."} for tool in ACTIONS),
    says("book", "book_appointment", start=SATURDAY, title="Powerboat"),
    says("sooner", "book_appointment", start="2026-06-02T10:00", title="Kayak"),
    says("later", "move_appointment", start="2026-06-07T14:00"),
    says("cancel it", "cancel_appointment"),
    {"when": {"last": "human"}, "reply": "So.", "calls": [{"tool": "hand_over", "arguments": {"reason": "r"}}]},
    {"reply": "You said: {{last}}"},
]


def boats(*remind: str, **more: object) -> dict[str, object]:
    """An agent that books, in Chicago's time."""
    scheduling = {"hours": {"daily": "09:00-17:00"}, "remind": list(remind or ("24h",)), **more}
    return {"scheduling": scheduling, "time_zone": "America/Chicago"}


async def ends(desk: Desk) -> dict[str, str]:
    page = await desk.context.store.timers().page(TimerFilter(kind=OwnMessageKind.REMINDER))
    return {timer.name: timer.why or timer.status.value for timer in page.timers}


async def said_at(desk: Desk, *hours_before: float, start: datetime) -> list[float]:
    """At which of these ticks, so many hours before the appointment, something was said."""
    return [hours for hours in hours_before if (await desk.ticks(start - timedelta(hours=hours))).said]


START = datetime(2026, 6, 6, 19, 0, tzinfo=UTC)
"""14:00 in Chicago."""


async def test_the_person_is_reminded_at_each_time_in_the_conversation_that_is_open(
    tmp_path: Path, database_url: str
) -> None:
    agent = {**boats("48h", "2h"), "close_after": "7d"}
    async with desk_at(tmp_path, NOON, agent=agent, rules=RULES, database=database_url) as desk:
        await desk.says("book")
        assert await ends(desk) == {"2d": "waiting", "2h": "waiting"}
        assert await said_at(desk, 60, 48, 47, 3, 2, 1, 0, -1, start=START) == [48, 2]
        reminder = "Powerboat\n2026-06-06 14:00"
        assert desk.texts == ["Done.", reminder, reminder]
        await desk.says("thanks")
        (only,) = await desk.transcripts()
        assert only[3:] == [
            "[outbound message: reminder, 2d before]",
            f"Agent: {reminder}",
            "[outbound message: reminder, 2h before]",
            f"Agent: {reminder}",
            "Person: thanks",
            "Agent: You said: thanks",
        ]
        assert await ends(desk) == {"2d": "done", "2h": "done"}
        (timer, _) = (await desk.context.store.timers().page(TimerFilter())).timers
        shown = await show_appointment(desk.context, timer.subject)
        assert list(plain(appointment_lines(shown.page.appointments[0], shown.names, shown.reminders)))[-2:] == [
            "reminder  2d  2026-06-04 19:00 UTC  sent",
            "reminder  2h  2026-06-06 17:00 UTC  sent",
        ]


async def test_the_text_may_name_what_is_known_of_the_appointment(tmp_path: Path) -> None:
    names = ("person.first_name", "appointment.title", "appointment.start", "appointment.representative", "x.y")
    text = ", ".join(f"{{{{{name}}}}}" for name in names)
    agent = {
        **boats(reminder=text, clock="12h", hours={}),
        "representatives": {"dana": {"name": "Dana Whitfield", "hours": {"daily": "09:00-17:00"}}},
    }
    async with desk_at(tmp_path, NOON, agent=agent, rules=RULES) as desk:
        await desk.person("sms:ana", first_name="Ana")
        await desk.says("book")
        assert await said_at(desk, 24, start=START) == [24]
        assert "Ana, Powerboat, Sat 6 June 2026, 2:00 pm, Dana Whitfield, {{x.y}}" in desk.texts


@pytest.mark.parametrize(("day", "offset"), [("2026-03-08", -5), ("2026-11-01", -6)])
async def test_a_day_before_is_24_hours_also_when_clocks_are_changed(tmp_path: Path, day: str, offset: int) -> None:
    """DST begins or ends in the night before; the reminder comes 24 hours before, an hour off on the clock."""
    rules = [RULES[0], says("book", "book_appointment", start=f"{day}T14:00", title="Boat"), RULES[-1]]
    start = datetime.fromisoformat(f"{day}T14:00{offset:+03}:00")
    chicago = ZoneInfo("America/Chicago")
    async with desk_at(tmp_path, start - timedelta(days=4), agent=boats(), rules=rules) as desk:
        await desk.says("book")
        assert await said_at(desk, 25, 24.5, 24, 23, start=start.astimezone(UTC)) == [24]
        clock = (start - timedelta(hours=24)).astimezone(chicago)
        assert clock.hour == (13 if offset == -5 else 15)
        assert desk.texts[-1] == f"Boat\n{day} 14:00"


async def test_an_appointment_that_is_moved_is_reminded_of_at_its_new_time(tmp_path: Path, database_url: str) -> None:
    """Also when the old reminder had been said already."""
    agent = {**boats(), "close_after": "7d"}
    async with desk_at(tmp_path, NOON, agent=agent, rules=RULES, database=database_url) as desk:
        await desk.says("book")
        assert await said_at(desk, 24, start=START) == [24]
        await desk.says("later")
        assert await said_at(desk, 20, 12, 0, start=START) == [0]
        assert desk.texts[-1] == "Powerboat\n2026-06-07 14:00"


async def test_an_appointment_that_is_cancelled_is_not_reminded_of(tmp_path: Path, database_url: str) -> None:
    agent = {**boats(), "close_after": "7d"}
    async with desk_at(tmp_path, NOON, agent=agent, rules=RULES, database=database_url) as desk:
        await desk.says("book")
        await desk.says("cancel it")
        assert await said_at(desk, 24, 1, start=START) == []
        assert await ends(desk) == {"24h": "the appointment was cancelled"}


async def test_who_books_later_than_the_reminder_gets_none(tmp_path: Path) -> None:
    evening = datetime(2026, 6, 2, 1, 0, tzinfo=UTC)
    async with desk_at(tmp_path, evening, agent=boats("24h", "2h"), rules=RULES) as desk:
        await desk.says("sooner")
        assert await ends(desk) == {"2h": "waiting"}


async def test_after_a_downtime_only_the_latest_reminder_is_said_and_none_of_what_is_over(
    tmp_path: Path, database_url: str
) -> None:
    async with desk_at(tmp_path, NOON, agent=boats("48h", "24h", "2h"), rules=RULES, database=database_url) as desk:
        await desk.says("book")
        assert (await desk.ticks(START - timedelta(hours=3))).said == 1
        assert await ends(desk) == {"2d": "a later reminder was due as well", "24h": "done", "2h": "waiting"}
        assert (await desk.ticks(START + timedelta(minutes=5))).said == 0
        assert (await ends(desk))["2h"] == "the appointment had begun by then"


async def test_somebody_who_refused_messages_is_not_reminded_and_who_was_never_asked_is(
    tmp_path: Path, database_url: str
) -> None:
    async with desk_at(tmp_path, NOON, agent=boats(), rules=RULES, database=database_url) as desk:
        ana = await desk.person("sms:ana", consent=None)
        await desk.says("book")
        await desk.agrees(ana, False)
        assert await said_at(desk, 24, start=START) == []
        assert await ends(desk) == {"24h": "the person refused messages"}


async def test_an_appointment_that_was_written_down_otherwise_is_reminded_of_too(tmp_path: Path) -> None:
    """Its person is known on rich messaging; a conversation begins with the reminder."""
    async with desk_at(tmp_path, NOON, agent=boats(), rules=RULES) as desk:
        await booked_elsewhere(desk, await desk.person("rich:ana"))
        assert await said_at(desk, 24, start=START) == [24]
        assert [(one["channel"], one["message"]["text"]) for one in desk.bodies] == [
            ("rich", "Powerboat\n2026-06-06 14:00")
        ]


async def booked_elsewhere(desk: Desk, person_id: str | None) -> None:
    appointment = Appointment(
        appointment_id="", title="Powerboat", start=START, end=START + timedelta(hours=1), person_id=person_id
    )
    made = await desk.context.store.appointments(Partition.LIVE, agent="desk").book(appointment)
    due_at = START - timedelta(hours=24)
    timer = NewTimer(kind=OwnMessageKind.REMINDER, agent="desk", name="24h", subject=made.appointment_id, due_at=due_at)
    await desk.context.store.timers().enrol([timer])


async def test_an_appointment_of_nobody_on_record_is_reminded_of_to_nobody(tmp_path: Path) -> None:
    async with desk_at(tmp_path, NOON, agent=boats(), rules=RULES) as desk:
        await booked_elsewhere(desk, None)
        assert await said_at(desk, 24, start=START) == []
        assert await ends(desk) == {"24h": "nobody is on record whose appointment it is"}


async def test_in_a_conversation_that_the_team_has_taken_over_the_reminder_is_said_and_the_agent_keeps_silent(
    tmp_path: Path, database_url: str
) -> None:
    agent = {**boats(), "close_after": "7d", "review": ["It was polite."]}
    async with desk_at(tmp_path, NOON, agent=agent, rules=RULES, database=database_url) as desk:
        await desk.says("book")
        await desk.says("human")
        assert await said_at(desk, 24, start=START) == [24]
        await desk.says("Are you there?")
        (only,) = await desk.transcripts()
        assert "Agent: Powerboat\n2026-06-06 14:00" in only
        assert only[-1] != "Agent: You said: Are you there?"


MAIL: Mapping[str, object] = {"from": "Lakeside <desk@lakeside.example>", "starttls": "never"}


async def test_where_nothing_leaves_by_message_the_reminder_is_a_mail(tmp_path: Path, database_url: str) -> None:
    async with mail_server() as server:
        mail = {"mail": {**MAIL, "smtp": f"smtp://127.0.0.1:{server.port}"}}
        at = {"agent": boats(), "rules": RULES, "project": mail, "database": database_url}
        async with desk_at(tmp_path, NOON, **at) as desk:  # pyright: ignore[reportArgumentType]
            await desk.person("web:ana", email="ana@example.com")
            await desk.says("book", channel=Channel.WEB)
            assert await said_at(desk, 25, 24, 23, start=START) == [24]
        (mailed,) = server.taken
        assert mailed.recipients == ("ana@example.com",)
        assert mailed.mail["Subject"] == "Powerboat, 2026-06-06 14:00"
        assert mailed.text.split() == ["Powerboat", "2026-06-06", "14:00"]


async def test_who_can_be_reached_in_no_way_is_told_of(tmp_path: Path) -> None:
    async with desk_at(tmp_path, NOON, agent=boats(), rules=RULES) as desk:
        await desk.person("web:ana", email="ana@example.com")
        await desk.says("book", channel=Channel.WEB)
        assert await said_at(desk, 24, start=START) == []
        why = "the person is known on no channel by which messages leave, and can't be written a mail"
        assert await ends(desk) == {"24h": why}


async def test_an_endpoint_that_is_down_gets_the_reminder_once_it_is_up_again(tmp_path: Path) -> None:
    async with desk_at(tmp_path, NOON, agent=boats(), rules=RULES) as desk:
        await desk.says("book")
        desk.down = True
        await desk.ticks(START - timedelta(hours=24))
        desk.down = False
        await desk.ticks(hours=1)
        await desk.ticks(hours=1)
        reminders = [one for one in desk.receiver.received if "2026-06-06" in one.body]
        assert len({one.headers["Idempotency-Key"] for one in reminders}) == 1
        assert len(reminders) == 2

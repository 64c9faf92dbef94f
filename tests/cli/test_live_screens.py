"""Whole screens of the commands for the live side."""

import io
import json
from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine, Screen
from tests.golden import assert_golden
from tests.servers.office import office

from greenroom.conversation.channels import Channel
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.summaries import (
    ConversationSummary,
    ErrandSummary,
    KeptTurn,
    SentMessage,
    ShownConversation,
    Ticked,
    UnservedEvent,
)
from greenroom.reports.lines import plain
from greenroom.reports.live import conversation_lines, tick_lines

SCREENS = Path(__file__).parent / "screens"


def shows(name: str, screen: Screen) -> None:
    assert_golden(str(screen), SCREENS / f"{name}.txt")


def edited(desk: CommandLine, old: str, new: str) -> None:
    agent = desk.folder / "agents" / "desk.yaml"
    agent.write_text(agent.read_text("utf-8").replace(old, new), "utf-8")


def test_what_is_published_is_live_until_something_else_is(desk: CommandLine) -> None:
    screens = [desk("publish", "desk"), desk("publish", "desk")]
    edited(desk, "greeting:", "review: [Polite.]\ngreeting:")
    screens += [desk("revisions", "desk"), desk("publish", "desk"), desk("publish", "desk", "--revision", "1")]
    screens += [desk("revisions", "desk"), desk("publish", "desk", "--revision", "9"), desk("publish", "dekk")]
    assert_golden("\n\n".join(map(str, screens)), SCREENS / "publish.txt")


def test_publishing_says_what_will_not_work_for_want_of_a_variable(desk: CommandLine) -> None:
    """P20: what is missing is named, with what waits for it; what is there is never shown."""
    (desk.folder / "greenroom.yaml").write_text(
        'mail: {smtp: "smtps://desk:${SMTP_PASSWORD}@mail.example", from: desk@lakeside.example}\n', "utf-8"
    )
    edited(
        desk,
        "greeting:",
        'scheduling: {hours: {daily: "09:00-17:00"}, '
        'calendar: {caldav: "https://dav.example/a/", password: "${CALENDAR_PASSWORD}"}}\n'
        'channels: {sms: {secret: "${SMS_SECRET}", outbound: "${SMS_URL}"}, web: {secret: "${WEB_SECRET}"}}\n'
        "email: {to: sales@lakeside.example}\ngreeting:",
    )
    desk.environment.update({"SMS_URL": "https://sms.example/out", "WEB_SECRET": ""})
    shows("publish-missing", desk("publish", "desk"))


@pytest.mark.requirement("A8")
def test_an_address_for_the_team_that_nobody_can_read_is_said_before_it_is_needed(desk: CommandLine) -> None:
    """By lint where it is written out, else when the agent goes live; what a variable holds is shown nowhere."""
    edited(desk, "greeting:", 'notifications: {to: ["${TEAM}", "json://127.0.0.1/team"]}\ngreeting:')
    desk.environment["TEAM"] = "slak://hush"
    assert desk("lint").code == 0
    shows("publish-unread-address", desk("publish", "desk"))
    edited(desk, '"json://127.0.0.1/team"', '"slak://x", "slack://x"')
    shows("lint-unread-address", desk("lint"))


@pytest.mark.requirement("A7", "A12")
def test_live_conversations_are_listed_and_shown(desk: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    shows("conversations-none", desk("conversations"))
    monkeypatch.setattr("sys.stdin", io.StringIO("Hello\n"))
    desk("chat", "desk", "--live")
    monkeypatch.setattr("sys.stdin", io.StringIO("Hello\n"))
    desk("chat", "desk")

    listed = json.loads(desk("conversations", "--format", "json").out)["conversations"]
    ((name, person),) = [(one["conversation"], one["identity"]) for one in listed]
    shows("conversations", desk("conversations", "--agent", "desk"))
    assert desk("conversations", "--person", person).out == desk("conversations").out
    assert "there is no person 'sms:+15550199'" in desk("conversations", "--person", "sms:+15550199").err
    shows("conversation", desk("conversations", name, "--turns"))
    shows("conversation-unknown", desk("conversations", "nothing"))
    shown = json.loads(desk("conversations", name, "--format", "json").out)
    assert shown["conversation"]["agent"] == "desk"
    assert shown["turns"][1]["event"]["text"] == "Hello"
    assert "record" not in shown["turns"][1]
    assert "Agent: " in shown["transcript"]


def test_a_mark_that_is_none_is_refused(desk: CommandLine) -> None:
    shows("conversations-mark", desk("conversations", "--after", "yesterday"))


def test_a_tick_says_what_it_did(desk: CommandLine) -> None:
    shows("tick", desk("tick"))
    lines = tick_lines(Ticked(served=1, said=6, delivered=2, errands=5, closed=3, records_dropped=4))
    assert list(plain(lines)) == [
        "1 event served that a server had left, 6 openings, follow-ups and reminders said, 2 deliveries of messages "
        "tried, 5 notices, mails and calendar entries tried, 3 silent conversations closed, 4 old turn records "
        "dropped"
    ]
    assert list(plain(tick_lines(Ticked(served=0, said=1, delivered=1, errands=1, closed=0, records_dropped=0)))) == [
        "1 opening, follow-up or reminder said, 1 delivery of a message tried, 1 notice, mail or calendar entry tried"
    ]


def test_an_address_that_is_taken_is_told(desk: CommandLine) -> None:
    screen = desk("serve", "--host", "192.0.2.1")
    assert screen.code == 2
    assert "can't listen on 192.0.2.1:8000" in screen.err


@pytest.mark.requirement("A8", "A9")
def test_a_live_chat_says_what_came_of_what_it_sent(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    office(command.folder, mail_port=9, agent={"notifications": {"to": ["json://127.0.0.1:9/team"]}})
    settings = command.folder / "greenroom.yaml"
    settings.write_text(json.dumps(json.loads(settings.read_text(encoding="utf-8")) | {"time_zone": "Europe/Berlin"}))
    monkeypatch.setattr("sys.stdin", io.StringIO("tell them\nmail Dana\nhuman, please\n"))
    shows("chat-live-errands", command("chat", "desk", "--live"))


def test_what_did_not_get_through_is_shown() -> None:
    summary = ConversationSummary(
        conversation="desk:sms:7",
        agent="desk",
        channel=Channel.SMS,
        identity="sms:+15550100",
        person_id=None,
        turns=0,
        ended=None,
        started_at="2026-11-30T09:00:00.000+00:00",
        updated_at="2026-11-30T09:01:00.000+00:00",
        closed_at=None,
    )
    turns: tuple[KeptTurn, ...] = ()
    events = (
        UnservedEvent(message_id="m1", received_at="2026-11-30T09:00:00.000+00:00", error="the model said no"),
        UnservedEvent(message_id="m2", received_at="2026-11-30T09:01:00.000+00:00", error=None, words="Hello?\n[card]"),
        UnservedEvent(
            message_id="m3", received_at="2026-11-30T09:02:00.000+00:00", error=None, words="Thanks", too_late=True
        ),
    )
    at = "2026-11-30T09:00:00.000+00:00"
    sent = tuple(
        SentMessage(
            key=f"msg-{n}",
            status=status,
            tries=n,
            error=error,
            created_at=at,
            finished_at=None,
            next_try_at="2026-11-30T09:04:00.000+00:00" if status is SentStatus.WAITING else None,
        )
        for n, (status, error) in enumerate([
            (SentStatus.WAITING, None),
            (SentStatus.REFUSED, "it answered HTTP 422"),
            (SentStatus.SENT, None),
            (SentStatus.WAITING, "it can't be reached"),
        ])
    )
    errands = tuple(
        ErrandSummary(
            key=f"errand-{n}",
            kind=kind,
            summary=what,
            status=status,
            tries=n,
            error=error,
            created_at=at,
            finished_at=at if status is SentStatus.SENT else None,
        )
        for n, (kind, what, status, error) in enumerate([
            ("notify", "New call booked for Tuesday 2 pm", SentStatus.WAITING, None),
            ("email", "to ana@example.com: Your booking", SentStatus.WAITING, "it can't be reached"),
            ("email", "to nobody@example.com: Your booking", SentStatus.REFUSED, "550 no such user here"),
            ("notify", "hand-over: wants a person", SentStatus.SENT, None),
        ])
    )
    shown = ShownConversation(conversation=summary, turns=turns, unserved=events, sent=sent, errands=errands)
    text = "\n".join(plain(conversation_lines(shown)))
    assert_golden(text, SCREENS / "conversation-stuck.txt")

"""Signs that steer a screen stay in the conversation and reach nobody: not a phone, a page, a mailbox or a terminal."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import cast

import orjson
import pytest
from tests.cli.command_line import CommandLine
from tests.servers.gateway import Channel, eventually, only_conversation, serving
from tests.servers.mail import mail_server
from tests.servers.office import office
from tests.servers.webhooks import endpoint

from greenroom.conversation.events import Tap
from greenroom.conversation.messages import Card, Text
from greenroom.conversation.sent import SentStatus
from greenroom.operations.context import Context

pytestmark = [
    pytest.mark.requirement("A4", "A8"),
    # Apprise still looks for a module of the standard library that goes with Python 3.13.
]

RED, TURNED, BEEP = "\x1b[31m", "\u202e", "\x07"
HARMFUL = {"\x1b", "\x07", "\x08", "\x9b", "\u202e", "\u2066", "\r"}
NAME = f"Lake{RED}side{TURNED}"
REASON = f"wants{RED} Dana\r\nBcc: eve@evil.example{TURNED}"
LABEL = f"Book{TURNED} it{BEEP}"
ODD: Sequence[object] = (
    {"text": f"We rent\x08{RED} boats.{TURNED}\tSee:\r\nhere שלום\u200f!"},
    {"card": {"title": f"North{RED}\nShore", "subtitle": f"12\u2066 boats{BEEP}", "chips": [LABEL]}},
    {"options": [f"One{TURNED}", "Two"]},
)
RULES: Sequence[object] = (
    {"when": {"answered": "send_message"}, "reply": ""},
    {"when": {"last": "show"}, "calls": [{"tool": "send_message", "arguments": {"template": "odd"}}]},
    {"when": {"last": "tell"}, "calls": [{"tool": "notify_team", "arguments": {"text": f"New{RED} call\r{TURNED}"}}]},
    {"when": {"last": "human"}, "reply": "Yes.", "calls": [{"tool": "hand_over", "arguments": {"reason": REASON}}]},
)
AGENT: Mapping[str, object] = {"name": NAME, "templates": {"odd": ODD}}


async def all_sent(context: Context) -> bool:
    shown = await only_conversation(context)
    leaving = [*shown.sent, *shown.errands]
    return bool(leaving) and all(one.status is SentStatus.SENT for one in leaving)


def steers(text: str) -> bool:
    return bool(HARMFUL & set(text))


@pytest.mark.parametrize("name", ["rich", "sms"])
async def test_messages_out_are_clean_and_what_is_tapped_comes_back_as_it_was_written(
    tmp_path: Path, name: str
) -> None:
    async with endpoint() as receiver:
        secret = {"secret": "${CHANNEL_SECRET}", "outbound": receiver.url}
        maker = office(tmp_path, rules=RULES, agent={**AGENT, "channels": {"sms": secret, "rich": secret}})
        async with serving(maker) as (channel, context):
            channel.name = name
            await channel.said("show")
            await eventually(lambda: all_sent(context))
            (sent,) = [orjson.loads(one.body)["message"] for one in receiver.received]
            (kept,) = (await only_conversation(context)).turns
            if name == "rich":
                await channel.event(sent["parts"][1]["chips"][0]["tap"])
                tap = (await only_conversation(context)).turns[1].turn.event
                assert isinstance(tap, Tap)
                assert (tap.label, tap.card) == (LABEL, f"North{RED}\nShore")

    assert sent["text"].startswith("We rent[31m boats.\tSee:\nhere שלום\u200f!\nNorth[31m\nShore — 12 boats\n- Book it")
    assert not steers(sent["text"])
    text, *rest = [part for message in kept.turn.messages for part in message.parts]
    assert isinstance(text, Text)
    assert text.text.startswith(f"We rent\x08{RED} boats.{TURNED}\tSee:\r\nhere שלום\u200f!")
    if name == "rich":
        assert isinstance(rest[0], Card)
        card = sent["parts"][1]
        assert (card["title"], card["subtitle"]) == ("North[31m Shore", "12 boats")
        assert [chip["label"] for chip in card["chips"]] == ["Book it"]
        assert [option["label"] for option in sent["parts"][2]["options"]] == ["One", "Two"]


async def test_mail_and_notifications_are_clean_and_nothing_in_a_subject_becomes_a_header(tmp_path: Path) -> None:
    async with endpoint() as team, mail_server() as server:
        maker = office(tmp_path, rules=RULES, team=team, mail_port=server.port, agent=AGENT)
        async with serving(maker) as (channel, context):
            await channel.said("tell")
            await channel.said("human")
            await eventually(lambda: all_sent(context))

    notified, handed_over = (orjson.loads(one.body) for one in team.received)
    assert notified["title"] == "Lake[31mside"
    assert notified["message"].startswith("New[31m call\n")
    assert handed_over["title"] == "Lake[31mside: hand-over"
    assert not any(steers(one["message"]) for one in (notified, handed_over))
    mail: EmailMessage = server.taken[0].mail
    assert mail["Subject"] == "Lake[31mside: hand-over: wants[31m Dana Bcc: eve@evil.example"
    assert "Bcc" not in mail
    assert {one for taken in server.taken for one in taken.recipients} == {
        "team@lakeside.example",
        "boss@lakeside.example",
    }
    text = mail.get_content().replace("\r\n", "\n")
    assert text.startswith("wants[31m Dana\nBcc: eve@evil.example\n\nWith: web:ana\n")
    assert "[handed over: wants␛[31m Dana ⏎ Bcc: eve@evil.example⟨U+202E⟩]" in text
    assert not steers(text)


async def test_the_widget_s_page_is_given_nothing_that_steers_it(tmp_path: Path) -> None:
    async with serving(office(tmp_path, rules=RULES, agent=AGENT)) as (channel, _):
        page = (await channel.request("GET", "/widget/desk")).body
        headers = {"Authorization": f"Bearer {(await _session(channel))}"}

        async def say(number: int, event: Mapping[str, object]) -> object:
            at, data = f"/widget/api/desk/messages/{number}", orjson.dumps(event)
            return (await channel.request("POST", at, data=data, headers=headers)).body["messages"]

        shown = await say(1, {"kind": "said", "text": f"show {RED}{TURNED}"})
        so_far = (await channel.request("GET", "/widget/api/desk/messages", headers=headers)).body["lines"]

    assert '<h1 dir="auto" lang="">Lake[31mside</h1>' in page
    assert so_far[0]["text"] == "show [31m"
    assert [line["message"] for line in so_far[1:]] == shown
    assert not any(steers(text) for text in _shown_texts(shown))


async def _session(channel: Channel) -> str:
    return (await channel.request("POST", "/widget/api/desk/session")).body["token"]


def _shown_texts(value: object) -> Sequence[str]:
    """Everything but the taps, which the page sends back and never shows."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return [text for key, item in members.items() if key != "tap" for text in _shown_texts(item)]
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [text for item in items for text in _shown_texts(item)]


def test_a_terminal_is_shown_the_signs_and_steered_by_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    maker = office(tmp_path, rules=RULES, agent=AGENT)

    async def shown() -> str:
        async with serving(maker) as (channel, context):
            await channel.said(f"show {TURNED}\x9b")
            return (await only_conversation(context)).conversation.conversation

    conversation = asyncio.run(shown())
    command = CommandLine(folder=maker.root, capsys=capsys)
    screen = command("conversations", conversation).out
    written = command("conversations", conversation, "--format", "json").out

    assert "Person: show ⟨U+202E⟩�" in screen
    assert "We rent␈␛[31m boats.⟨U+202E⟩" in screen
    assert "[card: North␛[31m ⏎ Shore — 12⟨U+2066⟩ boats␇]" in screen
    assert not any(steers(text) for text in (screen, written))
    (turn,) = json.loads(written)["turns"]
    assert turn["event"]["text"] == f"show {TURNED}\x9b"

"""The web widget's page in a real Chromium."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from pathlib import Path

import orjson
import pytest
from tests.servers.browser import Page, browser
from tests.servers.gateway import LOOKS_UP, Channel, Held, desk_project, eventually, only_conversation, serving
from tests.servers.webhooks import endpoint

from greenroom.clock import SystemClock
from greenroom.operations.context import Context
from greenroom.operations.conversations import ConversationsRequest, list_conversations, show_conversation


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[tuple[Channel, Context]]:
    async with serving(desk_project(tmp_path)) as served:
        yield served


SAID = "document.querySelectorAll('.said.agent:not(.thinking)').length"


async def write(page: Page, text: str) -> None:
    """As a visitor does."""
    shown = orjson.dumps(text).decode()
    await page.run(f"document.getElementById('text').value = {shown}; document.getElementById('form').requestSubmit()")


async def tap(page: Page, label: str) -> None:
    shown = orjson.dumps(label).decode()
    await page.run(f"[...document.querySelectorAll('button.tap:enabled')].find(b => b.textContent == {shown}).click()")


@pytest.mark.slow
@pytest.mark.requirement("A3", "D2")
async def test_a_visitor_talks_and_taps_in_a_browser(desk: tuple[Channel, Context]) -> None:
    channel, context = desk
    async with browser() as page:
        await page.look(width=700, height=640)
        await page.open(f"{channel.url}/widget/desk")
        await page.until(f"{SAID} == 1")
        await write(page, "marinas <b>please</b>")
        await page.until("document.querySelectorAll('.card').length == 2")
        assert await page.run("document.querySelector('a.tap').href") == "https://lakeside.example/rates"
        await tap(page, "Saturday, 2 pm")
        await page.until(f"{SAID} == 3")
        assert await page.run("document.querySelectorAll('button.tap:enabled').length") == 0

        await page.open(f"{channel.url}/widget/desk?again")
        lines = "[...document.querySelectorAll('.said:not(.thinking) .words')].map(line => line.textContent)"
        await page.until(f"{SAID} == 3")
        assert await page.run(lines) == [
            "Hello, this is Lakeside.",
            "marinas <b>please</b>",
            "We rent from two marinas.",
            "Saturday, 2 pm",
            "You said: 2026-06-06T14:00",
        ]

        await write(page, "bye")
        await page.until("document.getElementById('note').textContent.startsWith('This conversation is over.')")
        assert page.complaints == []
    (one,) = (await list_conversations(context, ConversationsRequest())).conversations
    assert one.turns == 3


async def connected(page: Page, *, connected: bool) -> None:
    """Whether the browser has a network."""
    await page.ask(
        "Network.emulateNetworkConditions",
        offline=not connected,
        latency=0,
        downloadThroughput=-1,
        uploadThroughput=-1,
    )


async def press(page: Page, key: str, *, shift: bool = False) -> None:
    text = "\r" if key == "Enter" else ""
    told: dict[str, object] = {"key": key, "code": key, "modifiers": 8 if shift else 0}
    await page.ask("Input.dispatchKeyEvent", type="keyDown", text=text, windowsVirtualKeyCode=KEYS[key], **told)
    await page.ask("Input.dispatchKeyEvent", type="keyUp", **told)


KEYS = {"Enter": 13, "Tab": 9}
LINES = "[...document.querySelectorAll('#log .said:not(.thinking) .words')].map(line => line.textContent)"
NOTE = "document.getElementById('note').textContent"


@pytest.mark.slow
async def test_what_is_written_without_a_network_is_sent_in_order_and_once_when_it_is_back(
    desk: tuple[Channel, Context],
) -> None:
    channel, context = desk
    async with browser() as page:
        await page.open(f"{channel.url}/widget/desk")
        await page.until(f"{SAID} == 1")
        await connected(page, connected=False)
        await write(page, "one")
        await page.until(f"{NOTE}.startsWith('No connection')")
        await write(page, "two")
        await page.until("document.querySelectorAll('.unsent').length == 2")
        await connected(page, connected=True)
        await page.until(f"{SAID} == 3")
        assert await page.run(LINES) == ["Hello, this is Lakeside.", "one", "You said: one", "two", "You said: two"]
        assert await page.run("document.querySelectorAll('.unsent').length") == 0
        assert await page.run(NOTE) == ""
    (one,) = (await list_conversations(context, ConversationsRequest())).conversations
    assert one.turns == 2


@pytest.mark.slow
async def test_what_went_wrong_inside_is_sent_again_when_the_visitor_wants_it(tmp_path: Path) -> None:
    trouble: list[str] = []
    async with serving(desk_project(tmp_path), trouble=trouble) as (channel, _), browser() as page:
        await page.open(f"{channel.url}/widget/desk")
        await page.until(f"{SAID} == 1")
        await write(page, "break")
        await page.until(f"{NOTE}.startsWith('That did not get through.')")
        await page.run("document.querySelector('#note button').click()")
        await page.until(f"{NOTE}.startsWith('That did not get through.')")
        await write(page, "Hi")
        await page.until(f"{NOTE}.startsWith('That did not get through.')")
        assert await page.run("document.querySelectorAll('.unsent').length") == 2
    assert len(trouble) == 3


@pytest.mark.slow
async def test_after_a_hand_over_a_visitor_can_write_on_to_the_team(desk: tuple[Channel, Context]) -> None:
    channel, context = desk
    async with browser() as page:
        await page.open(f"{channel.url}/widget/desk")
        await page.until(f"{SAID} == 1")
        await write(page, "human please")
        await page.until(f"{NOTE}.startsWith('The team takes over')")
        await write(page, "My number is 555 0199")
        await page.until("document.querySelectorAll('.person:not(.unsent)').length == 2")
        await page.open(f"{channel.url}/widget/desk?again")
        await page.until("document.querySelectorAll('.person').length == 2")
        await page.until(f"{NOTE}.startsWith('The team takes over')")
        assert await page.run(LINES) == [
            "Hello, this is Lakeside.",
            "human please",
            "One moment.",
            "My number is 555 0199",
        ]
        assert not await page.run("document.getElementById('text').disabled")
    (one,) = (await list_conversations(context, ConversationsRequest())).conversations
    (event,) = (await show_conversation(context, one.conversation)).unserved
    assert event.words == "My number is 555 0199"


@pytest.mark.slow
async def test_a_visitor_begins_a_new_conversation_after_one_that_is_over(tmp_path: Path) -> None:
    """In a page that is read from the right, with words of the business's own."""
    web = {"language": "he", "words": {"over": "השיחה הסתיימה.", "begin": "שיחה חדשה", "you": "את"}}
    async with (
        serving(desk_project(tmp_path, agent={"channels": {"web": web}})) as (channel, context),
        browser() as page,
    ):
        await page.open(f"{channel.url}/widget/desk")
        await page.until(f"{SAID} == 1")
        await page.run("document.getElementById('text').focus()")
        await write(page, "bye")
        await page.until("document.getElementById('text').disabled")
        assert await page.run(f"{NOTE}.startsWith('השיחה הסתיימה.')")
        assert await page.run("document.querySelector('.person .unseen').textContent") == "את: "
        left = "(name) => document.querySelector(name).getBoundingClientRect().left"
        assert await page.run(f"(({left})('.person')) < (({left})('.agent'))")
        assert await page.run("document.activeElement.textContent") == "שיחה חדשה"
        await press(page, "Enter")
        await page.until("!document.getElementById('text').disabled")
        await write(page, "Hi again")
        await page.until(f"{LINES}.at(-1) == 'You said: Hi again'")
        assert await page.run(LINES) == ["Hello, this is Lakeside.", "Hi again", "You said: Hi again"]
        assert len((await list_conversations(context, ConversationsRequest())).conversations) == 2


@pytest.mark.slow
async def test_a_page_that_is_loaded_again_in_the_middle_of_a_turn_shows_its_answer(tmp_path: Path) -> None:
    held = Held()
    async with endpoint(held.answer) as orders:
        tools = {"look_up": {"description": "Looks up.", "url": orders.url, "method": "POST"}}
        maker = desk_project(tmp_path, rules=LOOKS_UP, agent={"tools": tools})
        async with serving(maker) as (channel, _), browser() as page:
            await page.open(f"{channel.url}/widget/desk")
            await page.until(f"{SAID} == 1")
            await write(page, "ready?")
            await asyncio.wait_for(held.came.wait(), 20)
            await page.open(f"{channel.url}/widget/desk?again")
            await page.until("document.getElementById('thinking')")
            assert await page.run(LINES) == ["Hello, this is Lakeside.", "ready?"]
            held.go.set()
            await page.until(f"{SAID} == 2 && !document.getElementById('thinking')")
            assert await page.run(LINES) == ["Hello, this is Lakeside.", "ready?", "It is ready."]


class Shifted(SystemClock):
    """Real time, and so much later."""

    later = timedelta()

    def now(self) -> datetime:
        return super().now() + self.later


@pytest.mark.slow
async def test_what_is_written_after_a_session_has_run_out_begins_a_new_conversation(tmp_path: Path) -> None:
    clock = Shifted()
    async with serving(desk_project(tmp_path), clock=clock) as (channel, context), browser() as page:
        await page.open(f"{channel.url}/widget/desk")
        await page.until(f"{SAID} == 1")
        clock.later = timedelta(minutes=31)
        await write(page, "Still there?")
        await page.until(f"{SAID} == 2")
        assert await page.run(LINES) == ["Hello, this is Lakeside.", "Still there?", "You said: Still there?"]
        assert await page.run("document.querySelector('#log .note').textContent") == "A new conversation"
        assert len((await list_conversations(context, ConversationsRequest())).conversations) == 2


@pytest.mark.slow
async def test_it_can_be_used_by_keyboard_alone(desk: tuple[Channel, Context]) -> None:
    channel, _ = desk
    async with browser() as page:
        await page.look(width=400, height=600)
        await page.open(f"{channel.url}/widget/desk")
        await page.until(f"{SAID} == 1")
        assert await page.run("document.activeElement.tagName") == "BODY"
        await page.run("document.getElementById('text').focus()")
        await page.ask("Input.insertText", text="marinas")
        await press(page, "Enter", shift=True)
        await page.ask("Input.insertText", text="please")
        await press(page, "Enter")
        await page.until("document.querySelectorAll('.card').length == 2")
        assert await page.run("document.querySelector('.person .words').textContent") == "marinas\nplease"
        assert await page.run("document.activeElement.id") == "text"
        await page.run("[...document.querySelectorAll('button.tap')].find(b => b.textContent == 'Yes').focus()")
        await press(page, "Enter")
        await page.until(f"{SAID} == 3")
        assert await page.run("document.activeElement.id") == "text"


@pytest.mark.slow
@pytest.mark.requirement("A4")
async def test_whatever_an_agent_writes_becomes_text_or_an_address_that_a_page_may_open(tmp_path: Path) -> None:
    odd = [
        {"text": "<img src=x onerror=alert(1)>"},
        {"media": {"url": "javascript:alert(1)", "alt": "No picture"}},
        {"media": {"url": "https://[films/tour.mp4", "alt": "No film"}},
        {"media": "https://pictures.invalid/%E0.png"},
        {"card": {"title": "A card", "media": "http://[pictures"}},
        {"media": {"url": "https://films.invalid/tour.mp4", "alt": "A tour"}},
        {"media": {"url": "https://pictures.invalid/boat.png", "alt": "A boat"}},
        {
            "chips": [
                {"label": "Run", "map": "javascript:alert(1)"},
                {"label": "Ring", "call": "+1 (555) 0100"},
                {"label": "Keep", "calendar": "2026-06-06T14:00/2026-06-06T16:00"},
                {"label": "Someday", "calendar": "next week"},
            ]
        },
        {"time_picker": ["2026-06-08T10:00"]},
    ]
    rules = [
        {"when": {"answered": "send_message"}, "reply": ""},
        {"calls": [{"tool": "send_message", "arguments": {"template": "odd"}}]},
    ]
    maker = desk_project(tmp_path, rules=rules, agent={"templates": {"odd": odd}})
    async with serving(maker) as (channel, _), browser() as page:
        await page.open(f"{channel.url}/widget/desk")
        await page.until(f"{SAID} == 1")
        await write(page, "Hi")
        await page.until("document.querySelectorAll('a.tap').length == 6")
        links = await page.run("[...document.querySelectorAll('a.tap')].map(a => [a.textContent, a.href])")
        found = dict(links)
        assert found["Run"] == "https://www.openstreetmap.org/search?query=javascript%3Aalert(1)"
        assert found["Ring"] == "tel:+15550100"
        assert found["A tour"] == "https://films.invalid/tour.mp4"
        assert found["%E0.png"] == "https://pictures.invalid/%E0.png"
        assert found["A boat"] == "https://pictures.invalid/boat.png"
        await page.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        await page.run("[...document.querySelectorAll('a.tap')].find(a => a.textContent == 'Keep').click()")
        diary = await eventually(lambda: asyncio.to_thread(_read, tmp_path / "appointment.ics"))
        assert b"DTSTART:20260606T140000\r\nDTEND:20260606T160000\r\nSUMMARY:Lakeside Boat Rentals\r\n" in diary
        assert await page.run("document.querySelector('.fact').textContent") == "Someday: next week"
        assert "2026-06-08T10:00" not in await page.run("document.querySelector('button.tap').textContent")
        assert (await page.run(LINES))[2:5] == ["<img src=x onerror=alert(1)>", "No picture", "No film"]
        assert await page.run("document.querySelectorAll('#log img, #log script').length") == 0


@pytest.mark.slow
async def test_addresses_in_the_agent_s_words_can_be_followed_and_a_tapped_label_steers_nothing(tmp_path: Path) -> None:
    look = "See https://lakeside.example/boats?x=1&y=<2> (or http://[bad, HTTPS://rates.example/a_b). javascript:run(1)"
    rules = [
        {"when": {"answered": "send_message"}, "reply": ""},
        {"when": {"last": "Hi"}, "calls": [{"tool": "send_message", "arguments": {"template": "odd"}}]},
        {"reply": "You said: {{last}}"},
    ]
    odd = [{"text": look}, {"options": ["Book\u202e it\u0007"]}]
    async with serving(desk_project(tmp_path, rules=rules, agent={"templates": {"odd": odd}})) as (channel, context):
        async with browser() as page:
            await page.open(f"{channel.url}/widget/desk")
            await page.until(f"{SAID} == 1")
            await write(page, "Hi")
            await page.until(f"{SAID} == 2")
            assert await page.run(
                "[...document.querySelectorAll('.words a')].map(a => [a.textContent, a.href, a.rel])"
            ) == [
                [
                    "https://lakeside.example/boats?x=1&y=",
                    "https://lakeside.example/boats?x=1&y=",
                    "noopener noreferrer",
                ],
                ["HTTPS://rates.example/a_b", "https://rates.example/a_b", "noopener noreferrer"],
            ]
            assert (await page.run(LINES))[2] == look
            await tap(page, "Book it")
            await page.until(f"{SAID} == 3")
            assert (await page.run(LINES))[3:] == ["Book it", "You said: Book it"]
            assert await page.run("document.querySelector('.words').lang") == ""
            assert await page.run("document.documentElement.lang") == "en"
        (_, turn) = (await only_conversation(context)).turns[1:]
        assert getattr(turn.turn.event, "label", None) == "Book\u202e it\u0007"


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 1000])
async def test_everything_can_be_read_and_reached_on_any_screen(
    desk: tuple[Channel, Context], width: int, dark: bool
) -> None:
    channel, _ = desk
    async with browser() as page:
        await page.look(width=width, height=560, dark=dark)
        await page.open(f"{channel.url}/widget/desk")
        await page.until(f"{SAID} == 1")
        await write(page, "marinas " + "x" * 200)
        await page.until("document.querySelectorAll('.card').length == 2")

        assert await page.run("document.documentElement.scrollWidth <= window.innerWidth")
        assert await page.run("document.getElementById('send').getBoundingClientRect().bottom <= window.innerHeight")
        tall = "[...document.querySelectorAll('.rich, .said')].every(one => one.clientHeight >= 30)"
        assert await page.run(tall)
        assert await page.run(CONTRAST) >= 4.5

        for number in range(4):
            await write(page, f"{number} " + "words " * 40)
            await page.until(f"{SAID} == {number + 3}")
        # The conversation scrolls, and nothing beside it.
        assert await page.run(
            "document.getElementById('log').scrollHeight > document.getElementById('log').clientHeight"
        )
        assert await page.run("document.documentElement.scrollHeight <= window.innerHeight")


CONTRAST = """(() => {
    const light = (colour) => {
        const [r, g, b] = colour.match(/[0-9.]+/g).map(Number).map((v) => v / 255)
            .map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const ground = (one) => {
        const colour = getComputedStyle(one).backgroundColor;
        return colour === 'rgba(0, 0, 0, 0)' && one.parentElement ? ground(one.parentElement) : colour;
    };
    const seen = document.querySelectorAll('.said:not(.thinking), .tap:enabled, a.tap, small, strong, h1, #send');
    return Math.min(...[...seen].map((one) => {
        const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
        return (a + .05) / (b + .05);
    }));
})()"""
"""The weakest contrast of text on its ground."""

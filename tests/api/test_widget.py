"""The web widget: its session by HTTP, and its page in a real Chromium."""

from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import orjson
import pytest
from tests.servers.browser import Page, browser
from tests.servers.gateway import SECRET, Answered, Channel, desk_project, serving

from greenroom.clock import FrozenClock, SystemClock
from greenroom.operations.context import Context
from greenroom.operations.conversations import ConversationsRequest, list_conversations

OPENED = b'{"kind":"opened"}'


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[tuple[Channel, Context]]:
    async with serving(desk_project(tmp_path)) as served:
        yield served


class Visitor:
    """A page, as the server sees it."""

    def __init__(self, channel: Channel, token: str) -> None:
        self._channel = channel
        self.token = token

    async def do(self, event: bytes, message_id: str) -> Answered:
        headers = {"Authorization": f"Bearer {self.token}"}
        return await self._channel.request(
            "POST", f"/widget/api/desk/messages/{message_id}", data=event, headers=headers
        )

    async def so_far(self) -> Answered:
        headers = {"Authorization": f"Bearer {self.token}"}
        return await self._channel.request("GET", "/widget/api/desk/messages", headers=headers)


async def visitor(channel: Channel) -> Visitor:
    begun = await channel.request("POST", "/widget/api/desk/session")
    assert begun.status == 200
    return Visitor(channel, begun.body["token"])


async def test_each_visitor_has_a_conversation_of_their_own(desk: tuple[Channel, Context]) -> None:
    channel, context = desk
    ana, ben = await visitor(channel), await visitor(channel)

    assert (await ana.do(OPENED, "1")).texts == ["Hello, this is Lakeside."]
    assert (await ben.do(OPENED, "1")).texts == ["Hello, this is Lakeside."]
    assert (await ana.do(b'{"kind":"said","text":"Hi"}', "2")).texts == ["You said: Hi"]
    assert [line["text"] for line in (await ana.so_far()).body["lines"]] == [
        "Hello, this is Lakeside.",
        "Hi",
        "You said: Hi",
    ]
    assert len((await ben.so_far()).body["lines"]) == 1
    assert len((await list_conversations(context, ConversationsRequest())).conversations) == 2


async def test_nothing_is_kept_before_a_visitor_does_something(desk: tuple[Channel, Context]) -> None:
    channel, context = desk
    await visitor(channel)
    assert (await list_conversations(context, ConversationsRequest())).conversations == ()


async def test_a_repeat_is_harmless(desk: tuple[Channel, Context]) -> None:
    ana = await visitor(desk[0])
    first = await ana.do(b'{"kind":"said","text":"Hi"}', "1")
    again = await ana.do(b'{"kind":"said","text":"Hi"}', "1")
    assert again.texts == first.texts
    assert len((await ana.so_far()).body["lines"]) == 2


async def test_only_a_token_of_ours_that_is_not_old_opens_a_session(tmp_path: Path) -> None:
    maker = desk_project(tmp_path)
    async with serving(maker) as (channel, _):
        ana = await visitor(channel)
        claims, _, mark = ana.token.partition(".")
        for token in ("", "x", f"{claims}.", f".{mark}", f"{claims}x.{mark}", ana.token[:-1], "é.ü"):
            other = Visitor(channel, token)
            assert (await other.do(OPENED, "1")).status == 401, token
            assert (await other.so_far()).status == 401, token
        assert (await ana.do(OPENED, "1")).status == 200
    later = FrozenClock(SystemClock().now() + timedelta(minutes=31))
    async with serving(maker, clock=later) as (channel, _):
        old = await Visitor(channel, ana.token).so_far()
        assert old.status == 401
        assert old.body["detail"].startswith("this session is over")


async def test_the_page_holds_no_secret_and_loads_nothing_from_elsewhere(desk: tuple[Channel, Context]) -> None:
    channel, _ = desk
    page = await channel.request("GET", "/widget/desk")
    files = [await channel.request("GET", f"/widget/static/{name}") for name in ("widget.js", "widget.css")]

    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert [one.status for one in files] == [200, 200]
    assert not any(SECRET in str(one.body) or "://cdn" in str(one.body) for one in (page, *files))
    assert (await channel.request("GET", "/widget/static/../app.py")).status == 404
    assert (await channel.request("GET", "/widget/nobody")).status == 404


async def test_an_agent_s_name_is_text_on_the_page(tmp_path: Path) -> None:
    maker = desk_project(tmp_path, agent={"name": "<script>alert(1)</script> & Söhne $agent"})
    async with serving(maker) as (channel, _):
        page = (await channel.request("GET", "/widget/desk")).body
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; Söhne $agent" in page


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
        lines = "[...document.querySelectorAll('.said:not(.thinking)')].map(line => line.textContent)"
        await page.until(f"{SAID} == 3")
        assert await page.run(lines) == [
            "Hello, this is Lakeside.",
            "marinas <b>please</b>",
            "We rent from two marinas.",
            "Saturday, 2 pm",
            "You said: 2026-06-06T14:00",
        ]

        await write(page, "bye")
        await page.until("document.getElementById('note').textContent == 'This conversation is over.'")
        assert page.complaints == []
    (one,) = (await list_conversations(context, ConversationsRequest())).conversations
    assert one.turns == 3


@pytest.mark.slow
async def test_what_does_not_get_through_is_sent_again_and_arrives_once(desk: tuple[Channel, Context]) -> None:
    channel, context = desk
    async with browser() as page:
        await page.open(f"{channel.url}/widget/desk")
        await page.until(f"{SAID} == 1")
        await page.ask(
            "Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )
        await write(page, "Hi")
        await page.until("document.querySelector('#note button')")
        await page.ask(
            "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )
        await page.run("document.querySelector('#note button').click()")
        await page.until(f"{SAID} == 2")
        assert await page.run("document.querySelectorAll('.person').length") == 1
        assert await page.run("document.querySelectorAll('.unsent').length") == 0
    (one,) = (await list_conversations(context, ConversationsRequest())).conversations
    assert one.turns == 1


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

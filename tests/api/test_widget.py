"""The web widget: its sessions and its page by HTTP."""

import re
from collections.abc import AsyncGenerator
from datetime import timedelta
from html import unescape
from pathlib import Path

import orjson
import pytest
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


FILES = ("widget.js", "parts.js", "words.js", "widget.css")


async def test_the_page_holds_no_secret_and_loads_nothing_from_elsewhere(desk: tuple[Channel, Context]) -> None:
    channel, _ = desk
    page = await channel.request("GET", "/widget/desk")
    files = [await channel.request("GET", f"/widget/static/{name}") for name in FILES]

    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert [one.status for one in files] == [200, 200, 200, 200]
    assert not any(SECRET in str(one.body) or "://cdn" in str(one.body) for one in (page, *files))
    assert (await channel.request("GET", "/widget/static/../app.py")).status == 404
    assert (await channel.request("GET", "/widget/nobody")).status == 404


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_while_nothing_is_published_the_page_says_that_nobody_is_there(tmp_path: Path, method: str) -> None:
    async with serving(desk_project(tmp_path), published=False) as (channel, _):
        page = await channel.request(method, "/widget/desk")
        session = await channel.request("POST", "/widget/api/desk/session")
        assert (page.status, page.type) == (503, "text/html")
        assert method == "HEAD" or "Please come back later." in page.body
        assert session.body["detail"] == "it can't be answered now; send it again in a moment"


async def test_what_went_wrong_inside_is_told_where_the_server_runs_and_not_to_visitors(tmp_path: Path) -> None:
    trouble: list[str] = []
    async with serving(desk_project(tmp_path), trouble=trouble) as (channel, _):
        ana = await visitor(channel)
        broken = await ana.do(b'{"kind":"said","text":"break"}', "1")
        assert broken.status == 502
        assert broken.body["detail"] == "it can't be answered now; send it again in a moment"
    (told,) = trouble
    assert "script:models/agent.yaml" in told


async def test_nobody_writes_lines_of_their_own_where_trouble_is_told(tmp_path: Path) -> None:
    trouble: list[str] = []
    async with serving(desk_project(tmp_path), trouble=trouble) as (channel, _):
        ana = await visitor(channel)
        await ana.do(b'{"kind":"said","text":"break"}', "%e2%80%ae%c2%ad.llew si llA")
    (told,) = trouble
    assert not {"\u202e", "\u00ad"} & set(told)


async def test_a_file_that_has_not_changed_is_not_sent_again(desk: tuple[Channel, Context]) -> None:
    channel, _ = desk
    first = await channel.request("GET", "/widget/static/widget.js")
    again = await channel.request("GET", "/widget/static/widget.js", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body) == (304, "")
    assert first.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(("name", "initial"), [("<b>Desk", "&lt;"), ("söhne", "S"), ("", "D")])
async def test_the_page_shows_the_first_letter_of_the_agent_s_name(tmp_path: Path, name: str, initial: str) -> None:
    async with serving(desk_project(tmp_path, agent={"name": name})) as (channel, _):
        assert f'aria-hidden="true">{initial}</span>' in (await channel.request("GET", "/widget/desk")).body


@pytest.mark.parametrize(
    ("language", "html"),
    [
        ("", '<html lang="en" dir="ltr">'),
        ("pt-BR", '<html lang="pt-BR" dir="ltr">'),
        ("he", '<html lang="he" dir="rtl">'),
        ("ks-Deva", '<html lang="ks-Deva" dir="ltr">'),
        ("az-Arab-IR", '<html lang="az-Arab-IR" dir="rtl">'),
    ],
)
async def test_the_page_is_in_the_language_and_the_words_of_the_agent_s_document(
    tmp_path: Path, language: str, html: str
) -> None:
    web = {"language": language, "words": {"send": 'L"os & <weiter>', "over": "Schluss."}}
    async with serving(desk_project(tmp_path, agent={"channels": {"web": web}})) as (channel, _):
        page = str((await channel.request("GET", "/widget/desk")).body)
    assert html in page
    assert ">L&quot;os &amp; &lt;weiter&gt;</button>" in page
    assert 'placeholder="Write a message"' in page
    (told,) = re.findall(r'data-words="([^"]*)"', page)
    words = orjson.loads(unescape(told))
    assert (words["send"], words["over"], words["again"]) == ('L"os & <weiter>', "Schluss.", "Try again")


async def test_an_agent_s_name_is_text_on_the_page(tmp_path: Path) -> None:
    maker = desk_project(tmp_path, agent={"name": "<script>alert(1)</script> & Söhne $agent"})
    async with serving(maker) as (channel, _):
        page = (await channel.request("GET", "/widget/desk")).body
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; Söhne $agent" in page

"""How much a server takes at a time; past it, it says when to come again and keeps nothing."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
from tests.servers.gateway import LOOKS_UP, Channel, Held, desk_project, serving
from tests.servers.webhooks import endpoint

from greenroom.operations.conversations import ConversationsRequest, list_conversations
from greenroom.server import Bounds, ServeOptions, address_to_open


@pytest.mark.parametrize(
    ("written", "bound", "opened"),
    [
        ("0.0.0.0", "0.0.0.0", "http://localhost:8000"),
        ("::", "::", "http://localhost:8000"),
        ("127.0.0.1", "127.0.0.1", "http://127.0.0.1:8000"),
        ("::1", "::1", "http://[::1]:8000"),
        ("fe80::1%eth0", "fe80::1%eth0", "http://[fe80::1%eth0]:8000"),
        ("greenroom.example", "192.0.2.1", "http://greenroom.example:8000"),
    ],
)
def test_the_address_that_is_told_is_one_that_can_be_opened(written: str, bound: str, opened: str) -> None:
    assert address_to_open(written, bound, 8000) == opened


async def test_what_listens_everywhere_is_opened_at_the_address_it_tells(tmp_path: Path) -> None:
    options = ServeOptions(host="0.0.0.0", port=0)
    async with serving(desk_project(tmp_path), options=options) as (channel, _):
        assert channel.url.startswith("http://localhost:")
        assert (await channel.request("GET", "/healthz")).status == 200


@pytest.mark.parametrize(
    ("asked", "begun"),
    [
        (b"", b""),
        (b"", b"POST /gateway/web/desk HTTP/1.1\r\nX-"),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /hea"),
    ],
    ids=["silent", "half a head", "half a second head"],
)
async def test_a_connection_on_which_nobody_comes_to_the_point_is_closed(
    tmp_path: Path, asked: bytes, begun: bytes
) -> None:
    """As many as a machine can hold would else keep everybody out."""
    options = within(Bounds(head_seconds=0.2))
    async with (
        serving(desk_project(tmp_path), options=options) as (channel, _),
        connection(channel) as (reader, writer),
    ):
        if asked:
            writer.write(asked)
            assert b"200 OK" in await asyncio.wait_for(reader.readuntil(b'{"status":"ok"}'), 4)
        writer.write(begun)
        assert await asyncio.wait_for(reader.read(), 4) == b""


async def test_a_body_that_comes_byte_by_byte_is_not_waited_for(tmp_path: Path) -> None:
    head = b"POST /gateway/web/desk HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n"
    options = within(Bounds(body_seconds=0.3, head_seconds=0.3))
    async with (
        serving(desk_project(tmp_path), options=options) as (channel, context),
        connection(channel) as (reader, writer),
    ):
        writer.write(head)
        answering = asyncio.create_task(reader.readuntil(b"}"))
        await trickle(writer, answering)
        answer = await answering
        assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        assert b"the body did not arrive within 0.3 s; send it again" in answer

        closing = asyncio.create_task(reader.read())
        await trickle(writer, closing)
        assert isinstance(closing.exception(), ConnectionError | None)
        assert (await list_conversations(context, ConversationsRequest())).conversations == ()


async def trickle(writer: asyncio.StreamWriter, until: asyncio.Task[bytes]) -> None:
    """Byte by byte, until something is read or nothing more can be."""
    async with asyncio.timeout(4):
        while not until.done():
            writer.write(b" ")
            await asyncio.wait([until], timeout=0.05)


async def test_past_a_number_of_connections_requests_are_told_to_come_again_and_past_twice_as_many_nothing(
    tmp_path: Path,
) -> None:
    ask = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    async with (
        serving(desk_project(tmp_path), options=within(Bounds(connections=2))) as (channel, _),
        AsyncExitStack() as open_,
    ):
        opened = [await open_.enter_async_context(connection(channel)) for _ in range(5)]
        assert await asyncio.wait_for(opened[4][0].read(), 4) == b""

        opened[1][1].write(ask)
        assert b"200 OK" in await asyncio.wait_for(opened[1][0].readuntil(b"}"), 4)
        opened[2][1].write(ask)
        answer = await asyncio.wait_for(opened[2][0].read(), 4)
        assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"\r\nretry-after: 5\r\n" in answer.lower()
        assert b"this server has no room now" in answer


async def test_past_a_number_of_events_others_are_told_to_come_again_and_nothing_of_them_is_kept(
    tmp_path: Path,
) -> None:
    held = Held()
    trouble: list[str] = []
    async with endpoint(held.answer) as orders:
        tools = {"look_up": {"description": "Looks up.", "url": orders.url, "method": "POST"}}
        maker = desk_project(tmp_path, rules=LOOKS_UP, agent={"tools": tools})
        async with serving(maker, trouble=trouble, options=within(Bounds(at_once=1))) as (channel, context):
            first = asyncio.create_task(channel.said("ready?", message_id="m0"))
            await asyncio.wait_for(held.came.wait(), 20)
            session = (await channel.request("POST", "/widget/api/desk/session")).body["token"]
            for _ in range(2):
                refused = await channel.said("Hi", message_id="m1", identity="ben")
                assert refused.status == 503
                assert refused.headers["Retry-After"] == "5"
                assert refused.body["detail"] == "no more than 1 event at once can be served; send it again in a moment"
            visitor = await channel.request(
                "POST",
                "/widget/api/desk/messages/1",
                data=b'{"kind":"opened"}',
                headers={"Authorization": f"Bearer {session}"},
            )
            assert (visitor.status, visitor.type) == (503, "application/problem+json")
            assert (await channel.request("GET", "/healthz")).status == 200
            assert len((await list_conversations(context, ConversationsRequest())).conversations) == 1
            held.go.set()
            assert (await first).texts == ["It is ready."]
            assert (await channel.said("Hi", message_id="m1", identity="ben")).texts == ["You said: Hi"]
    assert trouble == ["no more than 1 event at once can be served (--at-once); others are answered with 503"]


def within(bounds: Bounds) -> ServeOptions:
    return ServeOptions(port=0, bounds=bounds)


@asynccontextmanager
async def connection(channel: Channel) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection as it is, without HTTP."""
    host, _, port = channel.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

"""A real OpenAI-compatible server on loopback whose answers, faults and latency a test writes down.

It listens in the test's own event loop. What a test doesn't write is answered "ok".
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import orjson
from aiohttp import web

__all__ = ["Asked", "ChatServer", "Reply", "called", "chat_server", "encoded_chat", "said", "serving"]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer of the server. Without `body` it is a chat completion made of the other fields."""

    text: str | None = None
    calls: Sequence[tuple[str, Any]] = ()
    """Tool names with their arguments: a value is encoded, a string goes out as it stands."""
    finish: str | None = None
    refusal: str | None = None
    usage: Mapping[str, Any] | None = field(default_factory=lambda: {"prompt_tokens": 20, "completion_tokens": 5})
    model: str = "loopback-1"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    stream: bool = False
    cut: bool = False
    """The connection breaks off in the middle of the body."""
    hang: bool = False
    """No answer ever comes."""
    seconds: float = 0.0
    """The answer takes so long."""


Encode: TypeAlias = Callable[[Reply, bool], bytes]
"""A reply in some wire format, as a stream of events when the second value says so."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(kw_only=True)
class ChatServer:
    """What the server is to answer, and what it was asked."""

    url: str
    """The base URL, with `/v1`."""
    replies: deque[Reply] = field(default_factory=deque[Reply])
    asked: list[Asked] = field(default_factory=list[Asked])
    connections: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    in_flight: int = 0
    most_in_flight: int = 0
    refuses: dict[str, Reply] = field(default_factory=dict[str, Reply])
    """Answers for every request whose body has this key, before any other."""
    room: int | None = None
    """So many requests at once are taken; any other is answered by `full`, at once."""
    full: Reply = field(default_factory=lambda: Reply(status=429, headers={"Retry-After": "1"}, body=b"{}"))

    def answer(self, *replies: Reply) -> None:
        """Add answers; each is given once, in order."""
        self.replies.extend(replies)


def said(text: str) -> Reply:
    """An answer of text."""
    return Reply(text=text)


def called(*calls: tuple[str, Any]) -> Reply:
    """An answer that calls tools."""
    return Reply(calls=calls)


def chat_server() -> AbstractAsyncContextManager[ChatServer]:
    """An OpenAI-compatible server for as long as the block runs."""
    return serving(encoded_chat)


@asynccontextmanager
async def serving(encode: Encode) -> AsyncGenerator[ChatServer]:
    """A server on a free port of loopback that writes its answers with `encode`."""
    released = asyncio.Event()
    server = ChatServer(url="")

    async def handle(request: web.Request) -> web.StreamResponse:
        return await _handle(server, request, released, encode)

    app = web.Application()
    app.router.add_post("/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = cast("tuple[str, int]", runner.addresses[0])[1]
    server.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield server
    finally:
        released.set()
        await runner.cleanup()


async def _handle(
    server: ChatServer, request: web.Request, released: asyncio.Event, encode: Encode
) -> web.StreamResponse:
    body = orjson.loads(await request.read())
    server.asked.append(Asked(path=request.path_qs, headers=dict(request.headers), body=body))
    transport = request.transport
    if transport is not None:
        server.connections.add(cast("tuple[str, int]", transport.get_extra_info("peername")))
    server.in_flight += 1
    server.most_in_flight = max(server.most_in_flight, server.in_flight)
    try:
        if server.room is not None and server.in_flight > server.room:
            return await _send(server.full, request, encode, streamed=False)
        reply = next((found for key, found in server.refuses.items() if key in body), None)
        if reply is None:
            reply = server.replies.popleft() if server.replies else said("ok")
        if reply.hang:
            await released.wait()
        if reply.seconds:
            await _wait(reply.seconds, released)
        streamed = reply.stream or body.get("stream") is True
        return await _send(reply, request, encode, streamed=streamed)
    finally:
        server.in_flight -= 1


async def _wait(seconds: float, released: asyncio.Event) -> None:
    """Latency, ended early when the server stops."""
    try:
        async with asyncio.timeout(seconds):
            await released.wait()
    except TimeoutError:
        return


async def _send(reply: Reply, request: web.Request, encode: Encode, *, streamed: bool) -> web.StreamResponse:
    data = reply.body if reply.body is not None else encode(reply, streamed)
    kind = "text/event-stream" if streamed and reply.status == 200 else "application/json"
    headers = {"Content-Type": kind, **reply.headers}
    if not reply.cut:
        return web.Response(status=reply.status, body=data, headers=headers)
    response = web.StreamResponse(status=reply.status, headers=headers)
    response.content_length = len(data)
    await response.prepare(request)
    await response.write(data[: len(data) // 2])
    if request.transport is not None:
        request.transport.close()
    return response


def encoded_chat(reply: Reply, streamed: bool) -> bytes:
    """A chat completion, or its stream."""
    calls = [
        {
            "id": f"call_{index}",
            "type": "function",
            "index": index,
            "function": {
                "name": tool,
                "arguments": arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode(),
            },
        }
        for index, (tool, arguments) in enumerate(reply.calls)
    ]
    finish = reply.finish or ("tool_calls" if calls else "stop")
    if streamed:
        return _streamed(reply, calls, finish)
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if calls:
        message["tool_calls"] = calls
    if reply.refusal is not None:
        message["refusal"] = reply.refusal
    return orjson.dumps({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": reply.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": reply.usage,
    })


def _streamed(reply: Reply, calls: list[dict[str, Any]], finish: str) -> bytes:
    """The same as events: text in pieces of four characters, arguments in two pieces."""
    text = reply.text or ""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": text[at : at + 4]} for at in range(0, len(text), 4)]
    for call in calls:
        arguments = call["function"]["arguments"]
        half = len(arguments) // 2
        deltas.append({"tool_calls": [{**call, "function": {**call["function"], "arguments": arguments[:half]}}]})
        deltas.append({"tool_calls": [{"index": call["index"], "function": {"arguments": arguments[half:]}}]})
    chunks: list[dict[str, Any]] = [
        {"model": reply.model, "choices": [{"index": 0, "delta": delta}]} for delta in deltas
    ]
    chunks.append({"model": reply.model, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    chunks.append({"model": reply.model, "choices": [], "usage": reply.usage})
    events = [b"data: " + orjson.dumps(chunk) for chunk in chunks]
    return b"\n\n".join([*events, b"data: [DONE]"]) + b"\n\n"

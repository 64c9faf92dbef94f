"""The real server on loopback, in this process or one of its own, and a channel that talks to it."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import orjson
from aiohttp import web
from tests.projects import ProjectMaker, written_project

from greenroom.clock import Clock, SystemClock
from greenroom.conversation.channels import Channel as Names
from greenroom.conversation.summaries import ShownConversation
from greenroom.operations.context import Context, opened
from greenroom.operations.conversations import (
    ConversationsRequest,
    list_conversations,
    show_conversation,
)
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.server import ServeOptions, serve
from greenroom.world.signing import HEADER, Signer, signature

__all__ = [
    "LOOKS_UP",
    "NOTHING",
    "SECRET",
    "Answered",
    "Channel",
    "Held",
    "ServerProcess",
    "desk_project",
    "document_of",
    "eventually",
    "only_conversation",
    "serving",
    "started_process",
]

T = TypeVar("T")

SECRET = "s3cret-of-the-channel"
SOURCES = Path(__file__).parent.parent.parent / "src"

NOTHING: Mapping[str, object] = {}

ECHO: Sequence[object] = (
    {"when": {"answered": "send_message"}, "reply": ""},
    {
        "when": {"last": {"regex": "^marinas"}},
        "calls": [{"tool": "send_message", "arguments": {"template": "marinas"}}],
    },
    {
        "when": {"last": {"regex": "^bye"}},
        "reply": "Goodbye.",
        "calls": [{"tool": "end_conversation", "arguments": NOTHING}],
    },
    {
        "when": {"last": {"regex": "^human"}},
        "reply": "One moment.",
        "calls": [{"tool": "hand_over", "arguments": {"reason": "asked for one"}}],
    },
    {"when": {"last": {"regex": "^break"}}, "fault": "rejected"},
    {"reply": "You said: {{last}}"},
)
"""An agent that says what it was told, and a few words that make it do something else."""

LOOKS_UP: Sequence[object] = (
    {"when": {"answered": "look_up"}, "reply": "It is ready."},
    {"when": {"last": "ready?"}, "calls": [{"tool": "look_up", "arguments": NOTHING}]},
    {"reply": "You said: {{last}}"},
)
"""An agent that asks its tool `look_up` when it reads `ready?`."""


class Held:
    """An endpoint that keeps each caller waiting until a test lets it go."""

    def __init__(self) -> None:
        self.came = asyncio.Event()
        self.go = asyncio.Event()

    async def answer(self, _: web.Request) -> web.Response:
        """Wait."""
        self.came.set()
        await self.go.wait()
        return web.json_response({"ok": True})


TEMPLATES: Mapping[str, object] = {
    "marinas": [
        {"text": "We rent from two marinas."},
        {"carousel": [{"title": "North", "subtitle": "12 boats", "chips": ["Book at North"]}, {"title": "South"}]},
        {"time_picker": [{"start": "2026-06-06T14:00", "label": "Saturday, 2 pm"}]},
        {"confirm": ["Yes", "No"]},
        {"chips": ["Something else", {"label": "Rates", "link": "https://lakeside.example/rates"}]},
    ]
}


def desk_project(
    root: Path,
    *,
    rules: Sequence[object] = ECHO,
    database: str | None = None,
    agent: Mapping[str, object] | None = None,
    outbound: str | None = None,
    project: Mapping[str, object] | None = None,
) -> ProjectMaker:
    """A desk on every channel; SMS and rich messages leave by webhook when there is an address for them."""
    leaves: dict[str, object] = {} if outbound is None else {"outbound": "${OUTBOUND}"}
    secret = {"secret": "${CHANNEL_SECRET}"}
    maker = written_project(
        root,
        rules=rules,
        cases={"nothing": {"script": ["Hi"], "expect": [{"no_tool_called": True}]}},
        project={**({} if database is None else {"database": database}), **(project or {})},
        agent={
            "channels": {"web": secret, "sms": {**secret, **leaves}, "rich": {**secret, **leaves}, "web_voice": secret},
            "templates": TEMPLATES,
            "notifications": None,
            "hand_over": {},
            **(agent or {}),
        },
    )
    maker.environment["CHANNEL_SECRET"] = SECRET
    if outbound is not None:
        maker.environment["OUTBOUND"] = outbound
    return maker


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What an HTTP request came to."""

    status: int
    type: str
    body: Any
    headers: Mapping[str, str]

    @property
    def texts(self) -> list[str]:
        """What the agent says, in words."""
        return [message["text"] for message in self.body["messages"]]


@dataclass(kw_only=True)
class Channel:
    """A channel's adapter: signs, sends, and counts its messages."""

    url: str
    session: aiohttp.ClientSession
    name: str = "web"
    agent: str = "desk"
    secret: str = SECRET
    clock: Clock = field(default_factory=SystemClock)
    counted: int = 0

    async def said(self, text: str, *, message_id: str | None = None, **more: object) -> Answered:
        """The person says something."""
        return await self.event({"kind": "said", "text": text}, message_id=message_id, **more)

    async def event(self, event: object, *, message_id: str | None = None, **more: object) -> Answered:
        """The person does something."""
        self.counted += 1
        told = {"message_id": message_id or f"m{self.counted}", "identity": "ana", "event": event, **more}
        return await self.post(orjson.dumps(told))

    def signature(self, body: bytes) -> str:
        """The right one for this body."""
        signer = Signer(channel=Names(self.name), agent=self.agent, secret=self.secret)
        return signature(signer, body, self.clock.now())

    async def post(self, body: bytes, *, signed: str | None = None, **headers: str) -> Answered:
        """Any body; `signed` in place of the right signature, empty for none."""
        right = self.signature(body) if signed is None else signed
        sent = {**headers, **({HEADER: right} if right else {})}
        return await self.request("POST", f"/gateway/{self.name}/{self.agent}", data=body, headers=sent)

    async def request(
        self,
        method: str,
        path: str,
        *,
        data: bytes | AsyncIterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answered:
        """Any request; a body is JSON unless the headers say something else."""
        headers = {"Content-Type": "application/json", **(headers or {})} if data is not None else headers
        async with self.session.request(method, f"{self.url}{path}", data=data, headers=headers) as response:
            body = await response.read()
            json = "json" in response.content_type and bool(body)
            return Answered(
                status=response.status,
                type=response.content_type,
                body=orjson.loads(body) if json else body.decode(),
                headers=response.headers,
            )


@asynccontextmanager
async def serving(
    maker: ProjectMaker,
    *,
    published: bool = True,
    clock: Clock | None = None,
    trouble: list[str] | None = None,
    options: ServeOptions | None = None,
    stop: asyncio.Event | None = None,
) -> AsyncGenerator[tuple[Channel, Context]]:
    """The server in this process until `stop` or the end of the block; it ends cleanly, with no trouble unasked for."""
    stop, ready = stop or asyncio.Event(), asyncio.Queue[str]()
    told: list[str] = [] if trouble is None else trouble

    def hear(line: str) -> None:
        # A receiver that fails on purpose is told of from the third try on: on a busy machine, or not at all.
        if " don't leave (" not in line:
            told.append(line)

    async with opened(maker.root, environment=maker.environment, clock=clock or SystemClock()) as context:
        if published:
            await publish(context, PublishRequest(agent="desk"))
        running = asyncio.create_task(
            serve(context, options or ServeOptions(port=0), stop=stop, ready=ready.put_nowait, trouble=hear)
        )
        first = asyncio.create_task(ready.get())
        try:
            await asyncio.wait([running, first], return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                await running
            async with aiohttp.ClientSession() as session:
                yield Channel(url=first.result(), session=session), context
        finally:
            stop.set()
            await running
    assert trouble is not None or told == []


@dataclass(kw_only=True)
class ServerProcess:
    """`greenroom serve` in a process of its own."""

    url: str
    process: subprocess.Popen[str]

    async def kill(self) -> None:
        """Without a warning."""
        self.process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(self.process.communicate)
        assert self.process.returncode == -signal.SIGKILL

    async def end(self) -> int:
        """As a service manager does; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(self.process.communicate)
        return self.process.returncode


@asynccontextmanager
async def started_process(maker: ProjectMaker) -> AsyncGenerator[ServerProcess]:
    """Start it and wait until it listens; whatever is left of it is killed at the end."""
    process = await asyncio.to_thread(
        subprocess.Popen,
        [sys.executable, "-m", "greenroom", "serve", "--port", "0", "--project", str(maker.root)],
        env={**os.environ, **maker.environment, "PYTHONPATH": str(SOURCES)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        url = await asyncio.wait_for(asyncio.to_thread(_address, process), 30)
        yield ServerProcess(url=url, process=process)
    finally:
        if process.poll() is None:
            process.kill()
        # Of one that ended by itself too, since its pipe is closed here.
        if process.stderr is not None and not process.stderr.closed:
            await asyncio.to_thread(process.communicate)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    said = list[str]()
    for line in process.stderr:
        if line.startswith("Listening on "):
            return line.split()[-1]
        said.append(line)
    raise AssertionError(f"the server ended with {process.wait()} before it listened and said: {''.join(said)}")


async def eventually(look: Callable[[], Awaitable[T]]) -> T:
    """What is looked for, as soon as it is there; the patience is for machines with much else to do."""
    async with asyncio.timeout(60):
        while True:
            found = await look()
            if found:
                return found
            await SystemClock().sleep(0.01)


async def only_conversation(context: Context) -> ShownConversation:
    page = await list_conversations(context, ConversationsRequest())
    (one,) = page.conversations
    return await show_conversation(context, one.conversation, records=True)


def document_of(desk: ProjectMaker) -> dict[str, object]:
    return orjson.loads((desk.root / "agents/desk.yaml").read_bytes())

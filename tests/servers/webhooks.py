"""A real HTTP endpoint on loopback that counts what reaches it and answers what a test writes down."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

__all__ = ["Endpoint", "Received", "endpoint"]

Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, kw_only=True)
class Received:
    """A request as it arrived."""

    method: str
    target: str
    """Path and query as they went over the wire."""
    headers: Mapping[str, str]
    body: str


@dataclass(kw_only=True)
class Endpoint:
    """Where it listens, and what has reached it."""

    url: str
    received: list[Received] = field(default_factory=list[Received])

    @property
    def targets(self) -> list[str]:
        """Paths and queries, in order."""
        return [request.target for request in self.received]


def endpoint(answer: Answering | None = None) -> AbstractAsyncContextManager[Endpoint]:
    """Serve until the block ends; without `answer` every request gets `{"ok": true}`."""
    return _serving(answer or _ok)


@asynccontextmanager
async def _serving(answer: Answering) -> AsyncGenerator[Endpoint, None]:
    here = Endpoint(url="")

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.text()
        here.received.append(
            Received(method=request.method, target=request.raw_path, headers=dict(request.headers), body=body)
        )
        return await answer(request)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    here.url = f"http://127.0.0.1:{port}"
    try:
        yield here
    finally:
        await runner.cleanup()


async def _ok(_request: web.Request) -> web.StreamResponse:
    return web.json_response({"ok": True})

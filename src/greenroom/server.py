"""Gateway, widget, delivery of messages, reviews and the tick, in one process; ended cleanly."""

import asyncio
import socket
from collections.abc import Callable, Generator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from math import ceil

import uvicorn

from greenroom.api.app import create_app
from greenroom.api.bodies import Bounds
from greenroom.api.connections import bounded_connections
from greenroom.api.widget import load_assets
from greenroom.clock import rest
from greenroom.errors import GreenroomError, UsageError
from greenroom.operations.context import Context
from greenroom.operations.gateway import Gateway, open_gateway
from greenroom.operations.tick import tick

__all__ = ["Bounds", "ServeOptions", "address_to_open", "serve"]

_TICK_S = 60.0
_ANSWER_S = 10
"""Seconds for the answers to requests whose turns were broken off."""
_NAMED = 5
"""So many conversations are named whose turns were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Where to listen, and how much to take."""

    host: str = "127.0.0.1"
    port: int = 8000
    """0: any that is free."""
    bounds: Bounds = field(default_factory=Bounds)
    finish_seconds: float = 120.0
    """For what is under way to come to its end; a turn takes at most 105."""


async def serve(
    context: Context,
    options: ServeOptions,
    *,
    stop: asyncio.Event,
    ready: Callable[[str], None],
    trouble: Callable[[str], None],
) -> None:
    """Serve until `stop`, then finish what is under way; what takes too long is broken off, and the next one serves it.

    Args:
        context: The opened project.
        options: Where.
        stop: Ends it.
        ready: Told an address that can be opened, once it listens.
        trouble: Told, in a sentence, of what went wrong beside any request.

    Raises:
        UsageError: it can't listen there.
    """
    assets = await asyncio.to_thread(load_assets)
    listening = await asyncio.to_thread(_bound, options.host, options.port)
    async with AsyncExitStack() as stack:
        stack.enter_context(listening)
        gateway = await stack.enter_async_context(open_gateway(context))
        app = create_app(context, gateway, assets, options.bounds, trouble)
        config = uvicorn.Config(
            app,
            host=options.host,
            port=options.port,
            log_level="warning",
            lifespan="off",
            server_header=False,
            http=bounded_connections(options.bounds),
            ws="none",
            timeout_graceful_shutdown=ceil(options.finish_seconds) + _ANSWER_S,
        )
        server = _Server(config, lambda at: ready(address_to_open(options.host, *at)))
        await gateway.send_what_can_leave_now()
        beside = [
            asyncio.create_task(gateway.jobs.deliver_until(stop, trouble), name="deliveries"),
            asyncio.create_task(gateway.reviewing.until(stop, gateway.server.closed, trouble), name="reviews"),
        ]
        ticking = asyncio.create_task(_tick_until(stop, context, gateway, trouble), name="tick")

        async def end() -> None:
            await stop.wait()
            server.should_exit = True
            await context.clock.sleep(options.finish_seconds)
            broken_off = gateway.server.break_off()
            ticking.cancel()
            if broken_off:
                trouble(_left(broken_off, options.finish_seconds))

        ending = asyncio.create_task(end(), name="end")
        try:
            for warning in await gateway.warnings():
                trouble(warning)
            await server.serve([listening])
        finally:
            stop.set()
            await asyncio.wait([ticking])
            await asyncio.gather(*beside)
            ending.cancel()
            await asyncio.wait([ending])


class _Server(uvicorn.Server):
    """Says where it listens, and leaves signals to the command."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[tuple[str, int]], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave them alone."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say where."""
        await super().startup(sockets)
        for listening in sockets or ():
            host, port, *_ = listening.getsockname()
            self._ready((host, port))


def address_to_open(written: str, host: str, port: int) -> str:
    """What a browser on this machine can open: nobody listens at 0.0.0.0 or ::, which mean every address there is.

    Args:
        written: The host that was asked for, a name or an address.
        host: The address that was bound.
        port: The port that was bound.
    """
    named = "localhost" if ip_address(host.partition("%")[0]).is_unspecified else written
    return f"http://[{named}]:{port}" if ":" in named else f"http://{named}:{port}"


def _bound(host: str, port: int) -> socket.socket:
    """A socket that is bound and doesn't listen yet. Blocks while the host's name is looked up."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise UsageError(f"can't listen on {host}:{port}: {error.strerror or error}") from None
    return bound


def _left(conversations: Sequence[str], seconds: float) -> str:
    """What is to be known of turns that were broken off, in the conversations of which they were."""
    count, named = len(conversations), ", ".join(dict.fromkeys(conversations[:_NAMED]))
    what, they = ("1 event", "it waits") if count == 1 else (f"{count} events", "they wait")
    more = " and more" if count > _NAMED else ""
    return (
        f"{what} could not be answered within {seconds:g} s after the signal to end ({named}{more}); "
        f"{they} for the next `greenroom serve` or `greenroom tick`"
    )


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, GreenroomError) else f"{type(error).__name__}: {error}"


async def _tick_until(stop: asyncio.Event, context: Context, gateway: Gateway, trouble: Callable[[str], None]) -> None:
    while not stop.is_set():
        try:
            await tick(context, gateway, beside_server=stop)
        # The next minute may be better, and nothing else would ever say that there are no ticks any more.
        except Exception as error:  # noqa: BLE001
            trouble(f"the tick failed: {_told(error)}")
        await rest(context.clock, _TICK_S, stop)

"""Connections: so many, and none on which nobody ever asks for anything, else a few hundred would fill a server.

uvicorn has a time limit between two requests of a connection, and none until the first or in the middle of a head. Past
its own bound on connections it answers without saying when to come again. A body's time is bounded in `api.bodies`.
"""

import asyncio
from typing import Any, cast

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from greenroom.api.bodies import Bounds
from greenroom.api.problems import AGAIN_LATER, problem

__all__ = ["bounded_connections"]


_FULL = problem(503, "this server has no room now; send it again in a moment", {**AGAIN_LATER, "Connection": "close"})


class _BoundedConnections(H11Protocol):
    bounds: Bounds

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._giving_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  # as in the class above
        super().connection_made(transport)
        if len(self.connections) > 2 * self.bounds.connections:
            transport.abort()
            return
        if len(self.connections) > self.bounds.connections:
            self.app = _FULL
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._done()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def _watch(self) -> None:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is not None and not cycle.response_complete:
            self._done()
        elif self._giving_up is None and not self.transport.is_closing():
            self._giving_up = self.loop.call_later(self.bounds.head_seconds, self.transport.close)

    def _done(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None


def bounded_connections(bounds: Bounds) -> type[asyncio.Protocol]:
    """HTTP as uvicorn speaks it, within bounds: on connections, and on the time for a request's head."""

    class Bounded(_BoundedConnections):
        pass

    Bounded.bounds = bounds
    return Bounded

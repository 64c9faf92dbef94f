"""What is taken in at a time: a body within a size and a time, before anybody has been let in, and so many events.

An event that is served costs a turn, and with it a model's call and connections of our own. Past a bound it is better
to say at once that it must come again than to answer everybody late.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from greenroom.api.problems import AGAIN_LATER
from greenroom.errors import EventNotJson, EventTooLarge

__all__ = ["BODY_BYTES", "Bounds", "Intake", "refuse_other_media"]

BODY_BYTES = 262_144
"""More than that is no event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much one server takes upon itself."""

    at_once: int = 200
    """Events that are served at a time; more are answered with 503."""
    connections: int = 500
    """Open connections; the requests of more are answered with 503, and past twice as many they are closed."""
    head_seconds: float = 10.0
    """For a request's head to arrive."""
    body_seconds: float = 30.0
    """For its body."""


class Intake:
    """Takes bodies and events in, for as long as there is room."""

    def __init__(self, bounds: Bounds, trouble: Callable[[str], None]) -> None:
        """`trouble` is told when there is no room, once until there is plenty again."""
        self._bounds = bounds
        self._trouble = trouble
        self._served = 0
        self._told = False

    async def body(self, request: Request) -> bytes:
        """The body.

        Raises:
            EventTooLarge: it is too long, or says that it will be.
            HTTPException: it doesn't arrive in time (408).
        """
        announced = request.headers.get("content-length", "")
        if announced.isdigit() and int(announced) > BODY_BYTES:
            raise EventTooLarge(BODY_BYTES)
        body = bytearray()
        try:
            async with asyncio.timeout(self._bounds.body_seconds):
                async for piece in request.stream():
                    body += piece
                    if len(body) > BODY_BYTES:
                        raise EventTooLarge(BODY_BYTES)
        except (TimeoutError, ClientDisconnect):
            late = f"the body did not arrive within {self._bounds.body_seconds:g} s; send it again"
            # What is still on its way would reset the connection, and the answer be lost; it is closed a little later.
            raise HTTPException(408, late) from None
        return bytes(body)

    @contextmanager
    def one_event(self) -> Generator[None]:
        """Serve one more event.

        Raises:
            HTTPException: there are too many already (503).
        """
        most = self._bounds.at_once
        if self._served >= most:
            many = f"{most} event{'' if most == 1 else 's'} at once"
            if not self._told:
                self._trouble(f"no more than {many} can be served (--at-once); others are answered with 503")
            self._told = True
            raise HTTPException(503, f"no more than {many} can be served; send it again in a moment", AGAIN_LATER)
        self._served += 1
        try:
            yield
        finally:
            self._served -= 1
            self._told = self._told and self._served > most // 2


def refuse_other_media(request: Request) -> None:
    """Raise `EventNotJson` for a body that is announced as something else; one that isn't announced is read."""
    packed = request.headers.get("content-encoding", "identity").strip().lower()
    if packed != "identity":
        raise EventNotJson(f"packed ({packed!r})")
    media = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if media != "application/json" and not media.endswith("+json"):
        raise EventNotJson(repr(media))

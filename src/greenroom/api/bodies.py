"""Reading a request's body, bounded in size and time, before anybody has been let in."""

import asyncio

from fastapi import Request
from starlette.requests import ClientDisconnect

from greenroom.errors import EventMalformed, EventNotJson, EventTooLarge

__all__ = ["BODY_BYTES", "bounded_body", "refuse_other_media"]

BODY_BYTES = 262_144
"""More than that is no event."""
_SECONDS = 30.0


async def bounded_body(request: Request) -> bytes:
    """The body. Raises `EventTooLarge`, and `EventMalformed` for one that never ends."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > BODY_BYTES:
        raise EventTooLarge(BODY_BYTES)
    body = bytearray()
    try:
        async with asyncio.timeout(_SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > BODY_BYTES:
                    raise EventTooLarge(BODY_BYTES)
    except (TimeoutError, ClientDisconnect):
        raise EventMalformed(f"the body did not arrive within {_SECONDS:g} s") from None
    return bytes(body)


def refuse_other_media(request: Request) -> None:
    """Raise `EventNotJson` for a body that is announced as something else; one that isn't announced is read."""
    packed = request.headers.get("content-encoding", "identity").strip().lower()
    if packed != "identity":
        raise EventNotJson(f"packed ({packed!r})")
    media = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if media != "application/json" and not media.endswith("+json"):
        raise EventNotJson(repr(media))

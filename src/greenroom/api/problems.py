"""Errors as RFC 9457 problem details; status and text come from the error's class."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from greenroom.conversation.json_writing import escaped
from greenroom.conversation.visible import one_line
from greenroom.errors import (
    EventUnreadable,
    GreenroomError,
    NotLive,
    NotSigned,
    SessionOver,
    StoreError,
    TooManyWaiting,
)
from greenroom.operations.live_agents import ChannelNotReady

__all__ = ["AGAIN_LATER", "PROBLEMS", "PUBLIC", "SCHEMA", "FaultOut", "Problem", "problem", "tell_problems"]

SCHEMA = "/api/openapi.json"
_MEDIA_TYPE = "application/problem+json"
_LATER = (ChannelNotReady, NotLive, StoreError, TooManyWaiting)
_NO_NEWS = (ChannelNotReady, NotLive)
"""Told when the server starts already."""
AGAIN_LATER: Mapping[str, str] = {"Retry-After": "5"}
"""Says when to come again."""
PUBLIC = "/widget"
"""What stands below is called by anybody: they are not told what went wrong inside."""
_INSIDE = "it can't be answered now; send it again in a moment"


class FaultOut(BaseModel):
    """One thing that is wrong with a body."""

    pointer: str = Field(description="Where: a JSON pointer (RFC 6901) into the event, as `#/event/text`.")
    detail: str = Field(description="What is wrong there and what fits, in words.")


class Problem(BaseModel):
    """What went wrong."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[FaultOut] | None = Field(default=None, description="Status 422: everything that is wrong, one by one.")


PROBLEMS: Mapping[int | str, dict[str, Any]] = {
    "default": {
        "description": "What went wrong (RFC 9457).",
        "content": {_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
}
"""For a route's `responses`."""


def problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None, *, faults: Mapping[str, str] | None = None
) -> Response:
    """The answer for something that went wrong."""
    errors = [FaultOut(pointer=escaped(at), detail=escaped(told)) for at, told in (faults or {}).items()]
    told = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, errors=errors or None)
    body = orjson.dumps(told.model_dump(exclude_none=True))
    return Response(body, status_code=status, media_type=_MEDIA_TYPE, headers=dict(headers or {}))


def tell_problems(app: FastAPI, trouble: Callable[[str], None]) -> None:
    """Whatever goes wrong in a route is told as a problem, never as a trace; what went wrong here, to `trouble` too."""

    async def ours(request: Request, error: Exception) -> Response:
        # That nothing is published or set is no news, and anybody could have it written down without end.
        if isinstance(error, GreenroomError) and error.http_status >= 500 and not isinstance(error, _NO_NEWS):
            trouble(one_line(f"{request.method} {request.url.path}: {escaped(str(error))}"))
        return _ours(request, error)

    app.add_exception_handler(GreenroomError, ours)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(RequestValidationError, _of_request)
    app.add_exception_handler(Exception, _fault)


def _ours(request: Request, error: Exception) -> Response:
    status = error.http_status if isinstance(error, GreenroomError) else 500
    hidden = status >= 500 and request.url.path.startswith(f"{PUBLIC}/")
    faults = error.faults if isinstance(error, EventUnreadable) else None
    return problem(status, _INSIDE if hidden else escaped(str(error)), _headers(error), faults=faults)


def _headers(error: Exception) -> Mapping[str, str]:
    match error:
        case NotSigned():
            return {"WWW-Authenticate": "Greenroom-Signature"}
        case SessionOver():
            return {"WWW-Authenticate": "Bearer"}
        case _:
            return AGAIN_LATER if isinstance(error, _LATER) else {}


async def _of_http(_: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        return problem(500, "")
    return problem(error.status_code, error.detail, error.headers)


async def _of_request(_: Request, error: Exception) -> Response:
    found = error.errors() if isinstance(error, RequestValidationError) else ()
    places = ", ".join(f"`{'.'.join(map(str, one['loc']))}`" for one in found)
    return problem(422, escaped(f"the request does not fit the schema at {SCHEMA}: {places}"))


async def _fault(_: Request, error: Exception) -> Response:
    return problem(500, f"Greenroom itself failed ({type(error).__name__}); its log has the trace")

"""The web widget: a page that holds no secret, and the few calls that it makes (features.md D2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import TypeAdapter, ValidationError

from greenroom.api.bodies import bounded_body
from greenroom.api.events import PersonsEvent, answer_out, event_of, read_body
from greenroom.api.problems import PROBLEMS
from greenroom.errors import EventUnreadable, NotFound
from greenroom.operations.widget import Session, Widget

__all__ = ["Assets", "load_assets", "widget_routes"]

_EVENT: TypeAdapter[PersonsEvent] = TypeAdapter(PersonsEvent)
_TYPES = {"widget.css": "text/css", "widget.js": "text/javascript"}
_MESSAGE_ID_CHARS = 100
_SECURITY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src http: https: data:; "
        "base-uri 'none'; form-action 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""The page loads nothing from anywhere else but pictures; it may stand in a frame of any page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assets:
    """The page and its files, read once."""

    page: Template
    files: Mapping[str, bytes]


def load_assets() -> Assets:
    """Read them; blocks, so call it in a thread."""
    folder = files("greenroom.api") / "static"
    return Assets(
        page=Template((folder / "widget.html").read_text(encoding="utf-8")),
        files={name: (folder / name).read_bytes() for name in _TYPES},
    )


def widget_routes(widget: Widget, assets: Assets) -> APIRouter:
    """Page, files and calls."""
    routes = APIRouter(prefix="/widget", tags=["widget"], responses=dict(PROBLEMS))

    @routes.get("/static/{name}", include_in_schema=False)
    async def static(name: str) -> Response:
        if name not in assets.files:
            raise NotFound("file", name)
        headers = {**_SECURITY, "Cache-Control": "public, max-age=300"}
        return Response(assets.files[name], media_type=_TYPES[name], headers=headers)

    @routes.get("/{agent}", response_class=HTMLResponse)
    async def page(agent: str) -> Response:
        """The page for one agent."""
        name = escape(await widget.name(agent))
        html = assets.page.substitute(name=name, initial=name[:1].upper(), agent=escape(agent))
        return HTMLResponse(html, headers={**_SECURITY, "Cache-Control": "no-store"})

    @routes.post("/api/{agent}/session")
    async def begin(agent: str) -> Response:
        """A session for a new visitor."""
        return _private(_session(await widget.begin(agent)))

    @routes.get("/api/{agent}/messages")
    async def messages(agent: str, authorization: Annotated[str, Header()] = "") -> Response:
        """What was said so far."""
        so_far = await widget.so_far(agent, _token(authorization))
        lines = [{"by": line.by, "text": line.text, "message": line.message} for line in so_far.lines]
        return _private({"lines": lines, "ended": so_far.ended})

    @routes.post("/api/{agent}/messages/{message_id}")
    async def say(
        agent: str, message_id: str, request: Request, authorization: Annotated[str, Header()] = ""
    ) -> Response:
        """Something that the visitor did."""
        if len(message_id) > _MESSAGE_ID_CHARS:
            raise EventUnreadable(f"a message id has at most {_MESSAGE_ID_CHARS} characters")
        event = _event(await bounded_body(request))
        answer, session = await widget.say(agent, _token(authorization), message_id, event_of(event))
        return _private({**answer_out(answer), **_session(session)})

    return routes


def _event(body: bytes) -> PersonsEvent:
    try:
        return _EVENT.validate_python(read_body(body))
    except ValidationError as refused:
        raise EventUnreadable(f"this is no event: {refused.errors()[0]['msg']}") from None


def _token(authorization: str) -> str:
    return authorization.removeprefix("Bearer ").strip()


def _session(session: Session) -> dict[str, object]:
    return {"token": session.token, "expires_in": session.expires_in}


def _private(content: Mapping[str, object]) -> Response:
    return JSONResponse(dict(content), headers={"Cache-Control": "no-store"})

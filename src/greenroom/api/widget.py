"""The web widget: a page that holds no secret, and the few calls that it makes (features.md D2)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from greenroom.api.bodies import Intake, refuse_other_media
from greenroom.api.events import PersonsEvent, answer_out, event_of, read_as
from greenroom.api.faults import NO_CONTROLS, faults_of, unreadable
from greenroom.api.messages import AnswerOut, MessageOut
from greenroom.api.problems import PROBLEMS, PUBLIC
from greenroom.api.strict_json import strict_json
from greenroom.documents.channel_words import reads_from_right
from greenroom.errors import NotFound, NotLive
from greenroom.operations.widget import PageFacts, Session, Widget

__all__ = ["Assets", "LineOut", "SaidOut", "SessionOut", "SoFarOut", "load_assets", "widget_routes"]

_EVENT: TypeAdapter[PersonsEvent] = TypeAdapter(PersonsEvent)
_TYPES = {
    "widget.css": "text/css",
    "widget.js": "text/javascript",
    "parts.js": "text/javascript",
    "words.js": "text/javascript",
}
_LANGUAGE = "en"
"""Of the page's own words, when the agent's document says no other."""
_MESSAGE_ID: TypeAdapter[str] = TypeAdapter(Annotated[str, Field(min_length=1, max_length=100, pattern=NO_CONTROLS)])
_SECURITY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src http: https: data:; "
        "media-src http: https: data:; base-uri 'none'; form-action 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""The page loads nothing from anywhere else but pictures, films and sounds; it may stand in a frame of any page."""
_PAGE = {**_SECURITY, "Cache-Control": "no-store"}
_REQUEST: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("OpenedIn", "SaidIn", "TapIn")]
                }
            }
        },
    }
}


class SessionOut(BaseModel):
    """A session; its token goes into the header `Authorization: Bearer TOKEN`."""

    token: str
    expires_in: int = Field(description="Seconds.")


class SaidOut(AnswerOut, SessionOut):
    """An answer, and the token to go on with."""


class LineOut(BaseModel):
    """Something that was said."""

    by: str = Field(description="`person` or `agent`.")
    text: str
    message: MessageOut | None = Field(description="An agent's message whole.")


class SoFarOut(BaseModel):
    """A conversation up to now."""

    lines: list[LineOut]
    ended: str | None = Field(description="Why the agent's part is over; null while it isn't.")
    waiting: bool = Field(description="An answer is on its way.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assets:
    """The page, what stands in its place while nobody is there, and its files; read once."""

    page: Template
    closed: str
    files: Mapping[str, bytes]


def load_assets() -> Assets:
    """Read them; blocks, so call it in a thread."""
    folder = files("greenroom.api") / "static"
    return Assets(
        page=Template((folder / "widget.html").read_text(encoding="utf-8")),
        closed=(folder / "closed.html").read_text(encoding="utf-8"),
        files={name: (folder / name).read_bytes() for name in _TYPES},
    )


def widget_routes(widget: Widget, assets: Assets, intake: Intake) -> APIRouter:
    """Page, files and calls."""
    routes = APIRouter(prefix=PUBLIC, tags=["widget"], responses=dict(PROBLEMS))

    @routes.get("/static/{name}", include_in_schema=False)
    async def static(name: str, if_none_match: Annotated[str, Header()] = "") -> Response:
        if name not in assets.files:
            raise NotFound("file", name)
        content = assets.files[name]
        mark = f'"{sha256(content).hexdigest()[:32]}"'
        # Always asked for: a page of one version must not find the files of another.
        headers = {**_SECURITY, "Cache-Control": "no-cache", "ETag": mark}
        if mark in if_none_match:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=_TYPES[name], headers=headers)

    async def page(agent: str) -> Response:
        """The page for one agent."""
        try:
            facts = await widget.page(agent)
        except NotLive:
            # People look at this one; what is amiss is told where the server runs.
            return HTMLResponse(assets.closed, status_code=503, headers={**_PAGE, "Retry-After": "60"})
        return HTMLResponse(_filled(assets.page, agent, facts), headers=_PAGE)

    routes.add_api_route("/{agent}", page, response_class=HTMLResponse)
    routes.add_api_route("/{agent}", page, methods=["HEAD"], include_in_schema=False)

    @routes.post("/api/{agent}/session", response_model=SessionOut)
    async def begin(agent: str) -> Response:
        """A session for a new visitor."""
        return _private(_session(await widget.begin(agent)))

    @routes.get("/api/{agent}/messages", response_model=SoFarOut)
    async def messages(agent: str, authorization: Annotated[str, Header()] = "") -> Response:
        """What was said so far."""
        so_far = await widget.so_far(agent, _token(authorization))
        lines = [{"by": line.by, "text": line.text, "message": line.message} for line in so_far.lines]
        return _private({"lines": lines, "ended": so_far.ended, "waiting": so_far.waiting})

    @routes.post("/api/{agent}/messages/{message_id}", response_model=SaidOut, openapi_extra=_REQUEST)
    async def say(
        agent: str, message_id: str, request: Request, authorization: Annotated[str, Header()] = ""
    ) -> Response:
        """Something that the visitor did."""
        named = _named(message_id)
        refuse_other_media(request)
        event = read_as(_EVENT, strict_json(await intake.body(request)))
        with intake.one_event():
            answer, session = await widget.say(agent, _token(authorization), named, event_of(event))
        return _private({**answer_out(answer), **_session(session)})

    return routes


def _filled(page: Template, agent: str, facts: PageFacts) -> str:
    """The page in the agent's name, language and words; all of it is text."""
    texts = {
        "agent": agent,
        "name": facts.name,
        "initial": facts.name[:1].upper(),
        "language": facts.language or _LANGUAGE,
        "direction": "rtl" if reads_from_right(facts.language) else "ltr",
        "customs": facts.language,
        "words": orjson.dumps(facts.words).decode(),
        **{f"word_{key}": word for key, word in facts.words.items()},
    }
    return page.substitute({key: escape(text) for key, text in texts.items()})


def _named(message_id: str) -> str:
    """The message id of the address, if it is one."""
    try:
        return _MESSAGE_ID.validate_python(message_id)
    except ValidationError as refused:
        found = faults_of(refused, _MESSAGE_ID)
        raise unreadable([replace(one, path=("message_id",)) for one in found]) from None


def _token(authorization: str) -> str:
    return authorization.removeprefix("Bearer ").strip()


def _session(session: Session) -> dict[str, object]:
    return {"token": session.token, "expires_in": session.expires_in}


def _private(content: Mapping[str, object]) -> Response:
    return JSONResponse(dict(content), headers={"Cache-Control": "no-store"})

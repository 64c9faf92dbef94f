"""`POST /gateway/{channel}/{agent}`: webhooks of channels."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from greenroom.api.bodies import Intake, refuse_other_media
from greenroom.api.events import answer_out, channel_event
from greenroom.api.messages import AnswerOut
from greenroom.api.problems import PROBLEMS
from greenroom.operations.gateway import Gateway

__all__ = ["gateway_routes"]

_SIGNATURE = "Greenroom-Signature"
_REQUEST: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/EventIn"}}},
    },
    "parameters": [
        {
            "name": _SIGNATURE,
            "in": "header",
            "required": True,
            "description": "`t=UNIX,v1=HEX`: HMAC-SHA256 of `TIME.BODY`, or `v2`: of `TIME.CHANNEL.AGENT.BODY`; 300 s.",
            "schema": {"type": "string"},
        }
    ],
}


def gateway_routes(gateway: Gateway, intake: Intake) -> APIRouter:
    """The one route."""
    routes = APIRouter(tags=["gateway"])

    @routes.post(
        "/gateway/{channel}/{agent}", response_model=AnswerOut, responses=dict(PROBLEMS), openapi_extra=_REQUEST
    )
    async def receive(channel: str, agent: str, request: Request) -> Response:
        """Take an event of a channel and answer it.

        The body is read only after its signature was verified; 401 leaves no trace.
        """
        body = await intake.body(request)
        admitted = await gateway.admit(agent, channel, request.headers.get(_SIGNATURE), body)
        refuse_other_media(request)
        event = channel_event(body)
        with intake.one_event():
            return JSONResponse(answer_out(await gateway.deliver(admitted, event)))

    return routes

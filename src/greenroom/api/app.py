"""The application: gateway, widget, health, and the published schema of all of it."""

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Response
from pydantic import BaseModel

from greenroom import __version__
from greenroom.api.bodies import Bounds, Intake
from greenroom.api.events import EventIn
from greenroom.api.gateway import gateway_routes
from greenroom.api.messages import OutboundOut
from greenroom.api.problems import PROBLEMS, SCHEMA, Problem, tell_problems
from greenroom.api.widget import Assets, widget_routes
from greenroom.operations.context import Context
from greenroom.operations.gateway import Gateway
from greenroom.operations.health import check_health
from greenroom.operations.widget import Widget

__all__ = ["create_app"]

_BESIDE: tuple[type[BaseModel], ...] = (EventIn, Problem)
"""Bodies that routes read by themselves, once they know who sent them, and answers that they don't give: FastAPI sees
neither."""


class _Application(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """The published document, with what FastAPI doesn't see."""
        if self.openapi_schema is None:
            published = super().openapi()
            schemas = published["components"]["schemas"]
            for shape in _BESIDE:
                schema = shape.model_json_schema(ref_template="#/components/schemas/{model}")
                schemas |= {**schema.pop("$defs"), shape.__name__: schema}
        return super().openapi()


def create_app(
    context: Context, gateway: Gateway, assets: Assets, bounds: Bounds, trouble: Callable[[str], None]
) -> FastAPI:
    """An application on an opened project; it owns nothing. `trouble` is told what goes wrong on our side."""
    intake = Intake(bounds, trouble)
    app = _Application(
        title="Greenroom",
        version=__version__,
        openapi_url=SCHEMA,
        # The pages that FastAPI brings load their scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    tell_problems(app, trouble)
    app.include_router(gateway_routes(gateway, intake))
    app.include_router(widget_routes(Widget(context, gateway), assets, intake))

    @app.webhooks.post("outbound")
    def outbound(message: OutboundOut) -> None:  # pyright: ignore[reportUnusedFunction]  # only published
        """A message that leaves: sent to the channel's `outbound` address until it answers 2xx."""

    async def health() -> Response:
        """200 while the database answers."""
        await check_health(context)
        return Response(b'{"status":"ok"}', media_type="application/json")

    app.add_api_route("/healthz", health, tags=["health"], responses=dict(PROBLEMS))
    app.add_api_route("/healthz", health, methods=["HEAD"], include_in_schema=False)
    return app

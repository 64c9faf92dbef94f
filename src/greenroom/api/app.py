"""The application: gateway, widget, health, and the published schema of all of it."""

from fastapi import FastAPI, Response

from greenroom import __version__
from greenroom.api.gateway import gateway_routes
from greenroom.api.problems import PROBLEMS, tell_problems
from greenroom.api.widget import Assets, widget_routes
from greenroom.operations.context import Context
from greenroom.operations.gateway import Gateway
from greenroom.operations.health import check_health
from greenroom.operations.widget import Widget

__all__ = ["create_app"]


def create_app(context: Context, gateway: Gateway, assets: Assets) -> FastAPI:
    """An application on an opened project; it owns nothing."""
    app = FastAPI(
        title="Greenroom",
        version=__version__,
        openapi_url="/api/openapi.json",
        # The pages that FastAPI brings load their scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
    )
    tell_problems(app)
    app.include_router(gateway_routes(gateway))
    app.include_router(widget_routes(Widget(context, gateway), assets))

    @app.get("/healthz", tags=["health"], responses=dict(PROBLEMS))
    async def health() -> Response:
        """200 while the database answers."""
        await check_health(context)
        return Response(b'{"status":"ok"}', media_type="application/json")

    return app

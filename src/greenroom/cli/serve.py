"""`greenroom serve`."""

from typing import Annotated

import typer

from greenroom.cli.options import InProject
from greenroom.cli.setting import setting_of

__all__ = ["serve"]


def serve(
    context: typer.Context,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen on; 0.0.0.0 for all of this machine.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="The port; 0 takes any that is free.")
    ] = 8000,
    at_once: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many events are served at a time; more are answered with 503.")
    ] = 200,
    connections: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="How many connections may be open; the requests of more are answered with 503."
        ),
    ] = 500,
    project: InProject = None,
) -> None:
    """Answer live conversations: gateway, web widget, messages out, reviews, and a tick each minute, in one process.

    Only published agents answer; they are named with their widgets, see `greenroom publish`. Ctrl-C ends it once what
    is under way is finished, within two minutes; what isn't by then waits for the next one. A second Ctrl-C ends it at
    once.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.serving import serve_project
    from greenroom.server import Bounds, ServeOptions

    options = ServeOptions(host=host, port=port, bounds=Bounds(at_once=at_once, connections=connections))
    run_async(serve_project(setting_of(context), options, project=project))

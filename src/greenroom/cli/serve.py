"""`greenroom serve`."""

from typing import Annotated

import typer

from greenroom.cli.options import InProject
from greenroom.cli.setting import setting_of

__all__ = ["serve"]


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for all of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")] = 8000,
    project: InProject = None,
) -> None:
    """Answer live conversations: gateway, web widget, messages out, reviews, and a tick each minute, in one process.

    Only published agents answer; see `greenroom publish`. Ctrl-C ends it once what is under way is finished.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.serving import serve_project
    from greenroom.server import ServeOptions

    run_async(serve_project(setting_of(context), ServeOptions(host=host, port=port), project=project))

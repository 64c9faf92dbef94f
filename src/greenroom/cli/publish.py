"""`greenroom publish`."""

from typing import Annotated

import typer

from greenroom.cli.options import InProject
from greenroom.cli.setting import setting_of

__all__ = ["publish"]


def publish(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")],
    revision: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="An earlier revision, by its number; left out, what the files say now."),
    ] = None,
    project: InProject = None,
) -> None:
    """Make an agent live: from now on it answers what arrives at the gateway.

    What is published is a copy; editing the files changes nothing until they are published again.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.opening import open_project
    from greenroom.cli.screen import output, print_lines
    from greenroom.operations.publishing import PublishRequest
    from greenroom.operations.publishing import publish as make_live
    from greenroom.reports.live import published_lines

    async def published() -> None:
        async with open_project(setting_of(context), project) as opened:
            done = await make_live(opened, PublishRequest(agent=agent, revision=revision))
            print_lines(published_lines(done), output())

    run_async(published())

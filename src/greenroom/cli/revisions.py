"""`greenroom revisions`."""

from typing import Annotated

import typer

from greenroom.cli.options import InProject
from greenroom.cli.setting import setting_of

__all__ = ["revisions"]


def revisions(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")],
    project: InProject = None,
) -> None:
    """List every content that an agent ever had, the newest first, and say which is live."""
    from greenroom.cli.loop import run_async
    from greenroom.cli.opening import open_project
    from greenroom.cli.screen import output, print_lines
    from greenroom.operations.publishing import list_revisions
    from greenroom.reports.live import revision_lines

    async def listed() -> None:
        async with open_project(setting_of(context), project) as opened:
            print_lines(revision_lines(await list_revisions(opened, agent), opened.zone), output())

    run_async(listed())

"""`greenroom runs`."""

from typing import Annotated

import typer

from greenroom.cli.options import InProject, whole_number
from greenroom.cli.setting import setting_of

__all__ = ["runs"]


def runs(
    context: typer.Context,
    limit: Annotated[int, typer.Option(metavar="N", parser=whole_number(1), help="How many.")] = 20,
    project: InProject = None,
) -> None:
    """List the runs of the project, the newest first."""
    from greenroom.cli.loop import run_async
    from greenroom.cli.opening import open_project
    from greenroom.cli.screen import output, print_lines, width
    from greenroom.operations.results import list_runs
    from greenroom.reports.overview import run_lines

    async def listed() -> None:
        async with open_project(setting_of(context), project) as opened:
            print_lines(run_lines(await list_runs(opened, limit=limit), width(), opened.zone), output())

    run_async(listed())

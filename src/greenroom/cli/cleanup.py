"""`greenroom cleanup`."""

import typer

from greenroom.cli.options import InProject
from greenroom.cli.setting import setting_of

__all__ = ["cleanup"]


def cleanup(context: typer.Context, project: InProject = None) -> None:
    """Remove what interrupted conversations left in the sandbox.

    A conversation that gave a sign of life in the last half minute is left alone; nothing live is ever touched.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.opening import open_project
    from greenroom.operations.sandboxes import cleanup as clean
    from greenroom.reports.people import cleanup_words

    async def cleaned() -> None:
        async with open_project(setting_of(context), project) as opened:
            done = await clean(opened)
            typer.echo(cleanup_words(done.sandboxes, done.rows, done.held))

    run_async(cleaned())

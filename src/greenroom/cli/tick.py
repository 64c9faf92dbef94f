"""`greenroom tick`."""

import typer

from greenroom.cli.options import InProject
from greenroom.cli.setting import setting_of

__all__ = ["tick"]


def tick(context: typer.Context, project: InProject = None) -> None:
    """Do whatever is due now in the live world, once; `greenroom serve` does it each minute.

    Events that a killed server left are served, messages are delivered, silent conversations are closed, closed
    ones are reviewed by the standing criteria of their agent, and turn records older than 90 days are dropped.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.serving import tick_project

    run_async(tick_project(setting_of(context), project=project))

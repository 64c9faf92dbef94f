"""`greenroom show`."""

from typing import Annotated, Literal

import typer

from greenroom.cli.options import InProject
from greenroom.cli.setting import setting_of

__all__ = ["show"]


def show(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(metavar="RUN[/[SUITE/]CASE[/SAMPLE]]", help="A run or one result; `last` is the newest run."),
    ],
    turns: Annotated[bool, typer.Option("--turns", help="Show the turn records too: prompts, routes, calls.")] = False,
    format_: Annotated[Literal["text", "json", "junit"], typer.Option("--format", help="The format.")] = "text",
    project: InProject = None,
) -> None:
    """Show a run as it was reported, or one result.

    A result comes with its transcript, checks, criteria, calls, effects and cost.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.showing import show_run, show_sample
    from greenroom.operations.results import parse_target

    target, setting = parse_target(what), setting_of(context)
    if target.path:
        run_async(show_sample(setting, target, project=project, turns=turns, as_json=format_ == "json"))
    else:
        run_async(show_run(setting, target.run, project=project, format_=format_))

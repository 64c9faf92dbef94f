"""`greenroom show`."""

from typing import Annotated, Literal

import typer

from greenroom.cli.options import InProject, one_of
from greenroom.cli.setting import setting_of

__all__ = ["show"]


def show(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(metavar="RUN[/[SUITE/]CASE[/SAMPLE]]", help="A run or one result; `last` is the newest run."),
    ],
    turns: Annotated[
        bool, typer.Option("--turns", help="Show one result's turn records too: prompts, routes, calls.")
    ] = False,
    format_: Annotated[
        Literal["text", "json", "junit"],
        typer.Option(
            "--format",
            metavar="FORMAT",
            parser=one_of("text", "json", "junit"),
            help="text or json; a whole run also as junit.",
        ),
    ] = "text",
    project: InProject = None,
) -> None:
    """Show a run as it was reported, or one result.

    A result comes with its transcript, checks, criteria, calls, effects and cost.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.showing import show_run, show_sample
    from greenroom.errors import UsageError
    from greenroom.operations.results import parse_target

    target, setting = parse_target(what), setting_of(context)
    if target.path and format_ == "junit":
        raise UsageError("--format junit is for a whole run: greenroom show RUN --format junit")
    if turns and not target.path:
        raise UsageError("--turns is for one result: greenroom show RUN/CASE --turns")
    if target.path:
        run_async(show_sample(setting, target, project=project, turns=turns, as_json=format_ == "json"))
    else:
        run_async(show_run(setting, target.run, project=project, format_=format_))

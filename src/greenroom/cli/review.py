"""`greenroom review`."""

from typing import Annotated

import typer

from greenroom.cli.options import InProject, TextOrJson, whole_number
from greenroom.cli.setting import setting_of

__all__ = ["review"]


def review(
    context: typer.Context,
    conversation: Annotated[
        str | None, typer.Argument(metavar="CONVERSATION", help="Review this one; left out, those that wait.")
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            "--criterion",
            metavar="TEXT",
            help="Ask this of the conversation instead; the answer is shown, not kept. May be repeated.",
        ),
    ] = None,
    most: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1, 100_000), help="Of those that wait, so many at most.")
    ] = 1000,
    format_: TextOrJson = "text",
    project: InProject = None,
) -> None:
    """Have closed live conversations judged by the standing criteria of their agent, or one again.

    `greenroom serve` and `greenroom tick` do it by themselves. Of one conversation the exit code says what came of it:
    0 it passed, 1 a criterion failed or is unknown, 3 the judge could not answer. Only a review by the standing
    criteria counts: one with --criterion leaves lists and statistics as they are, and is asked once.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.reviewing import print_review, print_waiting

    setting, as_json = setting_of(context), format_ == "json"
    if conversation is None:
        run_async(print_waiting(setting, most=most, project=project, as_json=as_json))
    else:
        asked = print_review(setting, conversation, tuple(criterion or ()), project=project, as_json=as_json)
        raise typer.Exit(run_async(asked))

"""`greenroom run`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from greenroom.cli.options import AgentModel, InProject, one_of, which_revision, whole_number
from greenroom.cli.setting import setting_of

__all__ = ["run"]


def run(
    context: typer.Context,
    selectors: Annotated[
        list[str] | None,
        typer.Argument(metavar="SELECTOR", help="A suite, suite/case, @tag or file; none is everything the agent has."),
    ] = None,
    agent: Annotated[str | None, typer.Option(metavar="ID", help="Which agent, when the suites name several.")] = None,
    revision: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            parser=which_revision,
            help="Which content of the agent: draft, what the files say now; live; or the number of a revision.",
        ),
    ] = "draft",
    model: AgentModel = None,
    judge: Annotated[
        str | None, typer.Option(metavar="MODEL", help="The judge's model in place of the project's.")
    ] = None,
    simulator: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="The model that plays simulated people, in place of the project's."),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=whole_number(1), help="How often each case is played, in place of what it says."
        ),
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only the cases that did not pass in the last run.")] = False,
    concurrency: Annotated[
        int | None,
        typer.Option(metavar="N", parser=whole_number(1, 1000), help="Conversations at a time, at most 1000."),
    ] = None,
    format_: Annotated[
        Literal["text", "json", "junit"] | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            parser=one_of("text", "json", "junit"),
            help="text, json or junit; left out, what the name of --output says (.json, .xml), else text.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the report there once it is whole, the text report still to standard output ('-').",
        ),
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record every model's answers, for replay:FILE.")
    ] = None,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Begin nothing new after a case failed.")] = False,
    fail_on: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            parser=one_of("any", "fail", "error", "never"),
            help="What breaks the job: any failure or error; fail, failures only; error, errors only; never.",
        ),
    ] = "any",
    allow_empty: Annotated[
        bool,
        typer.Option(
            "--allow-empty", help="A selection that turns out empty is no error; a name that doesn't exist is."
        ),
    ] = False,
    project: InProject = None,
) -> None:
    """Run cases and report.

    Results are stored as they come; Ctrl-C keeps what has finished, and so does being terminated or hung up on.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.running import report_asked, run_and_report
    from greenroom.conversation.outcomes import FailOn
    from greenroom.operations.runs import RunRequest

    setting = setting_of(context)
    asked = report_asked(format_, output, folder=setting.folder, project=project)
    request = RunRequest(
        selectors=tuple(selectors or ()),
        agent=agent,
        revision="draft" if revision == "draft" else "live" if revision == "live" else int(revision),
        model=model,
        judge=judge,
        simulator=simulator,
        samples=samples,
        failed=failed,
        concurrency=concurrency,
        record=setting.folder / record if record else None,
        fail_fast=fail_fast,
        fail_on=FailOn(fail_on),
        allow_empty=allow_empty,
    )
    raise typer.Exit(run_async(run_and_report(setting, request, asked)))

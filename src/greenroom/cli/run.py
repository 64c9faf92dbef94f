"""`greenroom run`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from greenroom.cli.options import AgentModel, InProject
from greenroom.cli.setting import setting_of

__all__ = ["run"]


def run(
    context: typer.Context,
    selectors: Annotated[
        list[str] | None,
        typer.Argument(metavar="SELECTOR", help="A suite, suite/case, @tag or file; none is everything the agent has."),
    ] = None,
    agent: Annotated[str | None, typer.Option(metavar="ID", help="Which agent, when the suites name several.")] = None,
    model: AgentModel = None,
    judge: Annotated[
        str | None, typer.Option(metavar="MODEL", help="The judge's model in place of the project's.")
    ] = None,
    simulator: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="The model that plays simulated people, in place of the project's."),
    ] = None,
    samples: Annotated[
        int | None, typer.Option(min=1, help="How often each case is played, in place of what it says.")
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only the cases that did not pass in the last run.")] = False,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Conversations at a time.")] = None,
    format_: Annotated[
        Literal["text", "json", "junit"], typer.Option("--format", help="The report's format.")
    ] = "text",
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the report there; the text report still goes to standard output."),
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record every answer of a real model, for replay:FILE.")
    ] = None,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Begin nothing new after a case failed.")] = False,
    fail_on: Annotated[
        Literal["any", "fail", "error", "never"], typer.Option(help="What makes the exit code 1 or 3.")
    ] = "any",
    allow_empty: Annotated[bool, typer.Option("--allow-empty", help="A selection without cases is no error.")] = False,
    project: InProject = None,
) -> None:
    """Run cases and report.

    Results are stored as they come; Ctrl-C keeps what has finished.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.running import ReportAsked, run_and_report
    from greenroom.conversation.rollup import FailOn
    from greenroom.operations.runs import RunRequest

    setting = setting_of(context)
    request = RunRequest(
        selectors=tuple(selectors or ()),
        agent=agent,
        model=model,
        judge=judge,
        simulator=simulator,
        samples=samples,
        failed=failed,
        concurrency=concurrency,
        record=setting.folder / record if record else None,
        fail_fast=fail_fast,
        allow_empty=allow_empty,
    )
    asked = ReportAsked(
        format=format_, file=setting.folder / output if output else None, fail_on=FailOn(fail_on), project=project
    )
    raise typer.Exit(run_async(run_and_report(setting, request, asked)))

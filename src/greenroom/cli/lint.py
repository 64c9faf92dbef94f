"""`greenroom lint`."""

from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import InProject
from greenroom.cli.setting import setting_of

__all__ = ["lint"]


def lint(
    context: typer.Context,
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="PATH", help="Files or folders; none is the whole project.")
    ] = None,
    project: InProject = None,
) -> None:
    """Check documents, and cases against their agents.

    Errors end in exit code 2; warnings alone in 0.
    """
    from greenroom.cli.screen import output, print_lines
    from greenroom.cli.told_time import clock_of
    from greenroom.operations.documents import lint_documents
    from greenroom.reports.lines import line

    setting = setting_of(context)
    wanted = tuple(str(path) for path in paths or ())
    folder = setting.folder / (project or "")
    findings = lint_documents(folder, wanted, setting.folder, setting.environment, clock_of(setting))
    screen = output()
    for finding in findings:
        print_lines([line(str(finding))], screen)
    bad = sum(finding.severity == "error" for finding in findings)
    warned = len(findings) - bad
    typer.echo(f"{_number(bad, 'error')}, {_number(warned, 'warning')}", err=True)
    raise typer.Exit(2 if bad else 0)


def _number(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'' if count == 1 else 's'}"

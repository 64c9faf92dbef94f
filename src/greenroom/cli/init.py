"""`greenroom init`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.setting import setting_of

__all__ = ["init"]


def init(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where; made when it isn't there.")] = Path(),
) -> None:
    """Write a small project that runs at once, offline.

    Files that are there already are never touched.
    """
    from greenroom.operations.starting import init_project

    here = setting_of(context).folder
    for written in init_project(here / folder):
        typer.echo(f"wrote {folder / written}")
    go_there = "" if folder == Path() else f"cd {shlex.quote(str(folder))} && "
    typer.echo(f"\nNow run it: {go_there}greenroom run")

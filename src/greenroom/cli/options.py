"""Options that several commands share, written once."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

__all__ = ["AgentModel", "InProject"]

InProject: TypeAlias = Annotated[
    Path | None,
    typer.Option("--project", metavar="DIR", help="The project's folder; left out, the one you stand in."),
]
AgentModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="MODEL", help="The agent's model in place of its own: provider:name, openai:NAME@URL, …"
    ),
]

"""`greenroom schema`."""

from typing import Annotated, Literal

import typer

__all__ = ["schema"]


def schema(
    kind: Annotated[Literal["agent", "suite", "customer", "project", "report"], typer.Argument(help="Which document.")],
) -> None:
    """Print the JSON Schema of a document, for editors, or of the JSON report."""
    import orjson

    from greenroom.operations.documents import schema_of

    typer.echo(orjson.dumps(schema_of(kind), option=orjson.OPT_INDENT_2).decode())

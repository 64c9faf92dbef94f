"""`greenroom schema`."""

from typing import Annotated

import typer

from greenroom.cli.options import one_of

__all__ = ["schema"]

_KINDS = ("agent", "suite", "customer", "project", "report")


def schema(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", parser=one_of(*_KINDS), help=f"Which document: {', '.join(_KINDS)}.")
    ],
) -> None:
    """Print the JSON Schema of a document, for editors, or of the JSON report."""
    import orjson

    from greenroom.operations.documents import schema_of

    typer.echo(orjson.dumps(schema_of(kind), option=orjson.OPT_INDENT_2).decode())

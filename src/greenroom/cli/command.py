"""How the help of one command reads: `AGENT` and `[SELECTOR]...`, without the names of Python's types."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from typer._click.core import Context
from typer.core import TyperCommand

__all__ = ["Command"]

_TYPE = re.compile(r" <[^>]*>$")


class _Formatter(Protocol):
    """What the command line's library lays a help text out with."""

    def section(self, name: str) -> AbstractContextManager[None]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...


class Command(TyperCommand):
    """A command whose arguments are told by their names alone, as its options are."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """A required argument stands as it is, an optional one in brackets."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Context, formatter: _Formatter) -> None:
        """Arguments, then options."""
        rows: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
        for parameter in self.get_params(ctx):
            if (told := parameter.get_help_record(ctx)) is not None:
                name, help_ = told
                rows[parameter.param_type_name].append((_TYPE.sub("", name), help_.replace("  [required]", "")))
        for kind, told in rows.items():
            if told:
                with formatter.section(f"{kind.title()}s"):
                    formatter.write_dl(told)

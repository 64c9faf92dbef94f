"""What all commands have alike: how their help reads, and that nothing empty is taken for something that was meant."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, cast

import typer
from typer._click.core import Context, Parameter, ParameterSource
from typer.core import TyperArgument, TyperCommand, TyperOption

from greenroom.cli.combinations import COMBINATIONS, clash

__all__ = ["Command"]

_TYPE = re.compile(r" <[^>]*>$")


class _Formatter(Protocol):
    """What the command line's library lays a help text out with."""

    def section(self, name: str) -> AbstractContextManager[None]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...


class Command(TyperCommand):
    """A command whose arguments are told by their names alone, as its options are."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read what was written; what is empty is refused, since `--agent "$AGENT"` without an AGENT means no agent."""
        written, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        for parameter in self.get_params(ctx):
            if isinstance(parameter, TyperArgument | TyperOption) and not all(
                map(str.strip, _texts(written, parameter))
            ):
                instead = "write what is meant" if parameter.required else "leave it out, or write what is meant"
                raise typer.BadParameter(f"it is empty; {instead}", ctx=ctx, param=parameter)
        left = super().parse_args(ctx, args)
        self._refuse_what_would_not_count(ctx)
        return left

    def _refuse_what_would_not_count(self, ctx: Context) -> None:
        """Options that mean nothing beside what else was written."""
        parameters = [each for each in self.get_params(ctx) if isinstance(each, TyperArgument | TyperOption)]
        names = {each.name: _as_written(each) for each in parameters if each.name}
        written = {name for name in names if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        doings = COMBINATIONS.get(self.name or "")
        if doings and (why := clash(doings, written, names)) is not None:
            from greenroom.errors import UsageError

            raise UsageError(why)

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


def _as_written(parameter: TyperArgument | TyperOption) -> str:
    return parameter.opts[0] if isinstance(parameter, TyperOption) else str(parameter.metavar or parameter.name)


def _texts(written: Mapping[str, object], parameter: Parameter) -> Iterator[str]:
    """What was written for one parameter, once or several times."""
    value = written.get(parameter.name or "")
    several = cast("Sequence[object]", value) if isinstance(value, list | tuple) else (value,)
    return (each for each in several if isinstance(each, str))

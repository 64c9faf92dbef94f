"""Options that several commands share, and how their values are read; written once."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from greenroom.conversation.moments import OUT_OF_REACH, within_reach
from greenroom.nearest import did_you_mean

__all__ = ["AfterMark", "AgentModel", "InProject", "TextOrJson", "a_day", "one_of", "which_revision", "whole_number"]


def one_of(*allowed: str) -> Callable[[str], str]:
    """Reads one of these words. Typer's own reading tells its library's words for what is wrong."""

    def read(text: str) -> str:
        if text not in allowed:
            raise typer.BadParameter(f"{text!r} is none of {', '.join(allowed)}{did_you_mean(text, allowed)}")
        return text

    return read


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Reads a whole number within these bounds, or from the lower one up."""
    allowed = f"from {least} up" if most is None else f"from {least} to {most}"

    def read(text: str) -> int:
        # Defaults come through here too, as numbers.
        number = int(text) if str(text).strip().lstrip("-").isdecimal() else None
        if number is None or number < least or (most is not None and number > most):
            raise typer.BadParameter(f"{text!r} is no whole number {allowed}")
        return number

    return read


def which_revision(text: str) -> str:
    """Reads `draft`, `live` or the number of a revision."""
    if text not in {"draft", "live"} and not (text.isascii() and text.isdecimal()):
        hint = did_you_mean(text, ["draft", "live"])
        raise typer.BadParameter(f"{text!r} is neither draft nor live nor the number of a revision{hint}")
    return text


def a_day(text: str) -> str:
    """Reads a day of the calendar, and gives it back as `2026-11-30`."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no day; write one such as 2026-11-30") from None
    if not within_reach(day):
        raise typer.BadParameter(f"{text!r} {OUT_OF_REACH}")
    return day.isoformat()


InProject: TypeAlias = Annotated[
    Path | None,
    typer.Option("--project", metavar="DIR", help="The project's folder; left out, the one you stand in."),
]
AfterMark: TypeAlias = Annotated[
    str | None, typer.Option("--after", metavar="MARK", help="The next page; the page before gives it.")
]
TextOrJson: TypeAlias = Annotated[
    str, typer.Option("--format", metavar="FORMAT", parser=one_of("text", "json"), help="text or json.")
]
AgentModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="MODEL", help="The agent's model in place of its own: provider:name, openai:NAME@URL, …"
    ),
]

"""Where a command writes: the report to standard output, progress and messages to standard error.

`NO_COLOR` is honoured by Rich itself; `CI` means that nobody watches, so nothing is drawn over.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import IO, TextIO

import typer
from rich.console import Console
from rich.text import Text

from greenroom.conversation.json_writing import json_bytes
from greenroom.conversation.visible import escaped_json
from greenroom.reports.lines import Line, Tone, line, wrapped

__all__ = [
    "STYLES",
    "Screen",
    "errors",
    "output",
    "print_json",
    "print_lines",
    "say",
    "silence",
    "terminals",
    "watched",
    "width",
]

STYLES: Mapping[Tone, str] = MappingProxyType({
    Tone.PLAIN: "",
    Tone.TITLE: "bold",
    Tone.GOOD: "green",
    Tone.BAD: "red",
    Tone.WARNING: "yellow",
    Tone.QUIET: "dim",
})
"""How each tone looks."""
_WIDEST = 120
"""Tables stay readable on a wide screen."""


class Screen(Console):
    """A console that goes quiet when nobody reads it any more, where Rich's would end the process."""

    def __init__(self, file: TextIO) -> None:
        super().__init__(file=file, highlight=False, soft_wrap=True, markup=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Write to nowhere from now on: `greenroom run | head` must not cost the run, nor its exit code."""
        self.quiet = True
        silence(self.file)


def output() -> Console:
    """Standard output."""
    return Screen(sys.stdout)


def errors() -> Console:
    """Standard error, after everything that went to standard output before it."""
    sys.stdout.flush()
    return Screen(sys.stderr)


def width() -> int:
    """How many columns a report's table may take; where there is no terminal, as many as are readable."""
    return min(shutil.get_terminal_size((_WIDEST, 0)).columns, _WIDEST)


def watched() -> bool:
    """Whether somebody looks at standard error as it is written."""
    return sys.stderr.isatty() and not os.environ.get("CI")


def print_lines(lines: Iterable[Line], console: Console) -> None:
    """Lines of a report, coloured where the console has colours; on a terminal they break between words."""
    columns = console.width if console.file.isatty() else None
    for each in lines:
        for row in (each,) if columns is None else wrapped(each, columns):
            console.print(Text.assemble(*((span.text, STYLES[span.tone]) for span in row.spans)))


def print_json(value: object) -> None:
    """A value as JSON to standard output; nothing in it steers a terminal."""
    typer.echo(escaped_json(json_bytes(value, indented=True).decode()))


def say(text: str) -> None:
    """A message to standard error, line by line."""
    print_lines((line(each) for each in text.split("\n")), errors())


def terminals() -> tuple[TextIO, ...]:
    """Which of the two streams are shown on a terminal."""
    return tuple(stream for stream in (sys.stdout, sys.stderr) if stream.isatty())


def silence(stream: IO[str]) -> None:
    """Let everything that is still written there go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)

"""Where a command writes: the report to standard output, progress and messages to standard error.

`NO_COLOR` is honoured by Rich itself; `CI` means that nobody watches, so nothing is drawn over.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TextIO

from rich.console import Console
from rich.text import Text

from greenroom.reports.lines import Line, Tone

__all__ = ["Screen", "errors", "output", "print_lines", "watched", "width"]

_STYLES: Mapping[Tone, str] = MappingProxyType({
    Tone.PLAIN: "",
    Tone.TITLE: "bold",
    Tone.GOOD: "green",
    Tone.BAD: "red",
    Tone.WARNING: "yellow",
    Tone.QUIET: "dim",
})
_WIDEST = 120
"""Tables stay readable on a wide screen."""


class Screen(Console):
    """A console that goes quiet when nobody reads it any more, where Rich's would end the process."""

    def __init__(self, file: TextIO) -> None:
        super().__init__(file=file, highlight=False, soft_wrap=True, markup=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Write to nowhere from now on: `greenroom run | head` must not cost the run, nor its exit code."""
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())


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
    """Lines of a report, coloured where the console has colours."""
    for each in lines:
        console.print(Text.assemble(*((span.text, _STYLES[span.tone]) for span in each.spans)))

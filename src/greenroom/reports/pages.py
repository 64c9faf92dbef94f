"""How a listing says that it goes on."""

import shlex

from greenroom.reports.lines import Line, Tone, line, span

__all__ = ["more_line"]


def more_line(mark: str) -> Line:
    """What asks for the next page, to be copied into a shell whatever stands in the mark."""
    return line(span(f"There are more: --after {shlex.quote(mark)}", Tone.QUIET))

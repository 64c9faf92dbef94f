"""Runs one below the other: which, with what agent, how they came out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from greenroom.conversation.outcomes import RunStatus, RunSummary
from greenroom.reports.lines import Line, Span, Tone, cells, cut, line, padded, span
from greenroom.reports.moments import minute
from greenroom.reports.words import RUN_WORDS, rate_words

__all__ = ["run_lines"]

_LEAST_AGENT = 8
"""An agent's name never has fewer columns than this."""
_SPARED = ("Started", "Units")
"""Columns that are left out, the first one first, where all of them don't fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    title: str
    values: tuple[str, ...]
    right: bool = False
    tone: Tone = Tone.PLAIN

    @property
    def width(self) -> int:
        return max(map(cells, (self.title, *self.values)))


def run_lines(runs: Sequence[RunSummary], columns: int = 120, zone: tzinfo = UTC) -> Iterator[Line]:
    """A table with a line a run under its titles, in so many columns; a sentence when there is none.

    Times are by the clock of `zone`.
    """
    if not runs:
        yield line("There are no runs yet. `greenroom run` makes one.")
        return
    table = _fitting([column for column in _columns(runs, zone) if any(column.values)], columns)
    gap = 1 if _over(table, columns) > 0 else 2
    yield _row([span(padded(each.title, each.width, right=each.right), Tone.TITLE) for each in table], gap)
    for index, run in enumerate(runs):
        yield _row([_cell(column, index, run) for column in table], gap)


def _columns(runs: Sequence[RunSummary], zone: tzinfo) -> Iterator[_Column]:
    """All there could be; those that hold nothing are left out."""
    yield _Column(title="Run", values=tuple(run.run_id for run in runs))
    yield _Column(title="Agent", values=tuple(run.agent for run in runs))
    yield _Column(title="Result", values=tuple(map(_result, runs)))
    yield _Column(title="Passed", values=tuple(str(run.counts.passed) for run in runs), right=True)
    yield _Column(title="Failed", values=tuple(str(run.counts.failed) for run in runs), right=True)
    yield _numbers("Errors", [run.counts.errored for run in runs])
    yield _numbers("Open", [run.counts.waiting + run.counts.cancelled for run in runs])
    yield _numbers("Review", [run.counts.needs_review for run in runs])
    units = tuple(f"{'≥ ' * (run.unreported > 0)}{run.units or ''}" for run in runs)
    yield _Column(title="Units", values=units, right=True, tone=Tone.QUIET)
    yield _Column(title="Started", values=tuple(minute(run.started_at, zone) for run in runs), tone=Tone.QUIET)


def _numbers(title: str, counts: Sequence[int]) -> _Column:
    return _Column(title=title, values=tuple(str(count or "") for count in counts), right=True)


def _fitting(table: list[_Column], columns: int) -> list[_Column]:
    """What can be spared gives way first, then the agent's name."""
    for spared in _SPARED:
        if _over(table, columns) > 0:
            table = [column for column in table if column.title != spared]
    over = _over(table, columns)
    return [_shortened(column, over) if column.title == "Agent" and over > 0 else column for column in table]


def _over(table: Sequence[_Column], columns: int) -> int:
    return sum(column.width + 2 for column in table) - 2 - columns


def _shortened(column: _Column, over: int) -> _Column:
    room = max(_LEAST_AGENT, column.width - over)
    return replace(column, values=tuple(cut(value, room) for value in column.values))


def _row(told: Sequence[Span], gap: int) -> Line:
    *others, last = told
    pieces = [piece for each in others for piece in (each, span(" " * gap))]
    return line(*pieces, replace(last, text=last.text.rstrip()))


def _cell(column: _Column, index: int, run: RunSummary) -> Span:
    tone = _tone(run) if column.title == "Result" else column.tone
    return span(padded(column.values[index], column.width, right=column.right), tone)


def _result(run: RunSummary) -> str:
    """The pass rate of a run that came to its end, of another what became of it."""
    if run.status is not RunStatus.FINISHED:
        return RUN_WORDS[run.status]
    return "no verdict" if run.pass_rate is None else rate_words(run.pass_rate)


def _tone(run: RunSummary) -> Tone:
    if run.status is not RunStatus.FINISHED:
        return Tone.WARNING
    return Tone.BAD if run.counts.failed else Tone.WARNING if run.counts.errored else Tone.GOOD

"""Runs one below the other: when, with what agent, how it ended."""

from collections.abc import Iterator, Sequence

from greenroom.conversation.outcomes import RunStatus, RunSummary
from greenroom.reports.lines import Line, Tone, cells, line, padded, span
from greenroom.reports.words import RUN_WORDS, rate_words, units_words

__all__ = ["run_lines"]


def run_lines(runs: Sequence[RunSummary]) -> Iterator[Line]:
    """One line a run, in columns; a sentence when there is none."""
    if not runs:
        yield line("There are no runs yet. `greenroom run` makes one.")
        return
    rows = [(run.run_id, run.agent, _status(run), _counts(run)) for run in runs]
    first, second, third, _ = (max(map(cells, column)) for column in zip(*rows, strict=True))
    for run, (run_id, agent, status, counts) in zip(runs, rows, strict=True):
        yield line(
            f"{padded(run_id, first)}  {padded(agent, second)}  ",
            span(padded(status, third), _tone(run)),
            f"  {counts}",
            span(f"  {run.started_at[:16].replace('T', ' ')} UTC", Tone.QUIET),
        )


def _status(run: RunSummary) -> str:
    rate = "" if run.pass_rate is None else f" {rate_words(run.pass_rate)}"
    return f"{RUN_WORDS[run.status]}{rate}"


def _tone(run: RunSummary) -> Tone:
    if run.status is not RunStatus.FINISHED:
        return Tone.WARNING
    return Tone.BAD if run.counts.failed else Tone.WARNING if run.counts.errored else Tone.GOOD


def _counts(run: RunSummary) -> str:
    counts = run.counts
    said = [f"{counts.passed} passed"]
    said += [f"{count} {word}" for count, word in _besides(run) if count]
    said += [f"{counts.needs_review} to review"] if counts.needs_review else []
    return f"{', '.join(said)} · {units_words(run.units)}"


def _besides(run: RunSummary) -> Sequence[tuple[int, str]]:
    """What is worth a word only when there is some of it."""
    waiting = "never ended" if run.status is RunStatus.BROKEN_OFF else "not run yet"
    counts = run.counts
    return (counts.failed, "failed"), (counts.errored, "errored"), (counts.waiting, waiting)

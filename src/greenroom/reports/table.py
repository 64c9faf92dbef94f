"""The table of a run's cases (features.md F2, G2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from greenroom.conversation.outcomes import CaseRollup, Status
from greenroom.conversation.statistics import pass_all
from greenroom.reports.lines import Line, Tone, cells, cut, line, padded, span
from greenroom.reports.words import (
    STATUS_WORDS,
    badge_words,
    interval_words,
    pass_all_words,
    samples_words,
    seconds_words,
    tone_of,
    units_words,
)

__all__ = ["table_lines"]

_LEAST_NAME = 12
"""A case's name never has fewer columns than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    case: CaseRollup
    status: str
    samples: str
    badges: str
    units: str
    time: str


def table_lines(cases: Sequence[CaseRollup], columns: int) -> Iterator[Line]:
    """One line a case under the name of its suite; the case's name gives way when the columns don't suffice."""
    if not cases:
        yield line(span("No case was selected.", Tone.WARNING))
        return
    rows = [_row(case) for case in cases]
    status, samples, badges, units, time = (
        max(map(cells, column))
        for column in zip(*((r.status, r.samples, r.badges, r.units, r.time) for r in rows), strict=True)
    )
    others = 2 + status + samples + badges + units + time + 2 * (5 if badges else 4)
    longest = max(cells(case.case) for case in cases)
    name = min(longest, max(_LEAST_NAME, columns - others))
    suite = ""
    for row in rows:
        if row.case.suite != suite:
            suite = row.case.suite
            yield line(span(cut(suite, columns), Tone.TITLE))
        middle = (f"  {padded(row.badges, badges)}",) if badges else ()
        yield line(
            "  ",
            span(padded(row.status, status), tone_of(row.case)),
            f"  {padded(cut(row.case.case, name), name)}  {padded(row.samples, samples)}",
            *(span(text, Tone.WARNING) for text in middle),
            span(f"  {padded(row.units, units, right=True)}  {padded(row.time, time, right=True)}", Tone.QUIET),
        )
        yield from _remarks(row.case, indent=4 + status)


def _remarks(case: CaseRollup, *, indent: int) -> Iterator[Line]:
    if case.status is Status.SKIPPED and case.note:
        yield line(" " * indent, span(f"skipped: {case.note}", Tone.QUIET))
    if case.decided > 1:
        words = [interval_words(case.passed, case.decided), pass_all_words(pass_all(case.passed, case.decided))]
        yield line(" " * indent, span("; ".join(words), Tone.QUIET))
    if case.passed_unexpectedly:
        yield line(
            " " * indent,
            span("no longer fails; take `known_failure` out of the case", Tone.WARNING),
            span(f" ({case.known_failure})", Tone.QUIET),
        )


def _row(case: CaseRollup) -> _Row:
    ran = case.passed + case.failed + case.errored > 0
    score = "" if case.score is None else f" · {case.score}"
    return _Row(
        case=case,
        status=STATUS_WORDS[case.status] + score,
        samples=samples_words(case),
        badges=badge_words(case),
        units=units_words(case.units, case.unreported) if ran else "",
        time=seconds_words(case.duration_s) if ran else "",
    )

"""What a person reads after a run: what was tested, a table, each failure with its reasons and transcript, totals.

Lines with tones, in the order of the run's cases; the last line says what the exit code is and why (X01).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo

from greenroom.conversation.outcomes import CaseRollup, RunStatus, RunSummary, SampleResult, Status
from greenroom.conversation.rollup import ExitVerdict, unplayed_words
from greenroom.conversation.statistics import mean_pass_all
from greenroom.conversation.usage import total_usage
from greenroom.reports.lines import EMPTY, Line, Span, Tone, line, padded, span
from greenroom.reports.models import models_of, replayed_roles, scripted_roles
from greenroom.reports.moments import minute
from greenroom.reports.reasons import errand_lines, reasons, transcript_lines
from greenroom.reports.table import table_lines
from greenroom.reports.words import (
    RUN_WORDS,
    STATUS_TONES,
    STATUS_WORDS,
    badge_words,
    interval_words,
    pass_all_words,
    rate_words,
    seconds_words,
    tone_of,
    units_words,
    unreported_words,
)

__all__ = ["OPENED", "TextReport", "exit_line", "rate_tone", "result_lines"]

OPENED = (Status.FAILED, Status.ERRORED)
"""Which sample of a case is opened: the first failed one, else the first error (features.md F2, K05).

A text report needs no other results than these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReport:
    """A run for people. `columns` is the width of the table; other lines are as long as they are."""

    run: RunSummary
    version: str
    verdict: ExitVerdict
    columns: int = 100
    zone: tzinfo = UTC
    """By whose clock times are told."""

    def begin(self) -> Iterable[Line]:
        """What was tested, and the table of all cases."""
        yield from _header(self.run, self.version, self.zone)
        yield EMPTY
        yield from table_lines(self.run.cases, self.columns)

    def case(self, case: CaseRollup, samples: Sequence[SampleResult]) -> Iterable[Line]:
        """A case that did not pass, with its reasons; nothing for one that did or that never got anywhere."""
        if case.status is Status.PASSED or not any(sample.status in OPENED for sample in samples):
            return
        yield EMPTY
        yield line(span("─" * self.columns, Tone.QUIET))
        yield _case_title(case)
        if case.failed_as_known:
            yield line("Expected to fail: ", case.known_failure)
        opened = _opened(samples)
        yield from result_lines(opened, samples=case.samples)
        number = f"/{opened.key.sample}" if case.samples > 1 else ""
        where = f"{self.run.run_id}/{case.suite}/{case.case}{number}"
        yield line(span(f"`greenroom show {where}` shows every call and what it cost.", Tone.QUIET))
        for other in samples:
            if other is not opened and other.status in OPENED:
                yield EMPTY
                yield _sample_title(other, case.samples)
                yield from reasons(other)

    def end(self) -> Iterable[Line]:
        """The totals, and what the exit code is."""
        yield EMPTY
        yield line(span("─" * self.columns, Tone.QUIET))
        yield from _totals(self.run)
        yield _going_line(self.run) if _goes_on(self.run) else exit_line(self.verdict)


def result_lines(result: SampleResult, *, samples: int = 1) -> Iterator[Line]:
    """One sample whole: how it ended, its reasons, its transcript."""
    yield _sample_title(result, samples)
    yield from reasons(result)
    yield from errand_lines(result)
    yield line(span("Transcript", Tone.TITLE))
    yield from transcript_lines(result)


def _goes_on(run: RunSummary) -> bool:
    return run.status in {RunStatus.QUEUED, RunStatus.RUNNING}


def _going_line(run: RunSummary) -> Line:
    """In place of an exit code, which a run has only once it has ended."""
    ended = len(run.cases) - run.counts.waiting
    return line(
        span("Still running", Tone.WARNING), f": {ended} of {len(run.cases)} cases have ended; this is how they stand."
    )


def exit_line(verdict: ExitVerdict) -> Line:
    """The last line of every run."""
    tone = {0: Tone.GOOD, 1: Tone.BAD}.get(verdict.code, Tone.WARNING)
    return line(span(f"Exit code {verdict.code}", tone), f": {verdict.reason}.")


def rate_tone(rate: float | None) -> Tone:
    """Green at 100 %, amber from 80 %, red below (features.md F3)."""
    if rate is None:
        return Tone.PLAIN
    return Tone.GOOD if rate == 1 else Tone.WARNING if rate >= 0.8 else Tone.BAD


def _which(revision: str) -> str:
    return f"revision {revision}" if revision.isdecimal() else revision


def _header(run: RunSummary, version: str, zone: tzinfo) -> Iterator[Line]:
    status = [] if run.status is RunStatus.FINISHED else [span(f" · {RUN_WORDS[run.status]}", Tone.WARNING)]
    yield line(
        span(f"Greenroom {version}", Tone.TITLE), span(f" · {run.run_id}" if run.run_id else "", Tone.QUIET), *status
    )
    if run.status is RunStatus.BROKEN_OFF:
        yield line(
            "Whatever ran this is gone: it was killed, or lost its database. What had ended is kept; "
            "`greenroom run --failed` plays the rest."
        )
    edited = minute(run.under_test.behavior_edited_at, zone) if run.under_test.behavior_edited_at else ""
    behavior = run.under_test.behavior_hash[:12]
    about = ", ".join([f"behavior {behavior}"] * bool(behavior) + [f"last edited {edited}"] * bool(behavior and edited))
    yield line(
        "Agent   ",
        span(run.agent, Tone.TITLE),
        f", {_which(run.revision)}",
        span(f" ({about})" * bool(about), Tone.QUIET),
    )
    models = models_of(run.under_test)
    prompts = {"judge": run.under_test.judge_prompt, "simulator": run.under_test.simulator_prompt}
    for index, (role, model) in enumerate(models.items()):
        prompt = f" (prompt {prompts[role]})" if prompts.get(role) else ""
        yield line("Models  " if index == 0 else "        ", padded(f"{role}:", 11), model, span(prompt, Tone.QUIET))
    yield from _not_asked(run)
    yield from _real(run)


def _not_asked(run: RunSummary) -> Iterator[Line]:
    """Said loudly, for nobody should take such a run for a measurement."""
    scripted, replayed = scripted_roles(run.under_test), replayed_roles(run.under_test)
    if scripted or replayed:
        yield EMPTY
    if scripted:
        yield line(
            span("SCRIPTED", Tone.WARNING),
            f": the answers of {_and(scripted)} were written beforehand. "
            "This run shows how the tests work, not how good the agent is.",
        )
    if replayed:
        yield line(
            span("REPLAYED", Tone.WARNING),
            f": the answers of {_and(replayed)} were recorded earlier; no model was asked for them.",
        )


def _real(run: RunSummary) -> Iterator[Line]:
    """Said loudly, for somebody may have to take things back (features.md C13)."""
    cases = [case for case in run.cases if case.live_test]
    if not cases:
        return
    yield EMPTY
    count = f"{len(cases)} of {len(run.cases)} cases" if len(cases) < len(run.cases) else "all cases"
    yield line(
        span("LIVE TEST", Tone.WARNING),
        f": in {count} what the agent did was real: its tools were called, hand-overs told the team, appointments were "
        "booked and are kept.",
    )
    lost = [f"{case.suite}/{case.case} ({case.undelivered})" for case in cases if case.undelivered]
    if lost:
        yield line("           Of what was to leave, some did not arrive: ", ", ".join(lost))


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _case_title(case: CaseRollup) -> Line:
    status = span(STATUS_WORDS[case.status], tone_of(case))
    name: list[Span] = [span(f"  {case.name}", Tone.QUIET)] if case.name and case.name != case.case else []
    badges = badge_words(case)
    return line(
        status,
        span(f"  {case.suite}/{case.case}", Tone.TITLE),
        *name,
        *([span(f"  {badges}", Tone.WARNING)] if badges else []),
    )


def _opened(samples: Sequence[SampleResult]) -> SampleResult:
    return next(sample for status in OPENED for sample in samples if sample.status is status)


def _sample_title(result: SampleResult, samples: int) -> Line:
    about = [
        *([f"sample {result.key.sample} of {samples}"] if samples > 1 else []),
        *([f"attempt {result.key.attempt}"] if result.key.attempt > 1 else []),
        *([f"stopped: {result.stopped}"] if result.stopped is not None else []),
        *([f"score {result.score}"] if result.score is not None else []),
        units_words(result.units, total_usage(result.usage).unreported),
        seconds_words(result.duration_s),
    ]
    said = span(" · ".join(about), Tone.QUIET)
    return (
        line(span(STATUS_WORDS[result.status], STATUS_TONES[result.status]), " · ", said) if samples > 1 else line(said)
    )


def _totals(run: RunSummary) -> Iterator[Line]:
    counts = run.counts
    words: list[tuple[int, str, Tone]] = [
        (counts.passed, "passed", Tone.GOOD),
        (counts.failed, "failed", Tone.BAD),
        (counts.errored, "error" if counts.errored == 1 else "errors", Tone.WARNING),
        (counts.known_failures, "failed as known", Tone.WARNING),
        (counts.skipped, "skipped", Tone.QUIET),
        (counts.cancelled, "cancelled", Tone.WARNING),
        (counts.waiting, "not run yet" if _goes_on(run) else "never ended", Tone.WARNING),
        (counts.needs_review, "to review", Tone.WARNING),
    ]
    said = [span(f"{count} {word}", tone) for count, word, tone in words if count]
    pieces = [piece for each in said for piece in (span(" · ", Tone.QUIET), each)][1:]
    yield line(span("Cases      ", Tone.TITLE), f"{len(run.cases)}: " if pieces else "0", *pieces, *_failing(run))
    yield line(span("Pass rate  ", Tone.TITLE), *_rate(run))
    yield from _repeated(run)
    estimate = "" if run.estimate_units is None else f" ({run.estimate_units} estimated)"
    unknown = f": {unreported_words(run.tokens or 0, run.unreported)}" if run.unreported else ""
    units = units_words(run.units, run.unreported)
    yield line(span("Cost       ", Tone.TITLE), units, span(estimate, Tone.QUIET), span(unknown, Tone.WARNING))
    if run.rate_limited_s >= _SHOWN_WAIT_S:
        yield line(span("Waited     ", Tone.TITLE), f"{seconds_words(run.rate_limited_s)} for providers' rate limits")
    if run.stopped_why:
        yield line(
            span("Stopped    ", Tone.WARNING),
            f"{unplayed_words(run)}; `greenroom run --failed` plays what did not pass",
        )
    yield from _missed_taps(run)


_SHOWN_WAIT_S = 0.05
"""From here on it is more than 0.0 s."""


def _missed_taps(run: RunSummary) -> Iterator[Line]:
    """A test of buttons that taps nothing proves little, also when it passes."""
    for case in run.cases:
        if case.missed_taps:
            count = "1 tap" if case.missed_taps == 1 else f"{case.missed_taps} taps"
            yield line(
                span("Not tapped ", Tone.WARNING),
                f"{case.suite}/{case.case}: {count} found nothing to tap, so `otherwise` was said; "
                f"`greenroom show {run.run_id}/{case.suite}/{case.case}` shows where",
            )


def _failing(run: RunSummary) -> Sequence[Span]:
    """Page B's figure, which counts errors as failing; shown beside ours (features.md F3)."""
    if not (run.counts.failed and run.counts.errored):
        return ()
    return (span(f" ({run.counts.failed + run.counts.errored} failing, errors counted)", Tone.QUIET),)


def _rate(run: RunSummary) -> Sequence[Span]:
    passed, decided = sum(case.passed for case in run.cases), sum(case.decided for case in run.cases)
    errors = sum(case.errored for case in run.cases)
    beside = span(
        f"; {errors} error{'' if errors == 1 else 's'} beside {'it' if decided else 'that'}" if errors else ""
    )
    if run.pass_rate is None:
        return (span("none: no sample was decided"), beside)
    samples = f": {passed} of {decided} decided sample{'' if decided == 1 else 's'} passed"
    return (span(rate_words(run.pass_rate), rate_tone(run.pass_rate)), span(samples), beside)


def _repeated(run: RunSummary) -> Iterator[Line]:
    """How sure the rate is, and how often several samples in a row would pass; only where a case was repeated (H2)."""
    if all(case.samples < 2 for case in run.cases):
        return
    interval = interval_words(sum(case.passed for case in run.cases), sum(case.decided for case in run.cases))
    chances = pass_all_words(mean_pass_all((case.passed, case.decided) for case in run.cases))
    if interval:
        yield line("           ", span("; ".join([interval, *([chances] if chances else [])]), Tone.QUIET))

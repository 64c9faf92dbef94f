"""Samples folded into cases, counts, a pass rate and an exit code (semantics: verdicts and reports; K06, K07).

| samples of a case                      | the case  |
|----------------------------------------|-----------|
| passed ≥ need                          | passed    |
| passed + those without a verdict < need | failed    |
| else, when one is queued or running    | queued    |
| else, when one was cancelled or never ran | cancelled |
| else                                   | errored   |
| all skipped                            | skipped   |

A sample without a verdict is errored, cancelled, queued, running or never ran. The pass rate goes by samples,
passed ÷ (passed + failed), known failures included; counts and exit code go by case, and a known failure that fails is
no failure there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from greenroom.conversation.outcomes import (
    Badge,
    CaseRollup,
    Counts,
    FailOn,
    Interruption,
    PlannedSample,
    RunSummary,
    SampleResult,
    Status,
)
from greenroom.conversation.usage import total_usage

__all__ = ["ExitVerdict", "Rollup", "exit_verdict", "roll_up", "run_verdict", "unplayed_words"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What is kept of a sample: results leave the process (R17)."""

    status: Status
    needs_review: bool
    no_mock: bool
    live_test: bool
    undelivered: int
    missed_taps: int
    score: int | None
    units: int
    tokens: int
    unreported: int
    duration_s: float
    note: str


@dataclass(slots=True, kw_only=True)
class _Case:
    planned: PlannedSample
    attempts: dict[tuple[int, int], _Outcome] = field(default_factory=dict[tuple[int, int], _Outcome])
    """By sample and attempt."""

    def latest(self) -> list[_Outcome]:
        """The last attempt of each sample, in the order of the samples."""
        last = {sample: outcome for (sample, _), outcome in sorted(self.attempts.items(), key=lambda item: item[0])}
        return list(last.values())


class Rollup:
    """Takes one result at a time, in any order, and keeps a few figures of each.

    A later attempt replaces an earlier one of the same sample, the same attempt told twice counts once (F9), and what
    an earlier attempt cost stays in the units.
    """

    def __init__(self, plan: Iterable[PlannedSample]) -> None:
        self._cases: dict[tuple[str, str], _Case] = {}
        for planned in plan:
            self._cases.setdefault((planned.key.suite, planned.key.case), _Case(planned=planned))

    def add(self, result: SampleResult) -> None:
        """Count one result. Raises `KeyError` for a case that was not planned."""
        key, used = result.key, total_usage(result.usage)
        self._cases[key.suite, key.case].attempts[key.sample, key.attempt] = _Outcome(
            status=result.status,
            needs_review=Badge.NEEDS_REVIEW in result.badges,
            no_mock=Badge.NO_MOCK in result.badges,
            live_test=Badge.LIVE_TEST in result.badges,
            undelivered=result.undelivered,
            missed_taps=result.missed_taps,
            score=result.score,
            units=result.units,
            tokens=used.tokens,
            unreported=used.unreported,
            duration_s=result.duration_s,
            note=result.note,
        )

    @property
    def complete(self) -> bool:
        """Whether every planned sample has come to an end that nobody forced on it."""
        return all(
            len(latest) >= case.planned.samples and all(outcome.status in _AT_AN_END for outcome in latest)
            for case in self._cases.values()
            for latest in [case.latest()]
        )

    @property
    def cases(self) -> tuple[CaseRollup, ...]:
        """Every planned case, in the order of the plan; a sample without a result counts as cancelled."""
        return tuple(_fold(case) for case in self._cases.values())

    @property
    def counts(self) -> Counts:
        """Cases by status."""
        return _counts(self.cases)

    @property
    def pass_rate(self) -> float | None:
        """Passed ÷ (passed + failed) samples; None when nothing was decided."""
        cases = self.cases
        passed = sum(case.passed for case in cases)
        decided = passed + sum(case.failed for case in cases)
        return passed / decided if decided else None

    @property
    def units(self) -> int:
        """What all attempts cost, or the least that they can have cost."""
        return sum(outcome.units for outcome in self._spent())

    @property
    def tokens(self) -> int:
        """All that are known of, of all attempts and roles."""
        return sum(outcome.tokens for outcome in self._spent())

    @property
    def unreported(self) -> int:
        """How many calls of all attempts did not tell what they used, or only a part of it."""
        return sum(outcome.unreported for outcome in self._spent())

    def summed(self, run: RunSummary) -> RunSummary:
        """The run with the figures and cases as they stand here."""
        return replace(
            run,
            counts=self.counts,
            pass_rate=self.pass_rate,
            units=self.units,
            tokens=self.tokens,
            unreported=self.unreported,
            cases=self.cases,
        )

    def _spent(self) -> Iterator[_Outcome]:
        return (outcome for case in self._cases.values() for outcome in case.attempts.values())


_AT_AN_END = frozenset({Status.PASSED, Status.FAILED, Status.ERRORED, Status.SKIPPED})


def roll_up(results: Iterable[SampleResult], plan: Iterable[PlannedSample]) -> tuple[CaseRollup, ...]:
    """The cases of a plan with these results."""
    rollup = Rollup(plan)
    for result in results:
        rollup.add(result)
    return rollup.cases


def _fold(case: _Case) -> CaseRollup:
    latest, planned = case.latest(), case.planned
    statuses = [outcome.status for outcome in latest]
    passed, failed, errored = (statuses.count(s) for s in (Status.PASSED, Status.FAILED, Status.ERRORED))
    skipped = statuses.count(Status.SKIPPED)
    waiting = statuses.count(Status.QUEUED) + statuses.count(Status.RUNNING)
    samples = max(planned.samples, len(latest))
    cancelled = samples - passed - failed - errored - skipped - waiting
    scores = [outcome.score for outcome in latest if outcome.score is not None]
    spent = case.attempts.values()
    return CaseRollup(
        suite=planned.key.suite,
        case=planned.key.case,
        status=Status.SKIPPED
        if skipped == samples
        else _status(passed=passed, errored=errored, cancelled=cancelled, waiting=waiting, need=planned.need),
        samples=samples,
        passed=passed,
        failed=failed,
        errored=errored,
        need=planned.need,
        cancelled=cancelled,
        needs_review=any(outcome.needs_review for outcome in latest),
        no_mock=any(outcome.no_mock for outcome in latest),
        live_test=any(outcome.live_test for outcome in spent),
        undelivered=sum(outcome.undelivered for outcome in spent),
        missed_taps=sum(outcome.missed_taps for outcome in latest),
        name=planned.name,
        known_failure=planned.known_failure,
        note=next((outcome.note for outcome in latest if outcome.note), ""),
        score=min(scores, default=None),
        units=sum(outcome.units for outcome in spent),
        unreported=sum(outcome.unreported for outcome in spent),
        duration_s=sum(outcome.duration_s for outcome in spent),
    )


def _status(*, passed: int, errored: int, cancelled: int, waiting: int, need: int) -> Status:
    if passed >= need:
        return Status.PASSED
    if passed + errored + cancelled + waiting < need:
        return Status.FAILED
    if waiting:
        return Status.QUEUED
    return Status.CANCELLED if cancelled else Status.ERRORED


def _counts(cases: Sequence[CaseRollup]) -> Counts:
    statuses = [case.status for case in cases]
    known = sum(case.failed_as_known for case in cases)
    return Counts(
        passed=statuses.count(Status.PASSED),
        failed=statuses.count(Status.FAILED) - known,
        known_failures=known,
        errored=statuses.count(Status.ERRORED),
        needs_review=sum(case.needs_review for case in cases),
        skipped=statuses.count(Status.SKIPPED),
        cancelled=statuses.count(Status.CANCELLED),
        waiting=statuses.count(Status.QUEUED),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitVerdict:
    """A process's exit code and why it is that, as a sentence (X01)."""

    code: int
    reason: str


def exit_verdict(
    counts: Counts,
    *,
    fail_on: FailOn = FailOn.ANY,
    interrupted: Interruption | None = None,
    invalid: str = "",
    refused: str = "",
    broken: str = "",
) -> ExitVerdict:
    """The exit code of a run: the first that holds of 130, 2, 1, 4, 3, 0; 143 and 129 stand where 130 does.

    `invalid` says what was wrong with what was asked (2), `refused` which quota or budget refused or stopped it (4),
    `broken` what of Greenroom's own broke the run off (3, wherever the gate stands).
    """
    if interrupted is not None:
        code, what = _INTERRUPTIONS[interrupted]
        return ExitVerdict(code=code, reason=f"{what}; what had finished is kept")
    if invalid:
        return ExitVerdict(code=2, reason=invalid)
    if counts.failed and fail_on in {FailOn.ANY, FailOn.FAIL}:
        return ExitVerdict(code=1, reason=_said(_failures(counts)))
    if refused:
        return ExitVerdict(code=4, reason=refused)
    if broken:
        return ExitVerdict(code=3, reason=broken)
    undecided = _undecided(counts)
    nothing_decided = not (counts.passed or counts.failed or counts.known_failures)
    counts_errors = fail_on in {FailOn.ANY, FailOn.ERROR} or (fail_on is FailOn.FAIL and nothing_decided)
    # What never ended is no case that ended badly: the run itself broke off.
    if undecided and (counts_errors or counts.waiting):
        return ExitVerdict(code=3, reason=f"{_said(undecided)}, which leaves no verdict")
    return ExitVerdict(code=0, reason=_nothing_bad(counts, fail_on))


def run_verdict(run: RunSummary, *, broken: str = "") -> ExitVerdict:
    """The exit code of a run as it was asked for; `broken` as `exit_verdict` takes it."""
    return exit_verdict(
        run.counts, fail_on=run.fail_on, interrupted=run.interrupted, refused=unplayed_words(run), broken=broken
    )


def unplayed_words(run: RunSummary) -> str:
    """`the quota at … is used up (429); 12 samples were not run`; empty when no provider ended the run (C02)."""
    left = _number(sum(case.cancelled for case in run.cases), "sample was", "samples were")
    return f"{run.stopped_why}; {left} not run" if run.stopped_why else ""


_INTERRUPTIONS: Mapping[Interruption, tuple[int, str]] = MappingProxyType({
    Interruption.INTERRUPTED: (130, "the run was interrupted"),
    Interruption.TERMINATED: (143, "the run was terminated"),
    Interruption.HUNG_UP: (129, "the terminal of the run was closed"),
})
"""Each code is 128 and the signal's number, as a shell tells it of a process that the signal ended."""


def _failures(counts: Counts) -> list[str]:
    failed = [_number(counts.failed, "case failed", "cases failed")] if counts.failed else []
    return failed + ([f"{counts.needs_review} to review"] if counts.needs_review else [])


def _undecided(counts: Counts) -> list[str]:
    said = [_number(counts.errored, "case ended in an error", "cases ended in an error")] if counts.errored else []
    cancelled = [_number(counts.cancelled, "case was cancelled", "cases were cancelled")] if counts.cancelled else []
    waiting = [_number(counts.waiting, "case never ended", "cases never ended")] if counts.waiting else []
    return said + cancelled + waiting


def _nothing_bad(counts: Counts, fail_on: FailOn) -> str:
    ignored = _failures(counts) + _undecided(counts)
    if counts.failed or counts.errored or counts.cancelled or counts.waiting:
        return f"{_said(ignored)}, and `--fail-on {fail_on}` lets that pass"
    if not counts.passed and not counts.known_failures:
        return "no case ran" + (f": {_number(counts.skipped, 'is', 'are')} skipped" if counts.skipped else "")
    said = [_number(counts.passed, "case passed", "cases passed")]
    said += [f"{counts.known_failures} failed as known"] if counts.known_failures else []
    said += [_number(counts.skipped, "was skipped", "were skipped")] if counts.skipped else []
    if len(said) > 1 or counts.passed == 1:
        return _said(said)
    return "both cases passed" if counts.passed == 2 else f"all {said[0]}"


def _number(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def _said(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

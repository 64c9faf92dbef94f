"""The words and tones every report has for statuses, badges, samples, units and times (features.md F2, G2)."""

from collections.abc import Mapping, Sequence
from math import floor
from types import MappingProxyType

from greenroom.conversation.outcomes import Badge, CaseRollup, CriterionVerdict, RunStatus, Status
from greenroom.conversation.statistics import outward, pass_interval
from greenroom.reports.lines import Tone

__all__ = [
    "RUN_WORDS",
    "STATUS_TONES",
    "STATUS_WORDS",
    "badge_words",
    "criterion_words",
    "interval_words",
    "pass_all_words",
    "rate_words",
    "samples_words",
    "seconds_words",
    "tone_of",
    "units_words",
    "unreported_words",
]

STATUS_WORDS: Mapping[Status, str] = MappingProxyType({
    Status.PASSED: "Passed",
    Status.FAILED: "Failed",
    Status.ERRORED: "Error",
    Status.CANCELLED: "Cancelled",
    Status.SKIPPED: "Skipped",
    Status.QUEUED: "Not run yet",
    Status.RUNNING: "Running",
})
STATUS_TONES: Mapping[Status, Tone] = MappingProxyType({
    Status.PASSED: Tone.GOOD,
    Status.FAILED: Tone.BAD,
    Status.ERRORED: Tone.WARNING,
    Status.CANCELLED: Tone.WARNING,
    Status.SKIPPED: Tone.QUIET,
    Status.QUEUED: Tone.QUIET,
    Status.RUNNING: Tone.PLAIN,
})
RUN_WORDS: Mapping[RunStatus, str] = MappingProxyType({
    RunStatus.QUEUED: "queued",
    RunStatus.RUNNING: "running",
    RunStatus.FINISHED: "finished",
    RunStatus.CANCELLED: "cancelled",
    RunStatus.BROKEN_OFF: "broken off",
})
_BADGE_WORDS = {Badge.NEEDS_REVIEW: "Needs review", Badge.NO_MOCK: "No mock", Badge.LIVE_TEST: "Live test"}


def badge_words(case: CaseRollup) -> str:
    """The badges beside a case's status (features.md G2)."""
    badges = [
        *([_BADGE_WORDS[Badge.NEEDS_REVIEW]] if case.needs_review else []),
        *([_BADGE_WORDS[Badge.NO_MOCK]] if case.no_mock else []),
        *([_BADGE_WORDS[Badge.LIVE_TEST]] if case.live_test else []),
        *(["Known failure"] if case.failed_as_known else []),
    ]
    return " · ".join(badges)


def criterion_words(criterion: CriterionVerdict) -> str:
    """`name: text`; the text alone where its name is nothing but its beginning."""
    short = criterion.name.removesuffix("…").strip()
    return (
        criterion.text if " ".join(criterion.text.split()).startswith(short) else f"{criterion.name}: {criterion.text}"
    )


def samples_words(case: CaseRollup) -> str:
    """`2 / 3 passed`, `2 / 2 passed · 1 error`: errors stand beside the decided ones (features.md F2)."""
    decided = case.passed + case.failed
    words = [f"{case.passed} / {decided} passed"] if decided else []
    words += [f"{case.errored} error{'' if case.errored == 1 else 's'}"] if case.errored else []
    words += [f"{case.cancelled} cancelled"] if case.cancelled else []
    return " · ".join(words)


def rate_words(rate: float) -> str:
    """`99.9 %`: never rounded up, so that only all is 100 %."""
    return f"{floor(rate * 1000) / 10:g} %"


def interval_words(passed: int, decided: int) -> str:
    """`95 % interval 20.7 % to 93.9 %`, rounded outward; empty for fewer than two decided samples (features.md H2)."""
    interval = pass_interval(passed, decided)
    if interval is None:
        return ""
    low, high = outward(interval)
    return f"95 % interval {low * 100:.3g} % to {high * 100:.3g} %"


def pass_all_words(chances: Sequence[float]) -> str:
    """`pass^2 33.3 %, pass^3 0 %`: the chance that so many samples all pass (features.md H2). For 1 it is the rate."""
    ks = sorted({k for k in (*_SHOWN_KS, len(chances)) if 1 < k <= len(chances)})
    return ", ".join(f"pass^{k} {rate_words(chances[k - 1])}" for k in ks)


_SHOWN_KS = (2, 3, 4, 5, 8, 16)


def seconds_words(seconds: float) -> str:
    """`0.4 s`, `75 s`, `2 min 05 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min {whole % 60:02} s"


def tone_of(case: CaseRollup) -> Tone:
    """A known failure warns, it is not bad."""
    return Tone.WARNING if case.failed_as_known else STATUS_TONES[case.status]


def units_words(units: int, unreported: int = 0) -> str:
    """`1 unit`, `3 units`; `at least 3 units` where so many calls did not report all they used (M06)."""
    least = "at least " if unreported else ""
    return f"{least}{units} unit{'' if units == 1 else 's'}"


def unreported_words(tokens: int, unreported: int) -> str:
    """`1,240 tokens known, 3 calls did not report all of their usage`, or `3 calls reported no usage`."""
    calls = "1 call" if unreported == 1 else f"{unreported:,} calls"
    if not tokens:
        return f"{calls} reported no usage"
    known = f"{tokens:,} token{'' if tokens == 1 else 's'} known"
    return f"{known}, {calls} did not report all of {'its' if unreported == 1 else 'their'} usage"

"""The words and tones every report has for statuses, badges, samples, units and times (features.md F2, G2)."""

from collections.abc import Mapping
from types import MappingProxyType

from greenroom.conversation.outcomes import Badge, CaseRollup, Status
from greenroom.reports.lines import Tone

__all__ = ["STATUS_TONES", "STATUS_WORDS", "badge_words", "samples_words", "seconds_words", "tone_of", "units_words"]

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
_BADGE_WORDS = {Badge.NEEDS_REVIEW: "Needs review", Badge.NO_MOCK: "No mock"}


def badge_words(case: CaseRollup) -> str:
    """The badges beside a case's status (features.md G2)."""
    badges = [
        *([_BADGE_WORDS[Badge.NEEDS_REVIEW]] if case.needs_review else []),
        *([_BADGE_WORDS[Badge.NO_MOCK]] if case.no_mock else []),
        *(["Known failure"] if case.failed_as_known else []),
    ]
    return " · ".join(badges)


def samples_words(case: CaseRollup) -> str:
    """`2 / 3 passed`, `2 / 2 passed · 1 error`: errors stand beside the decided ones (features.md F2)."""
    decided = case.passed + case.failed
    words = [f"{case.passed} / {decided} passed"] if decided else []
    words += [f"{case.errored} error{'' if case.errored == 1 else 's'}"] if case.errored else []
    words += [f"{case.cancelled} cancelled"] if case.cancelled else []
    return " · ".join(words)


def seconds_words(seconds: float) -> str:
    """`0.4 s`, `75 s`, `2 min 05 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min {whole % 60:02} s"


def tone_of(case: CaseRollup) -> Tone:
    """A known failure warns, it is not bad."""
    return Tone.WARNING if case.failed_as_known else STATUS_TONES[case.status]


def units_words(units: int) -> str:
    """`1 unit`, `3 units`."""
    return f"{units} unit{'' if units == 1 else 's'}"

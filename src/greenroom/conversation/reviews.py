"""Reviews of closed live conversations: what the judge says of each by standing criteria (features.md E5)."""

from dataclasses import dataclass, field
from enum import StrEnum

from greenroom.conversation.outcomes import CriterionVerdict, JudgeRecord, Verdict
from greenroom.conversation.usage import Usage

__all__ = ["Judged", "Review", "ReviewFilter", "ReviewMark", "ReviewStatus", "ReviewVerdict", "WaitingReviews"]


class ReviewStatus(StrEnum):
    """How far a review is."""

    WAITING = "waiting"
    """It has not been judged, or the judge could not answer and is asked again."""
    DONE = "done"
    ERRORED = "errored"
    """The judge could never answer."""


class ReviewVerdict(StrEnum):
    """What all criteria come to."""

    PASSED = "passed"
    FAILED = "failed"
    """One does not hold."""
    UNKNOWN = "unknown"
    """Not one failed, and of one the judge could not tell."""


class ReviewFilter(StrEnum):
    """Which conversations a list shows, by the review that counts."""

    PASSED = "passed"
    FAILED = "failed"
    NEEDS_REVIEW = "needs-review"
    """People should look: a criterion is unknown, the judge saw a part only, or it could never answer."""
    WAITING = "waiting"
    ERRORED = "errored"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewMark:
    """A review in a list."""

    status: ReviewStatus
    verdict: ReviewVerdict | None
    needs_review: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the judge left behind, and what it was shown."""

    verdicts: tuple[CriterionVerdict, ...] = ()
    """One for each criterion; empty when the judge could not answer."""
    record: JudgeRecord | None = None
    """The exact question and answer; None when nobody was asked."""
    usage: Usage = field(default_factory=Usage)
    """Of every try so far, those that came to nothing included."""
    revisions: tuple[str, ...] = ()
    """Content hashes of the agent that answered, in the order of their first answer."""
    turns_left_out: int = 0
    """Turns in the middle of a long conversation that the judge was not shown."""
    unanswered: bool = False
    """A call of the agent's went unanswered."""

    @property
    def verdict(self) -> ReviewVerdict | None:
        """What all criteria come to; None when nothing was decided."""
        said = {each.verdict for each in self.verdicts}
        if not said:
            return None
        if Verdict.FAIL in said:
            return ReviewVerdict.FAILED
        return ReviewVerdict.UNKNOWN if Verdict.UNKNOWN in said else ReviewVerdict.PASSED

    @property
    def needs_review(self) -> bool:
        """Whether people should look, as with a case; independent of the verdict."""
        unknown = any(each.verdict is Verdict.UNKNOWN for each in self.verdicts)
        return unknown or self.unanswered or bool(self.turns_left_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One review, whole. Times are ISO 8601, UTC."""

    number: int
    conversation: str
    agent: str
    closed_at: str
    """Which closing of the conversation it is of."""
    criteria: tuple[str, ...]
    newest: bool
    """It is the one that counts; those before it are kept."""
    status: ReviewStatus
    judged: Judged | None
    """None before the judge was asked."""
    needs_review: bool
    units: int | None
    """What the judge cost; None while nothing is decided."""
    tries: int
    error: str | None
    """What the last try came to, when that was no answer."""
    due_at: str
    """When it is tried next, while it waits."""
    created_at: str
    finished_at: str | None

    @property
    def verdict(self) -> ReviewVerdict | None:
        """What all criteria come to; None while nothing is decided."""
        return self.judged.verdict if self.judged is not None and self.status is ReviewStatus.DONE else None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingReviews:
    """What was done with reviews that waited."""

    reviewed: int
    """Reviews that the judge was asked for, those that it could not answer included."""
    waiting: int
    """Reviews that still wait."""
    obstacle: str
    """Why none could be judged; empty when they could."""

"""Checks, verdicts, unanswered calls and an error to one status; pure (features.md E7, H1; semantics: verdicts)."""

from collections.abc import Sequence
from dataclasses import dataclass

from greenroom.conversation.calls import ToolCall
from greenroom.conversation.outcomes import (
    Badge,
    CaseError,
    CheckOutcome,
    CheckStatus,
    CriterionVerdict,
    Status,
    Verdict,
)

__all__ = ["Concluded", "conclude"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Concluded:
    """What a sample came to."""

    status: Status
    badges: tuple[Badge, ...] = ()
    score: int | None = None
    """The lowest of the scored criteria; None when there is none."""


def conclude(
    *,
    checks: Sequence[CheckOutcome] = (),
    criteria: Sequence[CriterionVerdict] = (),
    unanswered: Sequence[ToolCall] = (),
    error: CaseError | None = None,
    unanswered_fails: bool = True,
) -> Concluded:
    """Errored when it broke off or the judge could not answer; else failed unless everything held; else passed.

    Badges don't depend on the status: `needs-review` when a criterion is unknown, a call went unanswered, or a check
    could not be decided, `no-mock` when a call went unanswered. `unanswered_fails` is False for a tool test, which
    shows an unanswered call and does not fail by it.
    """
    held = (
        all(check.passed for check in checks)
        and all(criterion.verdict is Verdict.PASS for criterion in criteria)
        and not (unanswered and unanswered_fails)
    )
    undecided = any(check.status is CheckStatus.ERROR for check in checks) or any(
        criterion.verdict is Verdict.UNKNOWN for criterion in criteria
    )
    scores = [criterion.score for criterion in criteria if criterion.score is not None]
    return Concluded(
        status=Status.ERRORED if error is not None else Status.PASSED if held else Status.FAILED,
        badges=(*((Badge.NEEDS_REVIEW,) if undecided or unanswered else ()), *((Badge.NO_MOCK,) if unanswered else ())),
        score=min(scores, default=None),
    )

"""One conversation to its grade: checks by code, criteria by the judge, one status (features.md E1–E7, H1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from greenroom.conversation.calls import ToolCall
from greenroom.conversation.outcomes import Badge, CaseError, Cause, CheckOutcome, CriterionVerdict, JudgeRecord, Status
from greenroom.conversation.usage import Role, Usage
from greenroom.documents.suite import Case
from greenroom.errors import PatternTimeout
from greenroom.grading.checks.registry import decide, has_patterns
from greenroom.grading.evidence import Evidence
from greenroom.grading.expectations import is_tool_test
from greenroom.grading.judge import Judgement, should_judge
from greenroom.grading.judge import judge as judge_case
from greenroom.grading.verdict import conclude
from greenroom.models.model import Model
from greenroom.patterns import off_loop

__all__ = ["Graded", "grade"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """Everything that grading adds to a sample."""

    status: Status
    badges: tuple[Badge, ...] = ()
    score: int | None = None
    checks: tuple[CheckOutcome, ...] = ()
    """Decided on whatever there is, even when the sample is errored."""
    criteria: tuple[CriterionVerdict, ...] = ()
    """Empty when nothing was judged: the conversation broke off, or the judge could not answer."""
    record: JudgeRecord | None = None
    usage: Mapping[Role, Usage] = field(default_factory=dict[Role, Usage])
    """What the judge spent."""
    error: CaseError | None = None
    """The conversation's, else the checks', else the judge's."""
    unanswered: tuple[ToolCall, ...] = ()
    """Calls that nothing was prepared to answer, without those to tools that the case forbids (features.md C10)."""
    forbidden: tuple[ToolCall, ...] = ()
    """Those: the agent's failure, not the test's."""


async def grade(
    case: Case,
    evidence: Evidence,
    *,
    judge: Model | None,
    error: CaseError | None = None,
    conversation: str = "",
) -> Graded:
    """Decide every check, ask the judge once if there are criteria and the conversation has an end, and conclude.

    Args:
        case: What is expected.
        evidence: What may be looked at.
        judge: The judge's model; may be None for a case without criteria.
        error: Why the conversation broke off, if it did; such a conversation is never judged (features.md E6).
        conversation: Its id, by which scripted models count.

    Raises nothing for what a check, a pattern or the judge did: that is in the value.
    """
    # A pattern may take half a second; without one, a thread would cost more than the checks do.
    decided = await off_loop(decide, case, evidence) if has_patterns(case) else decide(case, evidence)
    if error is None and decided.ran_away:
        # Whoever wrote the pattern has to mend it, in a check as in a mock; until then a verdict is worth nothing.
        message = f"What the test expects could not be decided: {decided.ran_away}"
        error = CaseError(cause=Cause.TEST, message=message)
    judged = Judgement()
    if error is None and should_judge(evidence.stopped):
        judged = await _judged(case, evidence, judge, missing=decided.missing, conversation=conversation)
    error = error or judged.error
    concluded = conclude(
        checks=decided.checks,
        criteria=judged.verdicts,
        unanswered=decided.unanswered,
        error=error,
        unanswered_fails=not is_tool_test(case),
    )
    return Graded(
        status=concluded.status,
        badges=concluded.badges,
        score=concluded.score,
        checks=decided.checks,
        criteria=judged.verdicts,
        record=judged.record,
        usage={Role.JUDGE: judged.usage} if judged.usage.calls else {},
        error=error,
        unanswered=decided.unanswered,
        forbidden=decided.forbidden,
    )


async def _judged(
    case: Case, evidence: Evidence, model: Model | None, *, missing: Sequence[str], conversation: str
) -> Judgement:
    try:
        return await judge_case(case, evidence, model, missing=missing, conversation=conversation)
    except PatternTimeout as fault:
        # It stands in the script that plays the judge: whoever wrote it has to mend it (C12).
        message = f"The script of the judge could not be decided, so there is no verdict: {fault}"
        return Judgement(error=CaseError(cause=Cause.TEST, message=message))

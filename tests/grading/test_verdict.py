"""Checks, verdicts, unanswered calls and an error to one status."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.grading.makers import call

from greenroom.conversation.calls import AnsweredBy, ToolCall
from greenroom.conversation.outcomes import (
    Badge,
    CaseError,
    Cause,
    CheckOutcome,
    CheckStatus,
    CriterionVerdict,
    Status,
    Verdict,
)
from greenroom.grading.verdict import conclude

PASSED = CheckOutcome(check="reply: {contains: Hi}", status=CheckStatus.PASSED)
HELD = CriterionVerdict(name="polite", text="It is polite.", verdict=Verdict.PASS, reason="It is.")
UNANSWERED = call("get_order", answered_by=AnsweredBy.NONE)
BROKE = CaseError(cause=Cause.AGENT, message="The agent did not answer.")

checks = st.lists(st.sampled_from(CheckStatus).map(lambda status: replace(PASSED, status=status)), max_size=4)
criteria = st.lists(
    st.builds(replace, st.just(HELD), verdict=st.sampled_from(Verdict), score=st.none() | st.integers(0, 100)),
    max_size=4,
)
unanswered = st.lists(st.just(UNANSWERED), max_size=1)
errors = st.none() | st.just(BROKE)


@pytest.mark.requirement("E7")
def test_passed_needs_everything() -> None:
    assert conclude(checks=[PASSED], criteria=[HELD]).status is Status.PASSED
    assert conclude(checks=[PASSED, replace(PASSED, status=CheckStatus.FAILED)]).status is Status.FAILED
    assert conclude(criteria=[HELD, replace(HELD, verdict=Verdict.FAIL)]).status is Status.FAILED
    assert conclude(checks=[PASSED], criteria=[HELD], unanswered=[UNANSWERED]).status is Status.FAILED


@pytest.mark.requirement("E2", "H1")
def test_unknown_fails_and_asks_for_review() -> None:
    """S01: an unknown verdict is no plain failure: the badge says that somebody has to look."""
    concluded = conclude(criteria=[replace(HELD, verdict=Verdict.UNKNOWN)])
    assert (concluded.status, concluded.badges) == (Status.FAILED, (Badge.NEEDS_REVIEW,))


@pytest.mark.requirement("C10", "H1")
def test_an_unanswered_call_fails_with_both_badges() -> None:
    """T11."""
    concluded = conclude(checks=[PASSED], criteria=[HELD], unanswered=[UNANSWERED])
    assert (concluded.status, concluded.badges) == (Status.FAILED, (Badge.NEEDS_REVIEW, Badge.NO_MOCK))


@pytest.mark.requirement("C10", "B9")
def test_a_tool_test_shows_an_unanswered_call_and_does_not_fail_by_it() -> None:
    concluded = conclude(checks=[PASSED], unanswered=[UNANSWERED], unanswered_fails=False)
    assert (concluded.status, concluded.badges) == (Status.PASSED, (Badge.NEEDS_REVIEW, Badge.NO_MOCK))


@pytest.mark.requirement("E6", "H1")
def test_an_error_stands_above_failures_and_keeps_the_badges() -> None:
    concluded = conclude(checks=[replace(PASSED, status=CheckStatus.FAILED)], unanswered=[UNANSWERED], error=BROKE)
    assert (concluded.status, concluded.badges) == (Status.ERRORED, (Badge.NEEDS_REVIEW, Badge.NO_MOCK))


@pytest.mark.requirement("H1")
def test_a_check_that_could_not_be_decided_is_no_pass_and_asks_for_review() -> None:
    """T10."""
    concluded = conclude(checks=[replace(PASSED, status=CheckStatus.ERROR)])
    assert (concluded.status, concluded.badges) == (Status.FAILED, (Badge.NEEDS_REVIEW,))


@pytest.mark.requirement("E3", "G2")
def test_the_score_is_the_lowest() -> None:
    scored = [replace(HELD, score=85), HELD, replace(HELD, score=71)]
    assert conclude(criteria=scored).score == 71
    assert conclude(criteria=[HELD]).score is None


@pytest.mark.requirement("E7")
@given(checks=checks, criteria=criteria, unanswered=unanswered, error=errors, tool_test=st.booleans())
def test_nothing_that_is_added_turns_a_run_into_a_pass(
    checks: Sequence[CheckOutcome],
    criteria: Sequence[CriterionVerdict],
    unanswered: Sequence[ToolCall],
    error: CaseError | None,
    tool_test: bool,
) -> None:
    def status(*, more: Sequence[CheckOutcome] = (), judged: Sequence[CriterionVerdict] = ()) -> Status:
        return conclude(
            checks=[*checks, *more],
            criteria=[*criteria, *judged],
            unanswered=unanswered,
            error=error,
            unanswered_fails=not tool_test,
        ).status

    assert status(more=[PASSED], judged=[HELD]) is status()
    for worse in (CheckStatus.FAILED, CheckStatus.ERROR):
        assert status(more=[replace(PASSED, status=worse)]) in (Status.FAILED, Status.ERRORED)
    for unheld in (Verdict.FAIL, Verdict.UNKNOWN):
        assert status(judged=[replace(HELD, verdict=unheld)]) in (Status.FAILED, Status.ERRORED)
    assert (status() is Status.ERRORED) is (error is not None)

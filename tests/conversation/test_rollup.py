"""Samples folded into cases, counts, rates and exit codes (features.md H1, F2; semantics: verdicts and reports)."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.outcomes import (
    Badge,
    CaseRollup,
    Counts,
    FailOn,
    Interruption,
    PlannedSample,
    SampleKey,
    SampleResult,
    Status,
)
from greenroom.conversation.rollup import Rollup, exit_verdict, roll_up

pytestmark = pytest.mark.requirement("H1", "F2")

PASSED, FAILED, ERRORED = Status.PASSED, Status.FAILED, Status.ERRORED
SKIPPED, CANCELLED, QUEUED = Status.SKIPPED, Status.CANCELLED, Status.QUEUED


def planned(case: str = "books", *, samples: int = 1, need: int | None = None, known: str = "") -> PlannedSample:
    return PlannedSample(
        key=SampleKey(suite="booking", case=case),
        case_hash="",
        samples=samples,
        need=samples if need is None else need,
        known_failure=known,
    )


def result(status: Status, sample: int = 1, *, case: str = "books", attempt: int = 1) -> SampleResult:
    key = SampleKey(suite="booking", case=case, sample=sample, attempt=attempt)
    return SampleResult(key=key, status=status, units=2, duration_s=1.5)


def one_case(statuses: Sequence[Status], *, need: int | None = None, samples: int | None = None) -> CaseRollup:
    plan = [planned(samples=len(statuses) if samples is None else samples, need=need)]
    return roll_up([result(status, number) for number, status in enumerate(statuses, start=1)], plan)[0]


@pytest.mark.parametrize(
    ("statuses", "need", "status"),
    [
        ([PASSED, PASSED, PASSED], 3, PASSED),
        ([PASSED, PASSED, FAILED], 2, PASSED),
        ([PASSED, PASSED, FAILED], 3, FAILED),
        ([PASSED, PASSED, ERRORED], 2, PASSED),
        ([PASSED, PASSED, ERRORED], 3, ERRORED),
        ([PASSED, FAILED, ERRORED], 3, FAILED),
        ([PASSED, FAILED, ERRORED], 2, ERRORED),
        ([ERRORED], 1, ERRORED),
        ([SKIPPED], 1, SKIPPED),
        ([PASSED, CANCELLED], 2, CANCELLED),
        ([ERRORED, CANCELLED], 1, CANCELLED),
        ([FAILED, CANCELLED], 2, FAILED),
    ],
)
def test_a_case_passes_with_enough_samples_and_fails_once_it_cannot_pass(
    statuses: list[Status], need: int, status: Status
) -> None:
    assert one_case(statuses, need=need).status is status


def test_errors_leave_the_pass_rate_alone() -> None:
    """K06, K07: two of three are decided, both passed; the error is shown beside them."""
    rollup = Rollup([planned(samples=3, need=2)])
    for sample, status in enumerate([PASSED, PASSED, ERRORED], start=1):
        rollup.add(result(status, sample))

    case = rollup.cases[0]
    assert (case.passed, case.failed, case.errored, case.samples) == (2, 0, 1, 3)
    assert rollup.pass_rate == 1.0
    assert rollup.counts == Counts(passed=1)


def test_a_sample_that_never_ran_counts_as_cancelled_and_leaves_the_run_incomplete() -> None:
    rollup = Rollup([planned(samples=2), planned("cancels")])
    rollup.add(result(PASSED))

    assert not rollup.complete
    assert [(case.case, case.status, case.cancelled) for case in rollup.cases] == [
        ("books", CANCELLED, 1),
        ("cancels", CANCELLED, 1),
    ]
    rollup.add(result(PASSED, 2))
    rollup.add(result(SKIPPED, case="cancels"))
    assert rollup.complete
    assert rollup.counts == Counts(passed=1, skipped=1)


@pytest.mark.requirement("F9")
def test_a_later_attempt_replaces_an_earlier_one_and_both_are_paid() -> None:
    rollup = Rollup([planned()])
    for each in (result(PASSED, attempt=2), result(ERRORED), result(ERRORED)):
        rollup.add(each)

    assert rollup.cases[0].status is PASSED
    assert rollup.units == rollup.cases[0].units == 4
    assert rollup.cases[0].duration_s == 3.0


def test_a_result_that_nobody_planned_is_refused() -> None:
    with pytest.raises(KeyError):
        Rollup([planned()]).add(result(PASSED, case="other"))


def test_a_known_failure_is_counted_apart_and_told_when_it_passes() -> None:
    plan = [planned(known="the agent forgets the deposit"), planned("cancels", known="slow")]
    cases = roll_up([result(FAILED), result(PASSED, case="cancels")], plan)

    assert [case.failed_as_known for case in cases] == [True, False]
    assert [case.passed_unexpectedly for case in cases] == [False, True]
    rollup = Rollup(plan)
    rollup.add(result(FAILED))
    rollup.add(result(PASSED, case="cancels"))
    assert rollup.counts == Counts(passed=1, known_failures=1)
    assert rollup.pass_rate == 0.5
    assert exit_verdict(rollup.counts).code == 0


def test_badges_and_scores_of_a_case_are_the_worst_of_its_samples() -> None:
    rollup = Rollup([planned(samples=2)])
    rollup.add(replace(result(FAILED), badges=(Badge.NEEDS_REVIEW, Badge.NO_MOCK), score=40))
    rollup.add(replace(result(PASSED, 2), score=90))

    assert (rollup.cases[0].needs_review, rollup.cases[0].no_mock, rollup.cases[0].score) == (True, True, 40)
    assert rollup.counts.needs_review == 1


statuses = st.sampled_from([PASSED, FAILED, ERRORED])
WORSE = {PASSED: 0, ERRORED: 1, FAILED: 2}


@given(st.lists(statuses, min_size=1, max_size=6), st.data())
def test_a_sample_that_passes_instead_of_failing_makes_nothing_worse(found: list[Status], data: st.DataObject) -> None:
    need = data.draw(st.integers(1, len(found)))
    index = data.draw(st.integers(0, len(found) - 1))
    better = [*found[:index], PASSED, *found[index + 1 :]]

    assert WORSE[one_case(better, need=need).status] <= WORSE[one_case(found, need=need).status]


@given(st.lists(statuses, min_size=1, max_size=8), st.sampled_from(FailOn), st.data())
def test_a_case_that_passes_instead_of_failing_never_worsens_rate_or_exit_code(
    found: list[Status], fail_on: FailOn, data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(found) - 1))
    better = [*found[:index], PASSED, *found[index + 1 :]]
    severity = {0: 0, 3: 1, 1: 2}

    def run(outcomes: list[Status]) -> tuple[float, int]:
        rollup = Rollup([planned(f"case-{number}") for number in range(len(outcomes))])
        for number, status in enumerate(outcomes):
            rollup.add(result(status, case=f"case-{number}"))
        return rollup.pass_rate or 0.0, severity[exit_verdict(rollup.counts, fail_on=fail_on).code]

    assert run(better)[0] >= run(found)[0]
    assert run(better)[1] <= run(found)[1]


@given(st.permutations([(1, PASSED), (2, FAILED), (3, ERRORED)]), st.booleans())
def test_results_may_come_in_any_order_and_twice(found: list[tuple[int, Status]], twice: bool) -> None:
    plan = [planned(samples=3, need=2)]
    results = [result(status, sample) for sample, status in found]

    assert roll_up(results * (2 if twice else 1), plan) == roll_up(sorted(results, key=lambda r: r.key.sample), plan)


ALL = Counts(passed=3, failed=2, errored=1, needs_review=1, cancelled=1)


@pytest.mark.parametrize(
    ("counts", "options", "code", "reason"),
    [
        (
            ALL,
            {"interrupted": Interruption.INTERRUPTED, "refused": "no units"},
            130,
            "the run was interrupted; what had finished is kept",
        ),
        (ALL, {"interrupted": Interruption.TERMINATED}, 143, "the run was terminated; what had finished is kept"),
        (
            ALL,
            {"interrupted": Interruption.HUNG_UP},
            129,
            "the terminal of the run was closed; what had finished is kept",
        ),
        (ALL, {"invalid": "no such suite"}, 2, "no such suite"),
        (ALL, {"refused": "250 units are used up"}, 1, "2 cases failed and 1 to review"),
        (Counts(errored=1), {"refused": "250 units are used up"}, 4, "250 units are used up"),
        (Counts(passed=1, errored=1), {}, 3, "1 case ended in an error, which leaves no verdict"),
        (
            Counts(passed=1, errored=2, cancelled=2),
            {},
            3,
            "2 cases ended in an error and 2 cases were cancelled, which leaves no verdict",
        ),
        (Counts(passed=12), {}, 0, "all 12 cases passed"),
        (Counts(passed=2), {}, 0, "both cases passed"),
        (Counts(passed=1), {}, 0, "1 case passed"),
        (
            Counts(passed=9, known_failures=2, skipped=1),
            {},
            0,
            "9 cases passed, 2 failed as known and 1 was skipped",
        ),
        (Counts(skipped=2), {}, 0, "no case ran: 2 are skipped"),
        (Counts(), {}, 0, "no case ran"),
        (Counts(failed=1), {"fail_on": FailOn.ANY}, 1, "1 case failed"),
        (
            Counts(failed=1, passed=1),
            {"fail_on": FailOn.ERROR},
            0,
            "1 case failed, and `--fail-on error` lets that pass",
        ),
        (
            Counts(failed=1, errored=1),
            {"fail_on": FailOn.ERROR},
            3,
            "1 case ended in an error, which leaves no verdict",
        ),
        (
            Counts(passed=1, errored=1),
            {"fail_on": FailOn.FAIL},
            0,
            "1 case ended in an error, and `--fail-on fail` lets that pass",
        ),
        (Counts(errored=1), {"fail_on": FailOn.FAIL}, 3, "1 case ended in an error, which leaves no verdict"),
        (
            ALL,
            {"fail_on": FailOn.NEVER},
            0,
            "2 cases failed, 1 to review, 1 case ended in an error and 1 case was cancelled, "
            "and `--fail-on never` lets that pass",
        ),
        (ALL, {"fail_on": FailOn.NEVER, "refused": "no units"}, 4, "no units"),
        (
            Counts(passed=1, waiting=1),
            {"fail_on": FailOn.NEVER},
            3,
            "1 case never ended, which leaves no verdict",
        ),
    ],
)
def test_the_exit_code_says_the_first_thing_that_holds(
    counts: Counts, options: dict[str, object], code: int, reason: str
) -> None:
    """X01, X02, X05, X12: precedence 130, 2, 1, 4, 3, 0, and the reason in words."""
    verdict = exit_verdict(counts, **options)  # pyright: ignore[reportArgumentType]

    assert (verdict.code, verdict.reason) == (code, reason)


@pytest.mark.requirement("F9")
@pytest.mark.parametrize(("first", "need", "status"), [(PASSED, 1, PASSED), (PASSED, 2, QUEUED), (FAILED, 2, FAILED)])
def test_a_sample_that_waits_is_neither_cancelled_nor_at_an_end(first: Status, need: int, status: Status) -> None:
    """A run that still goes or was broken off is read before its end."""
    rollup = Rollup([planned(samples=2, need=need)])
    rollup.add(result(first))
    rollup.add(result(QUEUED, 2))

    (case,) = rollup.cases
    assert (case.status, case.cancelled) == (status, 0)
    assert rollup.counts.waiting == (status is QUEUED)
    assert not rollup.complete


def test_a_run_of_which_nothing_ended_is_not_0() -> None:
    verdict = exit_verdict(Counts(waiting=2))
    assert (verdict.code, verdict.reason) == (3, "2 cases never ended, which leaves no verdict")

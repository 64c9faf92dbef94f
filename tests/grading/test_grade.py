"""From a conversation to its grade."""

import asyncio
from pathlib import Path

import pytest
from tests.grading.makers import Judge, answer, call, evidence, make_case, said, turn, verdict

from greenroom.clock import SystemClock
from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.events import Said
from greenroom.conversation.outcomes import Badge, CaseError, Cause, CheckStatus, Given, Status, Verdict
from greenroom.conversation.turns import StopReason
from greenroom.conversation.usage import Role
from greenroom.documents.agent import ModelChoice
from greenroom.documents.checks import Called, Judged, NeverSays, NotCalled, Reply, Scored
from greenroom.documents.suite import GivenPerson
from greenroom.grading.grade import grade
from greenroom.models.opening import Models

POLITE = Judged(text="The agent is polite.")
HELLO = evidence(*said("Hello"))
UNANSWERED = call("get_order", {"id": 1}, answered_by=AnsweredBy.NONE)


@pytest.mark.requirement("E7")
async def test_a_sample_passes_when_checks_and_criteria_hold() -> None:
    graded = await grade(make_case(Reply(text="Hello"), POLITE), HELLO, judge=Judge(answer(verdict())))
    assert (graded.status, graded.badges, graded.error) == (Status.PASSED, (), None)
    assert [check.check for check in graded.checks] == ["reply: {contains: Hello}"]
    assert [each.verdict for each in graded.criteria] == [Verdict.PASS]
    assert graded.usage[Role.JUDGE].calls == 1
    assert graded.record is not None


@pytest.mark.requirement("E7")
async def test_a_failed_check_fails_whatever_the_judge_says() -> None:
    graded = await grade(make_case(Reply(text="Bye"), POLITE), HELLO, judge=Judge(answer(verdict())))
    assert graded.status is Status.FAILED


@pytest.mark.requirement("E6")
@pytest.mark.parametrize("stopped", [StopReason.REPLY_TIMEOUT, StopReason.UNIT_LIMIT, StopReason.SCRIPT_END])
async def test_a_conversation_that_broke_off_is_errored_never_judged_and_its_checks_shown(stopped: StopReason) -> None:
    error = CaseError(cause=Cause.AGENT, message='The agent did not answer "And?" within 75 s.')
    seen = evidence(*said("Hello"), stopped=stopped)
    graded = await grade(make_case(Reply(text="Hello"), POLITE), seen, judge=Judge(), error=error)
    assert (graded.status, graded.error, graded.criteria) == (Status.ERRORED, error, ())
    assert graded.checks[0].passed


@pytest.mark.requirement("H1")
async def test_at_the_limit_on_turns_the_judge_is_asked() -> None:
    """S02: a criterion that was never reached is judged once, at the end."""
    seen = evidence(*said("Hello"), stopped=StopReason.MAX_TURNS)
    graded = await grade(make_case(POLITE), seen, judge=Judge(answer(verdict("unknown"))))
    assert (graded.status, graded.badges) == (Status.FAILED, (Badge.NEEDS_REVIEW,))


@pytest.mark.requirement("E2", "H1")
async def test_a_judge_that_cannot_answer_errors_the_sample_and_shows_its_checks() -> None:
    """J01, J11, S32: no verdict is no pass and no fail, and what it cost is counted."""
    graded = await grade(make_case(Reply(text="Hello"), POLITE), HELLO, judge=Judge("Fine", "Fine"))
    assert graded.status is Status.ERRORED
    assert graded.error is not None
    assert graded.error.cause is Cause.JUDGE
    assert graded.checks[0].passed
    assert graded.usage[Role.JUDGE].calls == 2


@pytest.mark.requirement("C10")
async def test_an_unanswered_call_fails_whatever_judge_and_checks_say() -> None:
    seen = evidence(turn(1, "Where is it?", UNANSWERED, "Hello"))
    graded = await grade(make_case(Reply(text="Hello"), POLITE), seen, judge=Judge(answer(verdict())))
    assert (graded.status, graded.badges) == (Status.FAILED, (Badge.NEEDS_REVIEW, Badge.NO_MOCK))
    assert graded.unanswered == (UNANSWERED,)


@pytest.mark.requirement("C10")
async def test_a_forbidden_call_fails_by_its_check_alone() -> None:
    seen = evidence(turn(1, "Where is it?", UNANSWERED, "Hello"))
    graded = await grade(make_case(NotCalled(tool="get_order")), seen, judge=None)
    assert (graded.status, graded.badges, graded.unanswered) == (Status.FAILED, (), ())
    assert graded.forbidden == (UNANSWERED,)


@pytest.mark.requirement("B9", "C10")
async def test_a_tool_test_asks_no_judge_and_is_not_failed_by_an_unanswered_call() -> None:
    case = make_case(Called(tool="get_order"), history=[GivenPerson(person="Where is W100?")])
    seen = evidence(turn(1, None, UNANSWERED), history=[Given(person=Said(text="Where is W100?"))], lines={})
    graded = await grade(case, seen, judge=Judge())
    assert (graded.status, graded.badges) == (Status.PASSED, (Badge.NEEDS_REVIEW, Badge.NO_MOCK))
    beside = make_case(Called(tool="get_order"), Reply(shape=None), history=[GivenPerson(person="Where is W100?")])
    assert (await grade(beside, seen, judge=Judge())).status is Status.FAILED


@pytest.mark.requirement("E3")
async def test_a_missing_action_caps_the_score_of_the_sample() -> None:
    case = make_case(Scored(text="It helps."), Called(tool="get_order"))
    graded = await grade(case, HELLO, judge=Judge(answer(verdict(score=95))))
    assert (graded.status, graded.score) == (Status.FAILED, 69)
    assert graded.criteria[0].reason.endswith("Not called: get_order.")


@pytest.mark.requirement("C12")
async def test_a_pattern_that_runs_wild_does_not_hold_up_the_others() -> None:
    """The loop goes on while the engine is busy, and the sample is decided in the end."""
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0)  # noqa: TID251 - only lets the other task run

    beating = asyncio.create_task(beat())
    graded = await grade(make_case(NeverSays(text={"regex": "^(a+)+$"})), evidence(*said("a" * 44 + "!")), judge=None)
    beating.cancel()
    assert [check.status for check in graded.checks] == [CheckStatus.ERROR]
    assert (graded.status, graded.badges) == (Status.ERRORED, (Badge.NEEDS_REVIEW,))
    assert beats > 100


@pytest.mark.requirement("E2", "E3", "E5")
async def test_a_script_plays_the_judge_by_criterion_and_by_what_was_said(tmp_path: Path) -> None:
    (tmp_path / "judge.yaml").write_text(
        """
rules:
  - verdicts:
      - {verdict: fail, criterion: refund, seen: "Agent: A refund", reason: It promises one., line: A refund is due.}
      - {verdict: pass, criterion: "Help:", score: 85, reason: It does.}
      - pass
"""
    )
    case = make_case(Judged(text="No refund is promised."), Scored(name="Help", text="It helps."), POLITE)
    async with Models(tmp_path, {}, SystemClock()) as models:
        judge = await models.open(ModelChoice(name="script:judge.yaml"))
        promised = await grade(case, evidence(*said("A refund is due.")), judge=judge)
        silent = await grade(case, HELLO, judge=judge)
    assert [each.verdict for each in promised.criteria] == [Verdict.FAIL, Verdict.PASS, Verdict.PASS]
    assert (promised.status, promised.score) == (Status.FAILED, 85)
    assert silent.status is Status.PASSED
    assert silent.record is not None
    assert silent.record.answered_as == "schema"

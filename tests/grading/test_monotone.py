"""A verdict is monotone: nothing that is added to what a case expects makes a pass of a run (features.md E7)."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.grading.makers import Judge, answer, call, effect, evidence, make_case, turn, verdict

from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.messages import Shape
from greenroom.conversation.outcomes import CheckStatus, Status
from greenroom.conversation.turns import StopReason
from greenroom.conversation.world_state import WorldSeen, WorldState
from greenroom.documents.checks import (
    AppointmentIs,
    Before,
    Called,
    Check,
    EffectIs,
    EndedByIs,
    Expectation,
    Judged,
    Max,
    Mentions,
    NeverAfter,
    NeverSays,
    NotCalled,
    NoToolCalled,
    Order,
    PersonIs,
    PlaybookUsed,
    Reply,
    StateIs,
    StoppedBy,
)
from greenroom.documents.steps import AgentStep, CalledStep, PersonStep, StepCall
from greenroom.grading.checks.registry import DECIDERS, decide_checks
from greenroom.grading.evidence import Evidence
from greenroom.grading.grade import grade

CALMED, SAYS = CalledStep(called=StepCall(tool="get_order")), AgentStep(agent="Shipped")
POOL: Sequence[Check] = (
    Called(tool="get_order"),
    Called(tool="get_order", exactly=0),
    Called(tool="refund"),
    Called(tool="refund", at_least=0, at_most=1),
    NotCalled(tool="cancel_order"),
    NotCalled(tool="get_order"),
    NoToolCalled(),
    Reply(text="Bye"),
    Reply(shape=Shape.CAROUSEL),
    Reply(text="Shipped", turn="any"),
    NeverSays(text="refund"),
    NeverSays(text="Shipped"),
    Mentions(values=("W100",)),
    Mentions(values=("W200",)),
    PlaybookUsed(playbook="orders"),
    PlaybookUsed(playbook="other"),
    EndedByIs(who="agent"),
    EndedByIs(who="person"),
    StoppedBy(reason=StopReason.RESOLVED),
    PersonIs(fields={"status": "lead"}),
    AppointmentIs(status="booked"),
    AppointmentIs(title="Another"),
    StateIs(unchanged=True),
    StateIs(created={"people": 1}),
    EffectIs(kind=EffectKind.NOTIFY),
    EffectIs(kind=EffectKind.EMAIL),
    Order(steps=(PersonStep(person="W100"), CALMED, SAYS)),
    Order(steps=(SAYS, CALMED)),
    Before(first=CALMED, then=SAYS),
    Before(first=AgentStep(agent="Bye"), then=CALMED),
    NeverAfter(after=SAYS, never=AgentStep(agent="refund")),
    NeverAfter(after=CALMED, never=SAYS),
    Max(turns=2),
    Max(tool_calls=0),
    NeverSays(text={"regex": "("}),  # can't be decided
)
POLITE = Judged(text="The agent is polite.")


def talk(*, answered: bool) -> Evidence:
    by = AnsweredBy.MOCK if answered else AnsweredBy.NONE
    return evidence(
        turn(1, "Where is W100?", call("get_order", answered_by=by), "W100: Shipped.", playbook="orders"),
        turn(2, "Thanks", effect(EffectKind.NOTIFY, "Asked"), "Bye.", playbook="orders"),
        stopped=StopReason.RESOLVED,
        playbooks={"orders": "Orders", "other": "Other"},
        world=WorldSeen(before=WorldState(), after=WorldState()),
    )


def status_of(expect: Sequence[Expectation], seen: Evidence, word: str) -> Status:
    case = make_case().model_copy(update={"expect": tuple(expect)})
    verdicts = [verdict(word) for entry in expect if isinstance(entry, Judged)]
    return asyncio.run(grade(case, seen, judge=Judge(answer(*verdicts)))).status


def holds(check: Check, seen: Evidence) -> bool:
    case = make_case().model_copy(update={"expect": (check,)})
    return decide_checks(case, seen)[0].status is CheckStatus.PASSED


def test_the_pool_has_a_check_of_every_kind_that_holds_and_one_that_does_not() -> None:
    assert {type(check) for check in POOL} == set(DECIDERS)
    seen = talk(answered=True)
    assert 10 < sum(holds(check, seen) for check in POOL) < len(POOL) - 10


@pytest.mark.requirement("E7", "E1")
@given(
    expect=st.lists(st.sampled_from([*POOL, POLITE]), max_size=5),
    extra=st.sampled_from(POOL),
    at=st.integers(0, 5),
    answered=st.booleans(),
    word=st.sampled_from(["pass", "fail", "unknown"]),
)
def test_a_check_that_is_added_never_makes_a_pass_and_one_that_fails_always_fails(
    expect: list[Expectation], extra: Check, at: int, answered: bool, word: str
) -> None:
    seen = talk(answered=answered)
    before = status_of(expect, seen, word)
    after = status_of([*expect[:at], extra, *expect[at:]], seen, word)
    if not holds(extra, seen):
        assert after is Status.FAILED
    elif before is Status.PASSED:
        assert after is Status.PASSED
    elif answered:
        assert after is Status.FAILED

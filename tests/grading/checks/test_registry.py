"""Deciding every check of a case."""

import time

import pytest
from tests.grading.makers import call, evidence, line, make_case, said, turn

from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.outcomes import CheckStatus
from greenroom.conversation.turns import StopReason
from greenroom.documents.checks import (
    CHECKS,
    Called,
    Expectation,
    Judged,
    NeverSays,
    NotCalled,
    NoToolCalled,
    Reply,
    Says,
    Scored,
)
from greenroom.documents.suite import GivenPerson
from greenroom.grading.checks.registry import DECIDERS, decide, decide_checks, has_patterns


@pytest.mark.requirement("E1")
def test_every_word_has_a_decider_or_is_the_judges() -> None:
    assert set(DECIDERS) == set(CHECKS) - {Judged, Scored, Says}


@pytest.mark.requirement("E1")
def test_checks_come_in_the_order_of_the_case_then_of_its_lines() -> None:
    case = make_case(
        Reply(text="Bye"),
        Judged(text="It is polite."),
        NotCalled(tool="get_order"),
        script=[line("Hi", Reply(text="Hello")), line("Bye", Reply(text="Bye"), Says(text="Bye"))],
    )
    outcomes = decide_checks(case, evidence(*said("Hello", "Bye")))
    assert [(outcome.check, outcome.turn, outcome.passed) for outcome in outcomes] == [
        ("reply: {contains: Bye}", None, True),
        ("not_called: get_order", None, True),
        ("reply: {contains: Hello}", 1, True),
        ("reply: {contains: Bye}", 2, True),
    ]


@pytest.mark.requirement("E1")
def test_a_lines_checks_see_that_lines_turn_and_no_other() -> None:
    case = make_case(script=[line("Hi", Called(tool="get_weather")), line("And?", Called(tool="get_weather"))])
    seen = evidence(turn(0, None, "Hi"), turn(1, "Hi", call("get_weather"), "Sun."), turn(2, "And?", "That's all."))
    first, second = decide_checks(case, seen)
    assert (first.passed, second.passed) == (True, False)
    outcome = decide_checks(make_case(script=[line("Hi", Reply(text="all", turn=2))]), seen)[0]
    assert outcome.detail == "there is no turn 2; this check sees turn 1"


@pytest.mark.requirement("B10", "E1")
@pytest.mark.parametrize(
    ("stopped", "why"),
    [
        (StopReason.HANDED_OVER, "not sent: handed over at line 2"),
        (StopReason.RESOLVED, "not sent: resolved at line 2"),
        (StopReason.MAX_TURNS, "not sent: the limit on turns was reached at line 2"),
        (StopReason.REPLY_TIMEOUT, "not sent: the agent did not reply in time at line 3"),
    ],
)
def test_checks_of_a_line_that_was_never_sent_fail_and_say_why(stopped: StopReason, why: str) -> None:
    lines = [line("Hi"), line("A human"), line("Hm"), line("Hello?", Reply(text="x"), NeverSays(text="x"))]
    outcomes = decide_checks(make_case(script=lines), evidence(*said("Hello", "Sure"), stopped=stopped))
    assert {(outcome.status, outcome.detail) for outcome in outcomes} == {(CheckStatus.FAILED, f"line 4 was {why}")}


@pytest.mark.requirement("E6", "H1")
def test_checks_run_on_whatever_there_is() -> None:
    """T20: a run that ends early shows its checks all the same."""
    case = make_case(Called(tool="get_order"), Called(tool="cancel_order"), script=[line("Hi", Reply(text="x"))])
    outcomes = decide_checks(case, evidence(turn(1, "Hi", call("get_order")), stopped=StopReason.AGENT_ERROR, lines={}))
    assert [outcome.passed for outcome in outcomes] == [True, False, False]
    assert outcomes[2].detail == "line 1 was not answered: the agent broke off"


@pytest.mark.requirement("E1")
def test_one_check_that_raises_is_an_error_and_the_others_still_decide() -> None:
    """P05, T10: what can't be decided says why and is not a pass."""
    broken = NotCalled.model_construct(tool="get_order", with_=None)
    seen = evidence(turn(1, "Hi", call("get_order"), "Hello"))
    outcomes = decide_checks(
        make_case().model_copy(update={"expect": (Reply(text="Hello"), broken, Reply(text="x"))}), seen
    )
    assert [outcome.status for outcome in outcomes] == [CheckStatus.PASSED, CheckStatus.ERROR, CheckStatus.FAILED]
    assert outcomes[1].detail.startswith("this check could not be decided: ")


@pytest.mark.requirement("C12", "E1")
def test_a_pattern_that_runs_wild_is_an_error_of_its_check_alone() -> None:
    wild = NeverSays(text={"regex": "^(a+)+$"})
    started = time.perf_counter()
    outcomes = decide_checks(make_case(wild, Reply(text="a")), evidence(*said("a" * 40 + "!")))
    assert [outcome.status for outcome in outcomes] == [CheckStatus.ERROR, CheckStatus.PASSED]
    assert "took longer than 0.5 s" in outcomes[0].detail
    assert time.perf_counter() - started < 5


@pytest.mark.requirement("C10")
@pytest.mark.parametrize(
    ("expectation", "listed"),
    [
        (NotCalled(tool="get_order"), False),
        (NotCalled.model_validate({"tool": "get_order", "with": {"id": 1}}), False),
        (NotCalled.model_validate({"tool": "get_order", "with": {"id": 2}}), True),
        (Called(tool="get_order", exactly=0), False),
        (Called(tool="get_order", at_least=0, at_most=0), False),
        (Called(tool="get_order", at_least=0, at_most=1), True),
        (NoToolCalled(), False),
        (NotCalled(tool="cancel_order"), True),
    ],
)
def test_a_call_to_a_forbidden_tool_is_not_listed_as_unanswered(expectation: Expectation, listed: bool) -> None:
    missed = call("get_order", {"id": 1}, answered_by=AnsweredBy.NONE)
    decided = decide(make_case(expectation), evidence(turn(1, "Hi", missed, "Hello")))
    assert (decided.unanswered, decided.forbidden) == (((missed,), ()) if listed else ((), (missed,)))


@pytest.mark.requirement("E3")
def test_actions_that_are_missing_are_those_without_a_matching_call() -> None:
    case = make_case(
        Called.model_validate({"tool": "get_order", "with": {"id": 2}}),
        Called(tool="get_weather", at_most=1),
        Called(tool="get_weather", at_least=5),
        Called(tool="refund"),
        Called(tool="cancel_order", at_least=0),
        script=[line("Hi"), line("Never sent", Called(tool="hand_over"))],
    )
    weather = [call("get_weather"), call("get_weather")]
    seen = evidence(turn(1, "Hi", call("get_order", {"id": 1}), *weather, "Hello"), stopped=StopReason.RESOLVED)
    assert decide(case, seen).missing == ("get_order with {id: 2}", "refund", "hand_over")


@pytest.mark.requirement("C12")
def test_patterns_are_seen_wherever_they_stand() -> None:
    assert not has_patterns(make_case(Reply(text="x"), Called.model_validate({"tool": "t", "with": {"a": 1}})))
    assert has_patterns(make_case(Called.model_validate({"tool": "t", "with": {"a": {"regex": "x"}}})))
    assert has_patterns(make_case(script=[line("Hi", NeverSays(text={"one_of": ["a", {"regex": "x"}]}))]))
    assert not has_patterns(make_case(NoToolCalled(), history=[GivenPerson(person="Hi")]))

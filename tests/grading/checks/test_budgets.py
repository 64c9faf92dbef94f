"""What a conversation may cost (documents.md: max)."""

from dataclasses import replace

import pytest
from tests.grading.makers import call, evidence, line, make_case, turn

from greenroom.documents.checks import Max
from greenroom.grading.checks.registry import decide_checks

TALK = evidence(
    replace(turn(0, None, "Hello."), duration_s=0.5),
    replace(turn(1, "Where is W100?", call("get_order"), call("send_message"), "Shipped."), duration_s=2.0),
    replace(turn(2, "Thanks", call("get_weather"), "Bye."), duration_s=0.25),
    tokens={0: 0, 1: 900, 2: 100},
)


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    ("check", "detail"),
    [
        (Max(seconds=2.75, tokens=1000, turns=2, tool_calls=2), ""),
        (
            Max(seconds=2.5),
            "the agent took 2.75 s, 2.5 s are allowed; the slowest turn is 1 with 2 s",
        ),
        (Max(tokens=999), "the agent used 1000 tokens, 999 are allowed"),
        (Max(turns=1), "there were 2 turns, 1 are allowed"),
        (
            Max(turns=2, tool_calls=1),
            "there were 2 tool calls, 1 are allowed: get_order (turn 1), get_weather (turn 2)",
        ),
        (
            Max(tokens=0, turns=0),
            "the agent used 1000 tokens, 0 are allowed; there were 2 turns, 0 are allowed",
        ),
    ],
)
def test_what_is_over_is_named_and_the_rest_is_not(check: Max, detail: str) -> None:
    (outcome,) = decide_checks(make_case(check), TALK)
    assert (outcome.passed, outcome.detail) == (not detail, detail)


@pytest.mark.requirement("E1")
def test_under_a_script_line_only_that_turn_counts() -> None:
    limit = Max(seconds=1, tokens=500, tool_calls=1)
    case = make_case(script=[line("Where is W100?", limit), line("Thanks", limit)])
    assert [outcome.passed for outcome in decide_checks(case, TALK)] == [False, True]

"""Checks on tool calls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.grading.makers import call, evidence, make_case, turn

from greenroom.conversation.calls import AnsweredBy, ToolKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import CheckOutcome, CheckStatus
from greenroom.conversation.turns import Turn
from greenroom.documents.checks import Called, Check, NotCalled, NoToolCalled
from greenroom.grading.checks.registry import decide_checks
from greenroom.grading.evidence import Evidence


def decided(check: Check, seen: Evidence) -> CheckOutcome:
    (outcome,) = decide_checks(make_case(check), seen)
    return outcome


def called(tool: str = "get_weather", /, **written: object) -> Called:
    return Called.model_validate({"tool": tool, **written})


def weather(*days: object) -> tuple[Turn, ...]:
    """A call for each day, one a turn."""
    return tuple(
        turn(index, "And then?", call("get_weather", {"day": day, "boat": 4}, call_id=f"c{index}"), "Sunny.")  # pyright: ignore[reportArgumentType]
        for index, day in enumerate(days, start=1)
    )


@pytest.mark.requirement("E1")
def test_a_call_by_name_alone_is_enough_whatever_its_arguments() -> None:
    """T02: only the name is written."""
    assert decided(called(), evidence(*weather("Saturday"))).passed


@pytest.mark.requirement("E1")
def test_names_ignore_case_and_extra_spaces() -> None:
    assert decided(called("  Get_Weather "), evidence(*weather("Saturday"))).passed


@pytest.mark.requirement("E1")
def test_a_call_that_ended_in_an_error_counts_as_called() -> None:
    broken = call("get_order", {"id": 1}, error="503 from the shop")
    assert decided(called("get_order"), evidence(turn(1, "Where is it?", broken, "Sorry."))).passed


@pytest.mark.requirement("E1", "H7")
def test_parameters_match_exactly_tolerantly_by_pattern_or_at_any_value() -> None:
    """T01, T06."""
    made = call("cancel_order", {"order_id": "W100", "amount": 10.4, "reason": "late", "token": "tok_9"})
    written = {
        "order_id": "W100",
        "amount": {"number": 10, "within": 0.5},
        "reason": {"any": True},
        "token": {"regex": "^tok_"},
    }
    assert decided(called("cancel_order", **{"with": written}), evidence(turn(1, "Cancel", made))).passed


@pytest.mark.requirement("E1")
def test_a_miss_says_what_was_expected_what_came_and_the_nearest_call() -> None:
    """T07: the difference of the nearest call is spelled out."""
    seen = evidence(*weather("Sunday", "Saturdey"))
    outcome = decided(called(**{"with": {"day": "Saturday", "boat": 4}}), seen)
    assert outcome.status is CheckStatus.FAILED
    assert outcome.detail == (
        "expected get_weather with {day: Saturday, boat: 4} at least once; got no such call; nearest in turn 2: "
        'get_weather {day: Saturdey, boat: 4}: day: expected exactly "Saturday", got "Saturdey"'
    )


@pytest.mark.requirement("E1")
def test_a_tool_that_was_not_called_names_those_that_were() -> None:
    """Page D: the result names the tool that the agent actually called."""
    outcome = decided(called("get_order"), evidence(*weather("Saturday")))
    assert outcome.detail == "expected get_order at least once; it was not called; called were get_weather (turn 1)"
    assert decided(called(), evidence(turn(1, "Hi", "Hello"))).detail.endswith("it was not called; no tool was called")


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    ("written", "passing"),
    [
        ({}, {1, 2, 3}),
        ({"at_most": 1}, {1}),
        ({"at_least": 2}, {2, 3}),
        ({"exactly": 2}, {2}),
        ({"exactly": 0}, {0}),
        ({"at_least": 0, "at_most": 1}, {0, 1}),
        ({"at_least": 0}, {0, 1, 2, 3}),
    ],
)
def test_counts_hold_as_written_and_at_least_one_is_meant_beside_at_most(
    written: dict[str, object], passing: set[int]
) -> None:
    counts = {
        count
        for count in range(4)
        if decided(called(**written), evidence(turn(1, "Hi", "Hello"), *weather(*["Sat"] * count))).passed
    }
    assert counts == passing


@pytest.mark.requirement("E1")
def test_a_duplicate_booking_is_caught_and_its_turns_named() -> None:
    outcome = decided(called(at_most=1, **{"with": {"day": "Sat"}}), evidence(*weather("Sat", "Sun", "Sat")))
    assert outcome.detail == "expected get_weather with {day: Sat} exactly once; got 2 times (turn 1, 3)"


@pytest.mark.requirement("E1")
def test_strict_allows_no_further_parameters() -> None:
    lax, strict = called(**{"with": {"day": "Sat"}}), called(strict=True, **{"with": {"day": "Sat"}})
    seen = evidence(*weather("Sat"))
    assert decided(lax, seen).passed
    assert decided(strict, seen).detail.endswith("further parameters: boat")
    assert decided(called(strict=True, **{"with": {"day": "Sat", "boat": 4}}), seen).passed


@pytest.mark.requirement("E1")
def test_strict_takes_a_dotted_path_as_naming_its_parameter() -> None:
    made = call("get_order", {"items": [{"sku": "A"}]})
    check = called("get_order", strict=True, **{"with": {"items.0.sku": "A"}})
    assert decided(check, evidence(turn(1, "Hi", made))).passed


@pytest.mark.requirement("E1")
def test_every_call_has_to_match_when_every_is_written() -> None:
    check = called(every=True, **{"with": {"day": "Sat"}})
    assert decided(check, evidence(*weather("Sat", "Sat"))).passed
    assert decided(check, evidence(*weather("Sat", "Sun"))).detail.startswith("expected every call to be get_weather")


@pytest.mark.requirement("C11")
def test_a_tool_the_agent_does_not_have_counts_as_never_called() -> None:
    seen = evidence(*weather("Sat"))
    required = decided(called("get_wether"), seen)
    assert (required.status, required.detail) == (
        CheckStatus.FAILED,
        "get_wether is not on the agent; did you mean 'get_weather'?",
    )
    assert decided(NotCalled(tool="issue_refund"), seen).passed
    assert decided(called("issue_refund", at_least=0, at_most=1), seen).passed
    assert decided(called("issue_refund", exactly=0), seen).passed
    assert decided(called("issue_refund", at_most=1), seen).passed
    assert not decided(called("issue_refund", at_least=1, at_most=1), seen).passed
    assert not decided(called("get_weather", at_most=1), evidence(turn(1, "Hi", "Hello"))).passed


@pytest.mark.requirement("C11")
def test_a_call_to_an_unknown_tool_does_not_put_it_on_the_agent() -> None:
    """T16: it stays a fact about the agent, which `no_tool_called` sees."""
    refused = call("refundd", answered_by=AnsweredBy.REFUSED, error="there is no tool refundd")
    seen = evidence(turn(1, "Refund!", refused, "I can't."))
    assert "is not on the agent" in decided(called("refundd"), seen).detail
    assert decided(NotCalled(tool="refundd"), seen).passed
    assert not decided(NoToolCalled(), seen).passed


@pytest.mark.requirement("E1")
def test_a_forbidden_call_is_shown_with_its_turn() -> None:
    seen = evidence(turn(1, "Cancel", call("cancel_order", {"id": "W100"})))
    outcome = decided(NotCalled(tool="cancel_order"), seen)
    assert outcome.detail == "it was called in turn 1: cancel_order {id: W100}"
    assert decided(NotCalled.model_validate({"tool": "cancel_order", "with": {"id": "W200"}}), seen).passed


@pytest.mark.requirement("E1")
@pytest.mark.parametrize("tool", ["send_message", "end_conversation"])
def test_speaking_and_stopping_never_count_as_tools(tool: str) -> None:
    seen = evidence(turn(1, "Bye", call(tool), "Bye"))
    assert decided(NoToolCalled(), seen).passed
    assert decided(called(tool), seen).detail == f"{tool} is how an agent speaks or stops and never counts as a tool"
    assert decided(NotCalled(tool=tool), seen).passed


@pytest.mark.requirement("E1", "E3")
def test_actions_are_known_by_the_labels_that_page_b_gives() -> None:
    seen = evidence(
        turn(1, "A human please", call("hand_over", {"reason": "asked"}), playbook="cancelling"),
        playbooks={"cancelling": "Cancel a subscription", "booking": ""},
    )
    assert decided(called("Escalate to a person"), seen).passed
    assert decided(called("Procedure: Cancel a  subscription"), seen).passed
    assert not decided(called("Procedure: booking"), seen).passed
    assert "Cancel is not on the agent" in decided(called("Procedure: Cancel"), seen).detail


@pytest.mark.requirement("E1")
def test_arguments_that_are_no_object_fit_no_parameter_and_the_bare_name() -> None:
    seen = evidence(turn(1, "Hi", call("get_weather", "{day: Sat")))
    assert decided(called(), seen).passed
    assert 'no JSON object: "{day: Sat"' in decided(called(**{"with": {"day": "Sat"}}), seen).detail


@pytest.mark.requirement("E1")
def test_call_ids_are_never_compared() -> None:
    """T05: the same conversation with other ids comes out the same."""
    first, second = (
        decided(
            called(**{"with": {"day": "Sun"}}),
            evidence(turn(1, "Hi", call("get_weather", {"day": "Sat"}, call_id=one))),
        )
        for one in ("a", "b")
    )
    assert first == second


@given(days=st.lists(st.sampled_from(["Sat", "Sun"]), max_size=6), low=st.integers(0, 4), span=st.integers(0, 3))
def test_not_called_is_called_exactly_never_and_bounds_only_count_matches(days: list[str], low: int, span: int) -> None:
    seen = evidence(*weather(*days), tools={"get_weather": ToolKind.WEBHOOK})
    on_saturday = {"with": {"day": "Sat"}}
    never = decided(NotCalled.model_validate({"tool": "get_weather", **on_saturday}), seen).passed
    assert never == decided(called(exactly=0, **on_saturday), seen).passed
    bounded = decided(called(at_least=low, at_most=low + span, **on_saturday), seen).passed
    assert bounded == (low <= days.count("Sat") <= low + span)


typed = st.sampled_from([True, False, 0, 1, 1.0, "1", "true", "", None])
paths = st.sampled_from(["id", "order.id", "items.0", "items.1.sku"])


def nested(value: Json) -> dict[str, Json]:
    return {"id": value, "order": {"id": value}, "items": [value, {"sku": value}]}


@pytest.mark.requirement("E1", "H7")
@given(made=st.lists(typed, max_size=5), path=paths, wanted=typed, low=st.integers(0, 3), span=st.integers(0, 2))
def test_calls_are_counted_by_typed_parameters_wherever_they_stand(
    made: list[Json], path: str, wanted: Json, low: int, span: int
) -> None:
    """Against a plain count: text is text, numbers are equal by value, and true is no 1."""

    def equal(value: Json) -> bool:
        kinds = [
            bool if isinstance(one, bool) else float if isinstance(one, int) else type(one) for one in (value, wanted)
        ]
        return kinds[0] is kinds[1] and value == wanted

    turns = [turn(index, "And?", call("get_order", nested(value))) for index, value in enumerate(made, start=1)]
    seen = evidence(*turns, turn(9, "Bye", "Bye."), tools={"get_order": ToolKind.WEBHOOK})
    count = sum(equal(value) for value in made)
    check = called("get_order", at_least=low, at_most=low + span, **{"with": {path: wanted}})
    assert decided(check, seen).passed == (low <= count <= low + span)
    forbidden = NotCalled.model_validate({"tool": "get_order", "with": {path: {"equals": wanted}}})
    assert decided(forbidden, seen).passed == (count == 0)
    present = called("get_order", exactly=len(made), **{"with": {path: {"present": True}}})
    assert decided(present, seen).passed


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    ("wanted", "made", "why"),
    [
        ("5", 5, 'expected exactly "5", got 5 (text against number)'),
        (5, "5", 'expected exactly 5, got "5" (number against text)'),
        (True, "true", 'expected exactly true, got "true" (boolean against text)'),
        (1, True, "expected exactly 1, got true (number against boolean)"),
        ({"regex": "^5"}, 5, 'expected text that matches the pattern "^5", got 5'),
        ({"any": True}, None, "expected any value but null, got null"),
    ],
)
def test_a_mismatch_of_types_says_both(wanted: Json, made: Json, why: str) -> None:
    seen = evidence(turn(1, "Hi", call("get_order", {"items": [{"sku": made}]})))
    outcome = decided(called("get_order", **{"with": {"items.0.sku": wanted}}), seen)
    assert outcome.detail.endswith(f"items.0.sku: {why}")


@pytest.mark.requirement("E1")
def test_a_path_that_leads_nowhere_says_so() -> None:
    seen = evidence(turn(1, "Hi", call("get_order", {"items": [{"sku": "A"}]})))
    outcome = decided(called("get_order", **{"with": {"items.3.sku": "A"}}), seen)
    assert outcome.detail.endswith('items.3.sku: expected exactly "A", but there is no value')

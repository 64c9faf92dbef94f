"""Actions by the labels that page B gives them (features.md E1, E3; documents.md: built-in actions)."""

from collections.abc import Mapping

import pytest
from tests.grading.makers import Judge, answer, call, evidence, make_case, turn, verdict

from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import CheckOutcome, Status, Verdict
from greenroom.documents.checks import Called, Check, NotCalled, Scored
from greenroom.grading.checks.registry import decide, decide_checks
from greenroom.grading.evidence import Evidence
from greenroom.grading.grade import grade

FORMS = {"refund-request": "Refund request", "damage-report": "damage-report"}
TOOLS: Mapping[str, ToolKind] = dict.fromkeys(
    ("hand_over", "collect_contact", "submit_form", "get_order"), ToolKind.BUILT_IN
)


def submitted(form: str = "refund-request", *, error: str | None = None, **values: Json) -> ToolCall:
    return call("submit_form", {"form": form, "values": values}, answered_by=AnsweredBy.BUILT_IN, error=error)


def seen(*made: ToolCall, playbook: str | None = None) -> Evidence:
    return evidence(
        turn(1, "I want my money back", *made, "Noted.", playbook=playbook),
        tools=TOOLS,
        forms=FORMS,
        playbooks={"cancelling": "Cancel a subscription", "rent-a-boat": ""},
    )


def decided(check: Check, what: Evidence) -> CheckOutcome:
    (outcome,) = decide_checks(make_case(check), what)
    return outcome


def called(tool: str, **written: object) -> Called:
    return Called.model_validate({"tool": tool, **written})


@pytest.mark.requirement("E1", "E3")
@pytest.mark.parametrize(
    ("label", "made", "playbook"),
    [
        ("Escalate to a person", call("hand_over", {"reason": "asked"}), None),
        ("escalate  TO a person ", call("transfer", {"reason": "asked"}), None),
        ("Collect contact details", call("collect_contact", {"email": "a@b.example"}), None),
        ("Collect data: Refund request", submitted(order="W100"), None),
        ("COLLECT DATA:refund   request", submitted(order="W100"), None),
        ("Collect data: refund-request", submitted(order="W100"), None),
        ("Collect data: Damage report", submitted("damage-report", boat="North"), None),
        ("Collect data: Refund request", submitted(error="values: 'order' is a required property"), None),
        ("Procedure: Cancel a subscription", call("get_order"), "cancelling"),
        ("procedure:  cancel a Subscription", call("get_order"), "cancelling"),
        ("Procedure: Rent a boat", call("get_order"), "rent-a-boat"),
        (" Get_Order", call("get_order"), None),
    ],
)
def test_an_action_is_called_by_its_label(label: str, made: ToolCall, playbook: str | None) -> None:
    """Capitals and spaces don't matter, an id or a name will do, and a call that failed counts."""
    what = seen(made, playbook=playbook)
    assert decided(called(label), what).passed
    assert not decided(NotCalled(tool=label), what).passed
    assert not decided(called(label, exactly=0), what).passed


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    "label",
    [
        "Escalate to a person",
        "Collect contact details",
        "Collect data: Damage report",
        "Procedure: Cancel a subscription",
    ],
)
def test_another_action_is_not_it(label: str) -> None:
    what = seen(submitted(order="W100"), playbook="rent-a-boat")
    assert not decided(called(label), what).passed
    assert decided(NotCalled(tool=label), what).passed


@pytest.mark.requirement("E1")
def test_of_a_form_the_parameters_are_its_fields() -> None:
    what = seen(submitted(order="W100", amount=44.5))
    label = "Collect data: Refund request"
    assert decided(called(label, **{"with": {"order": "W100", "amount": {"number": 44, "within": 1}}}), what).passed
    assert decided(called("submit_form", **{"with": {"values.order": "W100"}}), what).passed
    assert not decided(called(label, strict=True, **{"with": {"order": "W100"}}), what).passed
    assert decided(called(label, **{"with": {"order": "W2"}}), what).detail == (
        "expected Collect data: Refund request with {order: W2} at least once; got no such call; "
        "nearest in turn 1: submit_form {form: refund-request, values: {order: W100, amount: 44.5}}: "
        'order: expected exactly "W2", got "W100"'
    )


@pytest.mark.requirement("C11")
@pytest.mark.parametrize("label", ["Collect data: Refunds", "Procedure: Refunds"])
def test_a_form_or_procedure_that_is_not_on_the_agent_counts_as_never_called(label: str) -> None:
    what = seen(submitted("refunds", order="W100"))
    assert "Refunds is not on the agent" in decided(called(label), what).detail
    assert decided(NotCalled(tool=label), what).passed
    assert decided(called(label, at_least=0, at_most=1), what).passed


@pytest.mark.requirement("E1")
def test_a_miss_names_what_was_called_with_its_label() -> None:
    assert decided(called("Collect contact details"), seen(submitted(order="W100"))).detail == (
        "expected Collect contact details at least once; it was not called; "
        "called were submit_form (Collect data: Refund request) (turn 1)"
    )


@pytest.mark.requirement("C10")
def test_an_unanswered_call_that_a_label_forbids_is_the_agent_s_failure() -> None:
    """A case may answer a built-in action, and have nothing left to answer it with."""
    open_call = call("submit_form", {"form": "refund-request", "values": {}}, answered_by=AnsweredBy.NONE)
    found = decide(make_case(NotCalled(tool="Collect data: Refund request")), seen(open_call))
    assert (found.unanswered, found.forbidden) == ((), (open_call,))


@pytest.mark.requirement("E3")
async def test_missing_actions_cap_the_score_and_are_named_by_their_labels() -> None:
    case = make_case(
        called("Escalate to a person"),
        called("Collect data: Refund request"),
        called("Procedure: Cancel a subscription"),
        called("get_order"),
        Scored(text="It helps.", at_least=80),
    )
    judge = Judge(answer(verdict("pass", score=95)))
    graded = await grade(case, seen(call("get_order"), submitted("damage-report", boat="x")), judge=judge)
    (criterion,) = graded.criteria
    assert (graded.status, criterion.verdict, criterion.score, graded.score) == (Status.FAILED, Verdict.FAIL, 69, 69)
    assert criterion.reason == (
        "It does. Not called: Escalate to a person, Collect data: Refund request, Procedure: Cancel a subscription."
    )


@pytest.mark.requirement("E3")
async def test_an_action_called_with_other_parameters_caps_the_score_and_one_called_too_seldom_does_not() -> None:
    order = called("get_order", **{"with": {"id": 2}})
    judge = Judge(answer(verdict("pass", score=95)), answer(verdict("pass", score=95)))
    other = await grade(make_case(order, Scored(text="It helps.")), seen(call("get_order", {"id": 1})), judge=judge)
    assert (other.score, other.criteria[0].reason) == (69, "It does. Not called: get_order with {id: 2}.")
    twice = make_case(called("get_order", at_least=2), Scored(text="It helps."))
    seldom = await grade(twice, seen(call("get_order", {"id": 1})), judge=judge)
    assert (seldom.status, seldom.score) == (Status.FAILED, 95)


@pytest.mark.requirement("C11", "E1")
def test_a_label_or_name_of_the_other_channel_is_told_which_action_the_agent_has() -> None:
    assert decided(called("Collect contact detail"), seen()).detail == (
        "Collect contact detail is not on the agent; did you mean 'Collect contact details'?"
    )
    assert decided(called("transfer"), seen()).detail == (
        "transfer is not on the agent; hand_over takes its place on this channel, and the label "
        "'Escalate to a person' stands for both"
    )


@pytest.mark.requirement("E3", "E4")
async def test_the_judge_reads_which_actions_were_called_by_their_labels() -> None:
    case = make_case(called("Collect data: Refund request"), Scored(text="It helps."))
    judge = Judge(answer(verdict("pass", score=95)))
    made = (submitted(order="W100"), call("hand_over", {"reason": "asked"}))
    graded = await grade(case, seen(*made, playbook="cancelling"), judge=judge)
    assert graded.status is Status.PASSED
    question = judge.requests[0].messages[0].text
    for action in (
        "submit_form (Collect data: Refund request)",
        "hand_over (Escalate to a person)",
        "Procedure: Cancel a subscription",
    ):
        assert action in question

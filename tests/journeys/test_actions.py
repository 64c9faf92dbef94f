"""Confirmed writes, faults, forms and channels, from what is written to the stored result (features.md C, D2, E3)."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.projects import Outcome, written_project

from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.outcomes import Badge, SampleResult, Status
from greenroom.conversation.transcript import render_transcript

EVENTS = {
    "create_event": {
        "description": "Put an event into the calendar.",
        "kind": "integration",
        "confirm_with": "confirm_event",
        "parameters": {"type": "object", "properties": {"title": {"type": "string"}}},
    },
    "confirm_event": {"description": "Commit it.", "kind": "integration"},
}
BOOKS: list[object] = [
    {"when": {"role": "judge"}, "verdicts": [{"verdict": "pass", "line": "It is in the calendar."}]},
    {"when": {"answered": {"tool": "create_event", "text": "needs_confirmation"}}, "reply": "Shall I?"},
    {"when": {"answered": {"tool": "confirm_event", "text": "not available"}}, "reply": "It is in the calendar."},
    {"when": {"answered": "confirm_event"}, "reply": "It is in the calendar."},
    {"when": {"last": "event"}, "calls": [{"tool": "create_event", "arguments": {"title": "Boat"}}]},
    {"when": {"last": "Yes"}, "calls": [{"tool": "confirm_event", "arguments": {}}]},
    {"reply": "Fine."},
]
EVENT = {
    "script": ["An event, please", "Yes"],
    "expect": [{"called": "create_event"}, {"called": "confirm_event"}, {"judge": "The event is booked."}],
}


async def ran(tmp_path: Path, mocks: list[object]) -> SampleResult:
    case = EVENT | {"world": {"mocks": mocks}}
    return (await written_project(tmp_path, rules=BOOKS, cases={"event": case}, agent={"tools": EVENTS}).run()).only


@pytest.mark.requirement("C9")
async def test_a_write_that_is_confirmed_passes_when_both_halves_are_mocked(tmp_path: Path) -> None:
    result = await ran(tmp_path, [{"tool": "create_event"}, {"tool": "confirm_event", "result": {"id": 7}}])
    assert (result.status, result.badges) == (Status.PASSED, ())
    assert [call.tool for turn in result.turns for call in turn.calls] == ["create_event", "confirm_event"]


@pytest.mark.requirement("C9", "C10", "E7")
async def test_a_confirmation_that_nothing_answers_marks_the_run_for_review(tmp_path: Path) -> None:
    """Every check and criterion passed, and the run did not."""
    result = await ran(tmp_path, [{"tool": "create_event"}])
    assert all(check.passed for check in result.checks)
    assert [criterion.verdict for criterion in result.criteria] == ["pass"]
    assert (result.status, result.badges) == (Status.FAILED, (Badge.NEEDS_REVIEW, Badge.NO_MOCK))
    assert [call.tool for call in result.unanswered] == ["confirm_event"]
    assert result.judge is not None
    assert "[unanswered call: confirm_event {}]" in result.judge.question


@pytest.mark.requirement("H6")
async def test_a_tool_that_breaks_once_is_tried_again(tmp_path: Path) -> None:
    """T27: the second call is answered, and both are counted."""
    asks = {"tool": "list_boats", "arguments": {"date": "Sat"}}
    rules = [
        {"when": {"answered": {"tool": "list_boats", "text": "not available"}}, "calls": [asks]},
        {"when": {"answered": "list_boats"}, "reply": "The pontoon is free."},
        {"calls": [asks]},
    ]
    case = {
        "script": ["A boat"],
        "world": {"mocks": [{"tool": "list_boats", "faults": ["reset", "none"], "result": {"boat": "pontoon"}}]},
        "expect": [{"called": {"tool": "list_boats", "exactly": 2}}, {"reply": "pontoon"}],
    }
    result = (await written_project(tmp_path, rules=rules, cases={"flaky": case}).run()).only
    assert (result.status, result.badges) == (Status.PASSED, ())
    assert [call.error for turn in result.turns for call in turn.calls] == ["connection reset by peer", None]


CHANNELS = {
    "prompt": "You are on {{system.channel}}, called from '{{system.caller_number}}' at '{{system.dialed_number}}'.",
    "tools": {"show_map": {"kind": "client", "mocks": [{"result": "shown"}]}},
    "hand_over": {},
}


async def escalated(tmp_path: Path, *, number: str, channel: str) -> Outcome:
    rules = [{"when": {"offered": "transfer"}, "calls": [{"tool": "transfer", "arguments": {"reason": "asked"}}]}]
    rules += [{"calls": [{"tool": "hand_over", "arguments": {"reason": "asked"}}]}]
    case = {
        "channel": channel,
        "script": ["A human, please"],
        "expect": [{"called": "Escalate to a person"}, {"ended_by": "transfer"}, {"not_called": "show_map"}],
    }
    phone: Mapping[str, object] = {"channels": {"phone": {"number": number}}} if number else {}
    return await written_project(tmp_path, rules=[*rules], cases={"escalate": case}, agent={**CHANNELS, **phone}).run()


@pytest.mark.requirement("D2", "D3")
@pytest.mark.parametrize(
    ("number", "channel", "transferred"),
    [
        ("+15550100", "auto", True),
        ("", "auto", False),
        ("+15550100", "web_voice", False),
        ("", "phone_outbound", True),
    ],
)
async def test_only_a_phone_call_is_transferred_and_auto_asks_for_the_number(
    tmp_path: Path, number: str, channel: str, transferred: bool
) -> None:
    result = (await escalated(tmp_path, number=number, channel=channel)).only
    called, ended, forbidden = result.checks
    assert (called.passed, ended.passed, forbidden.passed) == (True, transferred, True)
    assert ("a transfer only happens on a phone channel, this was web voice" in ended.detail) is not transferred


@pytest.mark.requirement("D2")
async def test_the_prompt_tells_the_settled_channel_and_no_numbers(tmp_path: Path) -> None:
    maker = written_project(
        tmp_path,
        rules=[
            {"when": {"system": "You are on phone_inbound, called from '' at ''."}, "reply": "By phone."},
            {"reply": "Not by phone."},
        ],
        cases={"call": {"channel": "auto", "script": ["Hello"], "expect": [{"reply": "By phone."}]}},
        agent={**CHANNELS, "channels": {"phone": {"number": "+15550100"}}},
    )
    assert (await maker.run()).only.status is Status.PASSED


@pytest.mark.requirement("E1", "E3", "A8", "A9")
async def test_page_b_s_required_actions_are_collected_and_graded(tmp_path: Path) -> None:
    """The agent keeps the contact, submits the form in the procedure, and never escalates: 69 at most."""
    agent = {
        "tools": {},
        "forms": {"refund-request": {"name": "Refund request", "fields": {"order": {"required": True}}}},
        "playbooks": {
            "cancelling": {
                "name": "Cancel a subscription",
                "when": "They want to cancel.",
                "uses": ["Collect contact details", "Collect data: Refund request", "Escalate to a person"],
            }
        },
    }
    both = [
        {"tool": "collect_contact", "arguments": {"email": "ana@example.com"}},
        {"tool": "submit_form", "arguments": {"form": "refund-request", "values": {"order": "W100"}}},
    ]
    rules = [
        {"when": {"role": "judge"}, "verdicts": [{"verdict": "pass", "score": 92, "line": "Done."}]},
        {"when": {"answered": "submit_form"}, "reply": "Done."},
        {"calls": both},
    ]
    labels = [
        "collect Contact details",
        "Collect data: Refund request",
        "Procedure: Cancel a subscription",
    ]
    expect = [*({"called": label} for label in labels), {"score": "It helps."}]
    cases = {
        "done": {"script": ["Cancel and refund"], "expect": [*expect, {"person": {"email": "ana@example.com"}}]},
        "missed": {"script": ["Cancel and refund"], "expect": [*expect, {"called": "Escalate to a person"}]},
    }
    outcome = await written_project(tmp_path, rules=rules, cases=cases, agent=agent).run()
    done, missed = outcome.results["done"], outcome.results["missed"]
    assert (done.status, done.score) == (Status.PASSED, 92)
    assert render_transcript(done.turns).endswith(
        "[contact: email = ana@example.com]\n[form refund-request: order = W100]\n\nAgent: Done."
    )
    assert (missed.status, missed.score) == (Status.FAILED, 69)
    assert missed.criteria[0].reason.endswith("Not called: Escalate to a person.")
    assert [call.answered_by for turn in done.turns for call in turn.calls] == [AnsweredBy.BUILT_IN] * 2

"""Suites over agents with flows, by the run that a person starts (features.md A3, A8)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.projects import ProjectMaker, written_project

from greenroom.conversation.outcomes import Badge, Status
from greenroom.conversation.usage import Role

pytestmark = pytest.mark.requirement("A3", "A8")

CANCELLING: Sequence[object] = [
    {"ask": {"text": "Which booking?", "options": {"from": "appointments"}, "as": "booking"}},
    {"ask": {"text": "Cancel it?", "confirm": ["Yes", "No"], "as": "sure"}},
    {"when": {"sure": "No"}, "do": [{"say": "Nothing changed."}, {"end": "resolved"}]},
    {"http": {"tool": "cancel_booking", "with": {"id": "{{booking.id}}"}, "as": "answer"}},
    {"set": {"last_cancelled": "{{booking.id}}"}},
    {"say": "It is cancelled."},
]
"""The flow that stands in semantics.md, word for word."""
CASE: Mapping[str, object] = {
    "person": {"first_name": "Ana"},
    "appointments": [{"title": "Powerboat", "start": "2026-06-06T14:00", "representative": "dana", "status": "booked"}],
    "world": {"now": "2026-06-01T09:00"},
    "script": [
        "I want to cancel",
        {"tap": {"option": "Powerboat, Sat 6 June, 14:00", "otherwise": "the powerboat"}},
        {"tap": {"confirm": "yes", "otherwise": "Yes"}},
    ],
    "expect": [
        {"reply": "It is cancelled."},
        {"called": {"tool": "cancel_booking", "exactly": 1}},
        {"person": {"last_cancelled": {"present": True}}},
    ],
}


def project(root: Path, cases: Mapping[str, object], *, mocks: Sequence[object] = ({"result": "ok"},)) -> ProjectMaker:
    return written_project(
        root,
        rules=[{"when": {"role": "agent"}, "reply": "Let me see."}],
        cases=cases,
        agent={
            "tools": {
                "cancel_booking": {
                    "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
                    "url": "https://bookings.example/cancel",
                    "method": "POST",
                    "mocks": mocks,
                }
            },
            "people": {"fields": {"last_cancelled": {}}},
            "representatives": {"dana": {"name": "Dana"}},
            "scheduling": {"hours": {"daily": "09:00-18:00"}},
            "playbooks": {"cancelling": {"flow": CANCELLING}},
        },
    )


async def test_a_suite_taps_through_a_flow_and_no_model_is_asked(tmp_path: Path) -> None:
    outcome = await project(tmp_path, {"cancels": CASE}).run()

    assert outcome.only.status is Status.PASSED, outcome.only.checks
    assert outcome.only.usage.get(Role.AGENT) is None


async def test_taps_on_what_is_not_there_say_what_a_person_would_write(tmp_path: Path) -> None:
    by_sms = {**CASE, "channel": "sms", "script": [*_script(by="powerboat, sat 6 june, 14:00")]}
    lost = {**CASE, "script": _script(by="the boat"), "expect": [{"reply": "Let me see."}]}

    outcome = await project(tmp_path, {"by-sms": by_sms, "lost": lost}).run()

    assert {name: result.status for name, result in outcome.results.items()} == {
        "by-sms": Status.PASSED,
        "lost": Status.PASSED,
    }


def _script(*, by: str) -> list[object]:
    """The booking is named in words, for there is nothing of that label to tap."""
    return [
        "I want to cancel",
        {"tap": {"option": "Sailing boat", "otherwise": by}},
        {"tap": {"confirm": "yes", "otherwise": "Yes"}},
    ]


async def test_a_call_of_a_flow_that_nothing_answers_fails_the_case_as_any(tmp_path: Path) -> None:
    outcome = await project(tmp_path, {"cancels": CASE}, mocks=[]).run()

    assert outcome.only.status is Status.FAILED
    assert set(outcome.only.badges) == {Badge.NEEDS_REVIEW, Badge.NO_MOCK}
    assert [call.tool for call in outcome.only.unanswered] == ["cancel_booking"]

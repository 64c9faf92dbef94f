"""Cases that are graded by what the world holds when the conversation is over (features.md A5, A6, E1)."""

from pathlib import Path

import pytest
from tests.projects import ProjectMaker, written_project

from greenroom.conversation.outcomes import CheckStatus, Status

RULES = [
    {"when": {"answered": "update_person"}, "reply": "Noted."},
    {"when": {"answered": "list_boats"}, "reply": "A pontoon."},
    {"when": {"last": "six of us"}, "calls": [{"tool": "update_person", "arguments": {"party_size": 6}}]},
    {"when": {"last": "buy"}, "calls": [{"tool": "update_person", "arguments": {"status": "customer"}}]},
    *[{"when": {"answered": action}, "reply": "Done."} for action in ("book_appointment", "cancel_appointment")],
    {
        "when": {"last": "book"},
        "calls": [{"tool": "book_appointment", "arguments": {"title": "Pontoon", "start": "2026-06-07T10:00"}}],
    },
    {
        "when": {"last": "cancel"},
        "calls": [{"tool": "cancel_appointment", "arguments": {"appointment": "appointment-1"}}],
    },
    {"when": {"last": "boats"}, "calls": [{"tool": "list_boats", "arguments": {"date": "2026-06-06"}}]},
    {"when": {"last": "fail"}, "fault": "context_overflow"},
    {"reply": "Fine."},
]
ANA = {"first_name": "Ana", "status": "lead"}


def project(tmp_path: Path, cases: dict[str, object]) -> ProjectMaker:
    return written_project(tmp_path, rules=RULES, cases=cases)


@pytest.mark.requirement("A5", "E1")
async def test_a_case_is_graded_by_what_was_persisted_and_by_what_was_left_alone(tmp_path: Path) -> None:
    """T15: an extra lookup changes nothing of the verdict."""
    start = {"person": ANA}
    cases: dict[str, object] = {
        "the-one-change": start
        | {
            "script": ["Which boats are there?", "There are six of us"],
            "expect": [{"state": {"person": {"party_size": 6, "status": "lead"}, "unchanged": True}}],
        },
        "one-change-too-many": start
        | {
            "script": ["There are six of us", "I buy it"],
            "expect": [{"state": {"person": {"party_size": 6}, "unchanged": True}}],
        },
        "nothing": start | {"script": ["Which boats are there?"], "expect": [{"state": {"unchanged": True}}]},
        "line-by-line": start
        | {
            "script": [
                {"say": "There are six of us", "expect": [{"state": {"person": {"status": "lead"}}}]},
                {"say": "Thanks", "expect": [{"state": {"unchanged": True}}]},
                {"say": "I buy it", "expect": [{"state": {"unchanged": True}}]},
            ],
        },
    }
    results = (await project(tmp_path, cases).run()).results
    assert {case: result.status for case, result in results.items()} == {
        "the-one-change": Status.PASSED,
        "one-change-too-many": Status.FAILED,
        "nothing": Status.PASSED,
        "line-by-line": Status.FAILED,
    }
    (failed,) = results["one-change-too-many"].checks
    assert failed.check == "state: {person: {party_size: 6}, unchanged: true}"
    assert failed.detail == 'changed: people.person.status: "customer", was "lead"'
    assert [check.passed for check in results["line-by-line"].checks] == [True, True, False]
    assert results["line-by-line"].checks[2].turn == 3


@pytest.mark.requirement("A5", "E1")
async def test_under_a_line_a_check_of_the_person_looks_at_what_was_kept_after_its_turn(tmp_path: Path) -> None:
    cases: dict[str, object] = {
        "line-by-line": {
            "person": ANA,
            "script": [
                {"say": "There are six of us", "expect": [{"person": {"party_size": 6, "status": "lead"}}]},
                {"say": "I buy it", "expect": [{"person": {"status": "customer"}}]},
            ],
            "expect": [{"person": {"status": "customer"}}],
        }
    }
    only = (await project(tmp_path, cases).run()).only
    assert [check.detail for check in only.checks] == ["", "", ""]


@pytest.mark.requirement("A6", "E1")
async def test_whom_the_agent_puts_on_record_was_created(tmp_path: Path) -> None:
    cases: dict[str, object] = {
        "cold": {"script": ["There are six of us"], "expect": [{"state": {"created": {"people": {"party_size": 6}}}}]},
        "nobody": {"script": ["Hello"], "expect": [{"state": {"created": {}}}]},
    }
    results = (await project(tmp_path, cases).run()).results
    assert results["cold"].status is Status.PASSED
    (check,) = results["nobody"].checks
    assert check.detail.startswith("created besides: people.person {")


@pytest.mark.requirement("E1", "H1")
async def test_of_a_conversation_that_broke_off_the_end_state_is_shown(tmp_path: Path) -> None:
    """T20: what was reached before the error is seen, and the run is an error all the same."""
    cases: dict[str, object] = {
        "broken": {
            "person": ANA,
            "script": ["There are six of us", {"say": "fail", "expect": [{"state": {"unchanged": True}}]}],
            "expect": [{"state": {"person": {"party_size": 6}}}, {"state": {"person": {"status": "customer"}}}],
        },
    }
    only = (await project(tmp_path, cases).run()).only
    assert only.status is Status.ERRORED
    assert [check.status for check in only.checks] == [CheckStatus.PASSED, CheckStatus.FAILED, CheckStatus.PASSED]


@pytest.mark.requirement("A5", "A8", "E1")
async def test_appointments_are_graded_by_their_order_and_by_what_they_are(tmp_path: Path) -> None:
    """Those of the case first, as it gives them; a time without an offset is the agent's."""
    start: dict[str, object] = {
        "person": ANA,
        "appointments": [
            {"title": "Powerboat", "start": "2026-06-06T14:00"},
            {"title": "Kayak", "start": "2026-06-05T09:00"},
        ],
        "world": {"now": "2026-06-01T09:00"},
    }
    cases: dict[str, object] = {
        "books": start
        | {
            "script": ["Please book it"],
            "expect": [
                {
                    "state": {
                        "appointments": {"2": {"title": "Kayak", "status": "booked"}},
                        "created": {"appointments": {"title": "Pontoon", "start": "2026-06-07T10:00"}},
                        "unchanged": True,
                    }
                },
                {"state": {"appointments": {"3": {"end": "2026-06-07T16:00Z", "status": "booked"}}}},
            ],
        },
        "cancels": start
        | {
            "script": ["Please cancel it"],
            "expect": [{"state": {"appointments": {"1": {"status": "cancelled"}}, "unchanged": True}}],
        },
        "books-all-the-same": start | {"script": ["Please book it"], "expect": [{"state": {"unchanged": True}}]},
        "does-nothing": start
        | {"script": ["Hello"], "expect": [{"state": {"appointments": {"1": {"status": "cancelled"}}}}]},
    }
    agent = {
        "time_zone": "America/Chicago",
        "scheduling": {"hours": {"daily": "09:00-17:00"}},
    }
    results = (await written_project(tmp_path, rules=RULES, cases=cases, agent=agent).run()).results
    told = {case: [check.detail for check in result.checks] for case, result in results.items()}
    assert told == {
        "books": ["", ""],
        "cancels": [""],
        "books-all-the-same": [
            'changed: appointments.3 was created: {"title": "Pontoon", "start": "2026-06-07T10:00:00-05:00", "end": '
            '"2026-06-07T11:00:00-05:00", "representative": "", "status": "booked", "notes": ""} '
            "(Pontoon, Sun 7 June 2026, 10:00–11:00)"
        ],
        "does-nothing": ['appointments.1.status: expected exactly "cancelled", got "booked"'],
    }

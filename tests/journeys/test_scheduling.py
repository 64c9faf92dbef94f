"""Appointments from a document to a verdict: times that are tapped, booked, moved, cancelled and checked (issue 4)."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest
from tests.projects import ProjectMaker, written_project

from greenroom.conversation.appointments import Appointment
from greenroom.conversation.outcomes import SampleResult, Status
from greenroom.conversation.transcript import render_transcript
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.store.partition import Partition

pytestmark = pytest.mark.requirement("A3", "A5", "A8", "A11", "E1")

LAKE: Mapping[str, object] = {
    "time_zone": "America/Chicago",
    "scheduling": {"hours": {"weekend": "09:00-13:00"}, "offer": 3},
    "representatives": {"dana": {"name": "Dana Whitfield"}, "lee": {"name": "Lee"}},
}
RULES: tuple[object, ...] = (
    {"when": {"answered": "book_appointment"}, "reply": "You are booked."},
    {"when": {"answered": "move_appointment"}, "reply": "Moved."},
    {"when": {"answered": "cancel_appointment"}, "reply": "Cancelled."},
    {"when": {"answered": "find_times"}, "reply": ""},
    {
        "when": {"last": {"regex": "^2026-"}},
        "calls": {"tool": "book_appointment", "arguments": {"start": "{{last}}", "title": "Powerboat"}},
    },
    {
        "when": {"last": "Move it to Sunday"},
        "calls": {"tool": "move_appointment", "arguments": {"start": "2026-06-07T09:00"}},
    },
    {"when": {"last": "Call it off"}, "calls": {"tool": "cancel_appointment", "arguments": {}}},
    {
        "when": {"last": "With Lee, please"},
        "calls": {"tool": "find_times", "arguments": {"representative": "lee"}},
    },
    {"when": {"last": {"regex": "boat"}}, "calls": {"tool": "find_times", "arguments": {}}},
    {"reply": "Pardon?"},
)
NOW = {"now": "2026-06-05T12:00:00-05:00"}
ANA = {"first_name": "Ana"}


def project(root: Path, **cases: object) -> ProjectMaker:
    return written_project(root, rules=RULES, cases=cases, agent=LAKE)


def case(*script: object, expect: list[object], **more: object) -> dict[str, object]:
    return {"person": ANA, "world": NOW, "script": list(script), "expect": expect, **more}


def shown(result: SampleResult) -> str:
    return render_transcript(result.turns)


async def results_of(made: ProjectMaker) -> Mapping[str, SampleResult]:
    results = (await made.run()).results
    for name, result in results.items():
        assert result.status is Status.PASSED, (name, result.error, result.checks, shown(result))
    return results


async def test_times_are_offered_tapped_and_booked(tmp_path: Path) -> None:
    """`first`, a start as it is written in the case, and what is said when nothing is there to tap."""
    booked = {"appointment": {"status": "booked", "start": "2026-06-06T10:00", "representative": "dana"}}
    results = await results_of(
        project(
            tmp_path,
            first=case(
                "A boat, please",
                {"tap": {"slot": "first", "otherwise": "2026-06-06T09:00"}},
                expect=[
                    {"reply": {"shape": "time_picker", "turn": 1}},
                    {"appointment": {"start": "2026-06-06T09:00", "end": "2026-06-06T10:00", "exactly": 1}},
                    {"effect": {"kind": "booked", "summary": "Dana", "data": {"representative": "dana"}}},
                    {"called": {"tool": "book_appointment", "with": {"start": "2026-06-06T09:00-05:00"}}},
                ],
            ),
            start=case("A boat, please", {"tap": {"slot": "2026-06-06T10:00", "otherwise": "never"}}, expect=[booked]),
            label=case("A boat, please", {"tap": {"slot": "Sat 6 June, 10:00", "otherwise": "never"}}, expect=[booked]),
            typed=case({"tap": {"slot": "first", "otherwise": "2026-06-06T10:00"}}, expect=[booked]),
            words=case(
                "A boat, please",
                {"tap": {"slot": "first", "otherwise": "2026-06-06T10:00"}},
                channel="sms",
                expect=[booked, {"reply": {"contains": "- Sat 6 June, 09:00", "turn": 1}}],
            ),
        )
    )
    assert shown(results["first"]) == (
        "Agent: Hello, this is Lakeside.\n\n"
        "Person: A boat, please\n\n"
        "Agent: [time picker, 3 slots: Sat 6 June, 09:00 | Sat 6 June, 10:00 | Sat 6 June, 11:00]\n\n"
        "Person: [tap: Sat 6 June, 09:00]\n\n"
        "[booked: Powerboat, Sat 6 June 2026, 09:00–10:00, with Dana Whitfield]\n\n"
        "Agent: You are booked."
    )


async def test_a_time_that_the_clock_skips_is_one_moment_where_a_case_begins_and_where_it_is_checked(
    tmp_path: Path,
) -> None:
    """T30: the clock in Chicago goes from two to three that night."""
    mine = [{"title": "Owls", "start": "2026-03-08T02:30", "representative": "lee"}]
    made = project(
        tmp_path,
        skipped={
            **case(
                "Hello",
                appointments=mine,
                expect=[
                    {"appointment": {"start": "2026-03-08T02:30", "end": {"at_least": "2026-03-08T02:30"}}},
                    {"appointment": {"start": {"one_of": ["2026-03-08T02:15", "2026-03-09"]}}},
                    {"state": {"appointments.1.start": "2026-03-08T02:30"}},
                    {"appointment": {"start": "2026-03-08T03:30", "exactly": 0}},
                ],
            ),
            "world": {"now": "2026-03-07T12:00"},
        },
    )
    result = (await results_of(made))["skipped"]
    assert [str(check.detail) for check in result.checks if not check.passed] == []


async def test_a_case_begins_with_appointments_which_the_agent_reads_moves_and_cancels(tmp_path: Path) -> None:
    mine = [
        {"title": "Powerboat", "start": "2026-06-06T09:00", "representative": "lee", "notes": "wants a cooler"},
        {"title": "Canoe", "start": "2026-06-05T09:00-05:00", "minutes": 30},
    ]
    results = await results_of(
        project(
            tmp_path,
            moves=case(
                "Move it to Sunday",
                appointments=mine,
                expect=[
                    {"appointment": {"title": "Powerboat", "start": "2026-06-07", "representative": "lee"}},
                    {"appointment": {"title": "Canoe", "end": "2026-06-05T09:30", "representative": ""}},
                    {"appointment": {"exactly": 2}},
                ],
            ),
            cancels=case(
                "Call it off",
                appointments=mine,
                expect=[
                    {"appointment": {"status": "cancelled", "notes": {"contains": "cooler"}}},
                    {"effect": "cancelled"},
                ],
            ),
            taken=case(
                "With Lee, please",
                appointments=mine,
                expect=[{"reply": {"contains": "Sat 6 June, 10:00"}}, {"never_says": "Sat 6 June, 09:00"}],
            ),
        )
    )
    assert "[moved: Powerboat, Sun 7 June 2026, 09:00–10:00, with Lee, instead of Sat 6 June 2026, 09:00]" in shown(
        results["moves"]
    )
    assert "[cancelled: Powerboat, Sat 6 June 2026, 09:00–10:00, with Lee]" in shown(results["cancels"])


async def test_the_agent_and_the_judge_read_the_same_of_the_person(tmp_path: Path) -> None:
    """E4: the one rendering; what is over and what was cancelled is not there."""
    mine = [
        {"title": "Powerboat", "start": "2026-06-06T09:00", "representative": "lee"},
        {"title": "Called off", "start": "2026-06-06T11:00", "status": "cancelled"},
        {"title": "Over", "start": "2026-06-01T11:00"},
    ]
    line = "Appointment: Powerboat, Sat 6 June 2026, 09:00–10:00, with lee (id appointment-1)"
    rules = [{"when": {"role": "judge"}, "verdicts": [{"verdict": "pass", "reason": "Yes."}]}, *RULES]
    cases = {"one": case("Hello", appointments=mine, expect=[{"judge": "It is polite."}])}
    made = written_project(tmp_path, rules=rules, cases=cases, agent=LAKE)
    outcome = await made.run()
    result = outcome.only
    assert result.judge is not None
    assert line in result.judge.question
    async with made.open() as context:
        records = await context.store.results.records(outcome.run.run_id, "booking", "one", 1)
    assert line in records[1].prompt
    assert not any(word in result.judge.question + records[1].prompt for word in ("Called off", "Over,"))


async def test_what_is_taken_live_is_not_offered_and_nothing_of_a_case_is_kept(tmp_path: Path) -> None:
    """A8: reads are real, writes are captured; `world.calendar` stands in for what is real."""
    busy = {"busy": [{"start": "2026-06-06T00:00", "end": "2026-06-06T12:00"}]}
    first = {"tap": {"slot": "first", "otherwise": "never"}}
    made = project(
        tmp_path,
        live=case(
            "A boat, please",
            first,
            expect=[{"appointment": {"start": "2026-06-06T10:00", "representative": "dana"}}],
            person={**ANA, "representative": "dana"},
        ),
        given=case(
            "A boat, please",
            first,
            world={**NOW, "calendar": busy},
            expect=[{"appointment": {"start": "2026-06-06T12:00"}}],
        ),
    )
    async with made.open() as context:
        await publish(context, PublishRequest(agent="desk"))
        live = context.store.appointments(Partition.LIVE, agent="desk")
        await live.book(
            Appointment(
                appointment_id="",
                title="Somebody's",
                start=datetime.fromisoformat("2026-06-06T09:00-05:00"),
                end=datetime.fromisoformat("2026-06-06T10:00-05:00"),
                representative="dana",
            )
        )
    await results_of(made)
    async with made.open() as context:
        everywhere = [
            *await context.store.appointments(Partition.LIVE, agent="desk").busy(
                datetime.fromisoformat("2026-06-01T00:00Z"), datetime.fromisoformat("2026-07-01T00:00Z")
            ),
        ]
    assert len(everywhere) == 1


async def test_a_check_that_fails_shows_the_nearest(tmp_path: Path) -> None:
    wanted = {"appointment": {"status": "booked", "representative": "lee"}}
    made = project(
        tmp_path, one=case("A boat, please", {"tap": {"slot": "first", "otherwise": "never"}}, expect=[wanted])
    )
    (check,) = (await made.run()).only.checks
    assert check.check == "appointment: {status: booked, representative: lee}"
    assert check.detail == (
        "expected at least once; got no such appointment; nearest: Powerboat, Sat 6 June 2026, 09:00–10:00, with "
        'Dana Whitfield, booked: representative: expected exactly "lee", got "dana"'
    )

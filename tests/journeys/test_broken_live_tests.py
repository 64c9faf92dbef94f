"""Live tests that break off (features.md C13)."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.projects import written_project

from greenroom.clock import SystemClock
from greenroom.conversation.outcomes import Status
from greenroom.store.appointment_lists import AppointmentFilter
from greenroom.store.partition import Partition


@pytest.mark.requirement("C13", "A8")
async def test_a_turn_that_breaks_off_after_a_booking_leaves_no_appointment_that_nobody_is_told_of(
    tmp_path: Path,
) -> None:
    start = (SystemClock().now() + timedelta(days=1)).replace(minute=0, second=0, microsecond=0)
    booking = {"tool": "book_appointment", "arguments": {"start": start.isoformat(), "title": "Boat"}}
    rules = [
        {"when": {"answered": "book_appointment"}, "fault": "rejected"},
        {"when": {"last": "book"}, "calls": [booking]},
        {"reply": "Hello."},
    ]
    case = {"world": {"policy": "live-test"}, "person": {"first_name": "Ana"}, "script": ["book"]}
    maker = written_project(
        tmp_path,
        rules=rules,
        agent={"scheduling": {"hours": {"daily": "00:00-24:00"}}},
        cases={"one": {**case, "expect": [{"never_says": "never"}]}},
    )
    only = (await maker.run()).only
    assert only.status is Status.ERRORED
    assert [call.tool for turn in only.turns for call in turn.calls] == ["book_appointment"]
    async with maker.open() as context:
        kept = await context.store.appointment_lists(Partition.LIVE).page(AppointmentFilter())
    assert (only.errands, kept.appointments) == ((), ())

"""One time for everybody in a case: agent, simulated person and judge (features.md A5; semantics: `world.now`; T30)."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.projects import ProjectMaker, written_project

from greenroom.conversation.messages import TimePicker, text_message
from greenroom.conversation.outcomes import Status
from greenroom.conversation.visible import visible

SIMULATOR = {"models": {"judge": "script:models/agent.yaml", "simulator": "script:models/person.yaml"}}


FINDS_TIMES: Sequence[object] = [
    {"when": {"answered": "find_times"}, "reply": "When would you like to come?"},
    {"calls": [{"tool": "find_times", "arguments": dict[str, object]()}]},
]


def project(root: Path, spelled: str, *, zone: str, **world: object) -> ProjectMaker:
    """Agent and person speak as the test wants only if their prompt tells this time."""
    told = {"contains": spelled}
    maker = written_project(
        root,
        rules=[
            {"when": {"role": "judge", "last": told}, "verdicts": ["pass"]},
            {"when": {"role": "judge"}, "verdicts": ["fail"]},
            {"when": {"role": "agent", "system": told}, "reply": "It is as late as you say."},
            {"reply": "I have another time."},
        ],
        agent={"time_zone": zone, "greeting": "It is {{system.now}}."},
        cases={
            "asks": {
                "simulate": {"brief": {"wants": "The time, which is {{system.now}}.", "ends_when": "You know it."}},
                "world": world,
                "expect": [
                    {"reply": {"contains": "as late as you say", "turn": "any"}},
                    {"judge": "It tells the time."},
                ],
            }
        },
        project=SIMULATOR,
    )
    maker.write(
        "models/person.yaml",
        {
            "rules": [
                {"when": {"last": "as you say"}, "say": "Thanks.", "end": "goal_met"},
                {"when": {"system": told}, "say": "What time is it?"},
                {"say": "I don't know when it is.", "end": "gave_up"},
            ]
        },
    )
    return maker


@pytest.mark.requirement("A5", "D1", "E4")
@pytest.mark.parametrize(
    ("now", "zone", "spelled"),
    [
        ("2026-06-06T14:00", "America/Chicago", "Saturday 2026-06-06T14:00-05:00"),
        ("2026-02-28T23:59:00-05:00", "America/Chicago", "Saturday 2026-02-28T22:59-06:00"),
        ("2026-02-28T23:59:00-05:00", "UTC", "Saturday 2026-02-28T23:59-05:00"),
        ("2028-02-29T00:00", "Asia/Tokyo", "Tuesday 2028-02-29T00:00+09:00"),
        ("2028-02-28T23:30Z", "Europe/Berlin", "Tuesday 2028-02-29T00:30+01:00"),
        # The clock is set forward from two to three: what it doesn't show is the moment at which it is set.
        ("2026-03-29T02:30", "Europe/Berlin", "Sunday 2026-03-29T03:00+02:00"),
        # It is set back from three to two: what it shows twice is the first one, and an offset says which.
        ("2026-10-25T02:30", "Europe/Berlin", "Sunday 2026-10-25T02:30+02:00"),
        ("2026-10-25T02:30+01:00", "Europe/Berlin", "Sunday 2026-10-25T02:30+01:00"),
    ],
)
async def test_everybody_in_a_case_goes_by_its_time(tmp_path: Path, now: str, zone: str, spelled: str) -> None:
    only = (await project(tmp_path, spelled, zone=zone, now=now).run()).only
    assert only.status is Status.PASSED, visible(str(only))
    assert only.judge is not None
    assert "When the conversation began, by the agent's clock:\n<<<" in only.judge.question
    (greeting,) = only.turns[0].entries
    assert greeting == text_message(f"It is {spelled.partition(' ')[2]}.")


@pytest.mark.requirement("A5", "A8")
@pytest.mark.parametrize(
    ("now", "zone", "hours", "offered"),
    [
        ("2028-02-28T20:00", "Asia/Tokyo", "09:00-10:00", ["2028-02-29T09:00+09:00", "2028-03-01T09:00+09:00"]),
        ("2026-02-28T20:00", "Asia/Tokyo", "09:00-10:00", ["2026-03-01T09:00+09:00", "2026-03-02T09:00+09:00"]),
        ("2026-03-28T23:00", "Europe/Berlin", "01:00-04:00", ["2026-03-29T01:00+01:00", "2026-03-29T03:00+02:00"]),
        (
            "2026-10-25T00:30",
            "Europe/Berlin",
            "01:00-03:00",
            ["2026-10-25T01:00+02:00", "2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00"],
        ),
    ],
)
async def test_times_are_offered_from_the_cases_time_on(
    tmp_path: Path, now: str, zone: str, hours: str, offered: list[str]
) -> None:
    maker = written_project(
        tmp_path,
        rules=FINDS_TIMES,
        agent={"time_zone": zone, "scheduling": {"hours": {"daily": hours}, "offer": len(offered)}},
        cases={"asks": {"script": ["When?"], "world": {"now": now}, "expect": [{"reply": {"shape": "time_picker"}}]}},
    )
    only = (await maker.run()).only
    assert only.status is Status.PASSED, only
    shown = [part for message in only.turns[1].messages for part in message.parts if isinstance(part, TimePicker)]
    assert [slot.start for picker in shown for slot in picker.slots] == offered

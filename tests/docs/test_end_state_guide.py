"""docs/guides/end-state.md: its suite runs as it says, and its parts can stand in a case."""

import re
import shutil
import textwrap
from pathlib import Path

import pytest
from tests.cli.command_line import LAKESIDE
from tests.projects import ProjectMaker

from greenroom.conversation.outcomes import SampleResult, Status
from greenroom.operations.runs import RunRequest

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "end-state.md").read_text(encoding="utf-8")
SUITE, LINES, VISITS = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
AGENT = [
    {"when": {"role": "router"}, "reply": "booking"},
    {"when": {"answered": "update_person"}, "reply": "Noted."},
    {"when": {"last": "six of us"}, "calls": [{"tool": "update_person", "arguments": {"party_size": 6}}]},
    {"reply": "It is 180 dollars."},
]


async def results(root: Path, suite: str, rules: object = AGENT) -> dict[str, SampleResult]:
    shutil.copytree(LAKESIDE, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".greenroom", "suites"))
    maker = ProjectMaker(root=root)
    maker.write("models/agent.yaml", {"rules": rules})
    (root / "suites").mkdir(exist_ok=True)
    (root / "suites" / "end-state.yaml").write_text(suite, encoding="utf-8")
    return dict((await maker.run(RunRequest(model="script:models/agent.yaml"))).results)


@pytest.mark.requirement("E1")
async def test_the_suite_of_the_guide_passes(tmp_path: Path) -> None:
    ran = await results(tmp_path, SUITE)
    assert {case: result.status for case, result in ran.items()} == dict.fromkeys(
        ["takes-note-of-the-party", "only-answers"], Status.PASSED
    ), ran


@pytest.mark.requirement("A5", "E1")
async def test_the_suite_on_appointments_passes(tmp_path: Path) -> None:
    maker = ProjectMaker(root=tmp_path)
    booking = {"title": "Boat visit", "start": "2026-06-07T10:00"}
    maker.write("greenroom.yaml", {"workspace": "harbour"})
    maker.write(
        "agents/harbour.yaml",
        {
            "agent": "harbour",
            "model": "script:models/harbour.yaml",
            "time_zone": "America/Chicago",
            "scheduling": {"hours": {"daily": "09:00-17:00"}},
        },
    )
    rules: list[object] = [
        {"when": {"answered": "cancel_appointment"}, "reply": "It is cancelled."},
        {"when": {"answered": "book_appointment"}, "reply": "It is booked."},
        {"when": {"last": "cancel"}, "calls": [{"tool": "cancel_appointment", "arguments": {}}]},
        {"when": {"last": "book"}, "calls": [{"tool": "book_appointment", "arguments": booking}]},
    ]
    maker.write("models/harbour.yaml", {"rules": rules})
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "visits.yaml").write_text(VISITS, encoding="utf-8")
    ran = (await maker.run()).results
    assert [result.status for result in ran.values()] == [Status.PASSED] * 2, ran


async def test_the_parts_of_the_guide_stand_in_a_case(tmp_path: Path) -> None:
    case = textwrap.indent(LINES, "    ")
    ran = await results(
        tmp_path, f"suite: end-state\nagents: [lakeside]\ncases:\n  lines:\n    person: visitor\n{case}"
    )
    assert ran["lines"].status is Status.PASSED, ran


async def test_a_failure_reads_as_the_guide_shows_it(tmp_path: Path) -> None:
    always = [
        {"when": {"role": "router"}, "reply": "booking"},
        {"when": {"answered": "update_person"}, "reply": "Noted."},
        {"calls": [{"tool": "update_person", "arguments": {"party_size": 6}}]},
    ]
    (check,) = (await results(tmp_path, SUITE, always))["only-answers"].checks
    assert f"    {check.check}\n      {check.detail}\n" in GUIDE

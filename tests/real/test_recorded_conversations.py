"""Conversations that a real model had with a real person, run as cases."""

from pathlib import Path

import pytest
from tests.projects import ProjectMaker
from tests.real.recorded import RECORDED, write_project

from greenroom.conversation.outcomes import Status

pytestmark = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded conversations are not beside the checkout")


@pytest.mark.requirement("E1")
async def test_recorded_conversations_run_as_cases_with_their_recorded_calls_as_checks(tmp_path: Path) -> None:
    cases = write_project(tmp_path, RECORDED)
    outcome = await ProjectMaker(root=tmp_path).run()
    assert {case: result.status for case, result in outcome.results.items()} == dict.fromkeys(cases, Status.PASSED)
    calls = [len(call) for call in ([c for t in r.turns for c in t.calls] for r in outcome.stored)]
    assert calls == [8, 0, 7]


async def test_a_recorded_call_with_another_argument_fails_its_check(tmp_path: Path) -> None:
    """T07: the failing check shows what was called instead."""
    write_project(tmp_path, RECORDED)
    suite = tmp_path / "suites/recorded.yaml"
    changed = suite.read_text("utf-8").replace('"equals": "152 + 103"', '"equals": "152 + 104"')
    suite.write_text(changed, "utf-8")
    outcome = await ProjectMaker(root=tmp_path).run()
    assert outcome.results["recorded-1"].status is Status.FAILED
    details = [check.detail for check in outcome.results["recorded-1"].checks if not check.passed]
    assert any("152 + 103" in detail for detail in details)

"""Models that a project names are looked at by lint, as far as that needs nobody else (R1 S7, S8)."""

import asyncio
from pathlib import Path

import pytest
from tests.projects import written_project

from greenroom.clock import SystemClock
from greenroom.errors import DocumentsInvalid
from greenroom.operations.documents import lint_documents

JUDGED = {"script": ["Hi"], "expect": [{"judge": "It is polite."}]}
RULE = {"reply": "Hello."}


def said(root: Path) -> list[str]:
    return [str(finding) for finding in lint_documents(root, (), root, {}, SystemClock())]


def test_a_script_is_read_whole(tmp_path: Path) -> None:
    project = written_project(tmp_path, rules=[RULE], cases={"one": JUDGED})
    assert said(tmp_path) == []

    project.write("models/agent.yaml", {"rules": [{"verdicts": "maybe", "whn": 1}]})
    assert [line.split(": ")[0] for line in said(tmp_path)] == ["models/agent.yaml:1:23", "models/agent.yaml:1:31"]
    (tmp_path / "models" / "agent.yaml").write_text("")
    assert len(said(tmp_path)) == 1


def test_a_script_that_is_not_there_is_told_where_it_is_named(tmp_path: Path) -> None:
    written_project(tmp_path, rules=[RULE], cases={"one": JUDGED}, agent={"model": "script:models/agnt.yaml"})
    (line,) = said(tmp_path)
    assert line.startswith("agents/desk.yaml:1:")
    assert "models/agnt.yaml" in line


def test_an_unknown_provider_is_told_where_it_is_named(tmp_path: Path) -> None:
    models = {"judge": "antropic:claude"}
    written_project(tmp_path, rules=[RULE], cases={"one": JUDGED}, project={"models": models})
    (line,) = said(tmp_path)
    assert line.startswith("greenroom.yaml:1:")
    assert "did you mean 'anthropic'?" in line


def test_parts_that_nobody_plays_are_warned_of(tmp_path: Path) -> None:
    """A run may be handed them by its options, so that is no error."""
    simulated = {"simulate": {"brief": "Until it is booked"}, "expect": [{"reply": "Hi"}]}
    skipped = {**JUDGED, "skip": "later"}
    cases = {"skipped": skipped, "one": JUDGED, "two": JUDGED, "three": simulated}
    written_project(tmp_path, rules=[RULE], cases=cases, project={"models": {}})
    judge, simulator = said(tmp_path)
    assert "warning: booking/one has criteria and no judge is configured" in judge
    assert "warning: booking/three simulates a person and no simulator is configured" in simulator


def test_reviews_that_nobody_judges_are_warned_of(tmp_path: Path) -> None:
    plain = {"script": ["Hi"], "expect": [{"reply": "Hi"}]}
    written_project(
        tmp_path, rules=[RULE], cases={"one": plain}, project={"models": {}}, agent={"review": "It is polite."}
    )
    (warned,) = said(tmp_path)
    assert "warning: the closed conversations of agent 'desk' are to be reviewed and no judge is configured" in warned


async def test_what_can_be_read_is_held_against_each_other_although_something_cannot(tmp_path: Path) -> None:
    """R1 S8: not one layer of errors after the other."""
    project = written_project(tmp_path, rules=[RULE], cases={"one": {**JUDGED, "playbook": "repars"}})
    project.write("suites/other.yaml", {"suite": "other", "cases": {"one": {**JUDGED, "expct": []}}})
    expected = ["suites/booking.yaml", "suites/other.yaml"]
    assert [line.split(":")[0] for line in await asyncio.to_thread(said, tmp_path)] == expected
    with pytest.raises(DocumentsInvalid) as refused:
        await project.run()
    assert [line.split(":")[0] for line in str(refused.value).splitlines()] == expected


def test_an_agent_that_cannot_be_read_is_not_said_to_be_missing(tmp_path: Path) -> None:
    written_project(tmp_path, rules=[RULE], cases={"one": JUDGED}, agent={"promt": "Hi"})
    assert [line.split(":")[0] for line in said(tmp_path)] == ["agents/desk.yaml"]

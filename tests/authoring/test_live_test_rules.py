"""What lint says of live tests before anybody runs them (features.md C13)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.authoring.test_world_rules import SCRIPT, TOOLS
from tests.projects import written_project

from greenroom.authoring.lint import lint
from greenroom.clock import FrozenClock
from greenroom.documents.findings import Severity
from greenroom.documents.loading import load_project
from greenroom.errors import DocumentsInvalid
from greenroom.operations.documents import lint_documents
from greenroom.operations.runs import RunRequest

LIVE = {"policy": "live-test"}


def said(tmp_path: Path, *worlds: object, agent: Mapping[str, object] | None = None) -> list[str]:
    cases = {f"boat-{number}": SCRIPT | {"world": world} for number, world in enumerate(worlds, start=1)}
    written_project(tmp_path, rules=[{"reply": "Yes."}], cases=cases, agent={"tools": TOOLS, **(agent or {})})
    return [each.message for each in lint(load_project(tmp_path, environment={})) if "unanswered" not in each.message]


@pytest.mark.requirement("C13")
def test_what_is_real_is_said_once_for_all_cases_of_a_suite(tmp_path: Path) -> None:
    mocked = {"mocks": [{"tool": "get_order", "result": "shipped"}]}
    hands_over = {"hand_over": {"email": ["team@lakeside.example"]}}
    assert said(tmp_path, LIVE | mocked, {}, LIVE | mocked, agent=hands_over) == [
        "2 of 3 cases are live tests; what the agent does there is real: log_visit, find_events, create_event, "
        "confirm_event are called; a hand-over reaches the team. Use keys and people made for tests"
    ]


def test_of_an_agent_that_can_do_nothing_for_real_that_is_said(tmp_path: Path) -> None:
    assert said(tmp_path, LIVE, agent={"tools": {}}) == [
        "1 of 1 cases is a live test; nothing that this agent can do there is real"
    ]


def test_a_time_of_its_own_is_the_agents_alone(tmp_path: Path) -> None:
    assert said(tmp_path, LIVE | {"now": "2026-06-06T14:00Z"})[1:] == [
        "only the agent goes by this time; in a live test endpoints, calendars and the team don't"
    ]


BOOKS: Mapping[str, object] = {"scheduling": {"hours": {"daily": "09:00-17:00"}}, "time_zone": "America/Chicago"}


@pytest.mark.requirement("C13")
def test_a_live_test_that_would_book_in_the_past_is_an_error(tmp_path: Path) -> None:
    """In the agent's zone it is 09:30 by then; the sandbox may stand in any year."""
    worlds = [LIVE | {"now": f"2026-06-06T{time}"} for time in ("09:29", "09:30", "09:45", "09:29-07:00")]
    cases = {f"at-{n}": SCRIPT | {"world": world} for n, world in enumerate((*worlds, {"now": "2001-01-01T00:00"}))}
    written_project(tmp_path, rules=[{"reply": "Yes."}], cases=cases, agent=BOOKS)
    written_project(tmp_path / "other", rules=[{"reply": "Yes."}], cases=cases, agent={})
    now = datetime(2026, 6, 6, 14, 30, tzinfo=UTC)
    refused = "is past, and a live test books in the business's calendar: leave `now` out, so that the agent goes by "

    def errors(root: Path) -> list[str]:
        findings = lint_documents(root, (), root, {}, FrozenClock(now))
        return [finding.message for finding in findings if finding.severity is Severity.ERROR]

    assert errors(tmp_path) == [f"2026-06-06T09:29-05:00 {refused}the real time, or write a time to come"]
    assert errors(tmp_path / "other") == []


@pytest.mark.requirement("C13")
async def test_it_stops_the_run_that_would_play_it_and_no_other(tmp_path: Path) -> None:
    """What was right when it was written must not stop all of a project's runs from some day on."""
    cases = {"past": SCRIPT | {"world": LIVE | {"now": "2001-01-01T09:00"}}, "other": SCRIPT}
    maker = written_project(tmp_path, rules=[{"reply": "Yes."}], cases=cases, agent=BOOKS)
    with pytest.raises(DocumentsInvalid, match=r"is past, and a live test books"):
        await maker.run()
    assert (await maker.run(RunRequest(selectors=("booking/other",)))).only.key.case == "other"


def test_what_has_an_endpoint_is_not_unanswered_and_what_only_asks_for_a_confirmation_neither(tmp_path: Path) -> None:
    tools = {name: tool for name, tool in TOOLS.items() if name != "show_map"}
    tools["ask_first"] = {"kind": "integration", "confirm_with": "confirm_event"}
    written_project(
        tmp_path, rules=[{"reply": "Yes."}], cases={"boat": SCRIPT | {"world": LIVE}}, agent={"tools": tools}
    )
    assert [each for each in map(str, lint(load_project(tmp_path, environment={}))) if "unanswered" in each] == []

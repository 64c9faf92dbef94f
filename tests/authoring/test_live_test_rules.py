"""What lint says of live tests before anybody runs them (features.md C13)."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.authoring.test_world_rules import SCRIPT, TOOLS
from tests.projects import written_project

from greenroom.authoring.lint import lint
from greenroom.documents.loading import load_project

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


def test_what_has_an_endpoint_is_not_unanswered_and_what_only_asks_for_a_confirmation_neither(tmp_path: Path) -> None:
    tools = {name: tool for name, tool in TOOLS.items() if name != "show_map"}
    tools["ask_first"] = {"kind": "integration", "confirm_with": "confirm_event"}
    written_project(
        tmp_path, rules=[{"reply": "Yes."}], cases={"boat": SCRIPT | {"world": LIVE}}, agent={"tools": tools}
    )
    assert [each for each in map(str, lint(load_project(tmp_path, environment={}))) if "unanswered" in each] == []

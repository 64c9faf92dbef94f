"""What lint says of a case's world before anybody runs (features.md C6–C11; semantics: two levels of lint)."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.projects import DESK, written_project

from greenroom.authoring.lint import lint
from greenroom.documents.loading import load_project

SCRIPT = {"script": ["A boat for Saturday"], "expect": [{"ended_by": "any"}]}
TOOLS: Mapping[str, object] = {
    "get_order": {"url": "https://orders.example"},
    "log_visit": {"url": "https://log.example", "method": "POST", "waits": False},
    "show_map": {"kind": "client"},
    "play_sound": {"kind": "client", "waits": False},
    "find_events": {"kind": "integration", "read_only": True, "url": "https://events.example"},
    "create_event": {"kind": "integration", "confirm_with": "confirm_event", "url": "https://events.example"},
    "confirm_event": {"kind": "integration", "url": "https://events.example"},
}


def findings(tmp_path: Path, *, agent: Mapping[str, object] | None = None, **case: object) -> list[str]:
    """Severity and message of each finding of a case with these keys."""
    written_project(tmp_path, rules=[{"reply": "Yes."}], cases={"boat": SCRIPT | case}, agent=agent)
    found = lint(load_project(tmp_path, environment={}))
    return [f"{finding.severity}: {finding.message}" for finding in found]


def tools(tmp_path: Path, **case: object) -> list[str]:
    return findings(tmp_path, agent={"tools": TOOLS}, **case)


def unanswered(*named: str) -> str:
    return (
        f"warning: in 1 of 1 cases a tool would go unanswered if it were called: {', '.join(named)}; "
        "add a mock to the tool or an entry to `world.mocks`"
    )


MAP = "show_map (a client tool, which answers from mocks only; 1)"
CONFIRM = "confirm_event (commits what create_event asks to confirm; 1)"


@pytest.mark.requirement("C7", "C8", "C9", "C10")
@pytest.mark.parametrize(
    ("case", "named"),
    [
        ({}, ["get_order (1)", MAP, "find_events (1)", "create_event (1)", CONFIRM]),
        ({"world": {"mock": "none"}}, [MAP, "create_event (1)", CONFIRM]),
        ({"world": {"mock": "selected"}}, [MAP, "create_event (1)", CONFIRM]),
        ({"world": {"real": ["get_order", "find_events"]}}, [MAP, "create_event (1)", CONFIRM]),
        (
            {"channel": "phone_inbound"},
            ["get_order (1)", "find_events (1)", "create_event (1)", CONFIRM],
        ),
    ],
)
def test_the_tools_that_would_go_unanswered_are_listed_under_every_strategy(
    tmp_path: Path, case: Mapping[str, object], named: list[str]
) -> None:
    """Tools that nobody waits for need no mock; a client tool on a phone is not on the agent."""
    assert tools(tmp_path, **case) == [unanswered(*named)]


@pytest.mark.requirement("C8", "D2")
def test_auto_is_linted_on_the_channel_that_the_agent_gives_it(tmp_path: Path) -> None:
    phone = {"tools": {"show_map": TOOLS["show_map"]}, "channels": {"phone": {"number": "+15550100"}}}
    assert findings(tmp_path, agent=phone, channel="auto") == []
    assert findings(tmp_path, agent=phone, channel="web_voice") == [unanswered(MAP)]


@pytest.mark.requirement("C9")
def test_a_case_that_mocks_only_the_write_is_warned(tmp_path: Path) -> None:
    events = {name: TOOLS[name] for name in ("create_event", "confirm_event")}
    write, confirm = {"tool": "create_event"}, {"tool": "confirm_event", "result": {"id": 1}}
    assert findings(tmp_path, agent={"tools": events}, world={"mocks": [write, confirm]}) == []
    only = findings(tmp_path, agent={"tools": events}, world={"mocks": [write]})
    assert only == [
        unanswered(CONFIRM),
        "warning: 'create_event' only asks for the confirmation; what commits is 'confirm_event', and a call to it "
        "would go unanswered, so mock both",
    ]


@pytest.mark.requirement("C6")
def test_an_http_status_where_there_is_no_http_is_warned_of(tmp_path: Path) -> None:
    agent = {"tools": {"show_map": {"kind": "client"}}, "hand_over": {}}
    mocks = [{"tool": "show_map", "status": 503}, {"tool": "hand_over", "result": 1, "statuses": [503]}]
    found = findings(tmp_path, agent=agent, world={"mocks": mocks})
    assert found == [
        "warning: only webhook tools answer with an HTTP status, and 'show_map' is none; "
        "write `error: true` to make the call fail",
        "warning: only webhook tools answer with an HTTP status, and 'hand_over' is none; "
        "write `error: true` to make the call fail",
    ]


@pytest.mark.requirement("C8")
def test_a_mock_for_a_client_tool_that_waits_for_nothing_is_an_error(tmp_path: Path) -> None:
    agent = {"tools": {"play_sound": TOOLS["play_sound"]}}
    found = findings(tmp_path, agent=agent, world={"mocks": [{"tool": "play_sound", "result": 1}]})
    assert found == ["error: 'play_sound' is a client tool that waits for nothing, so no mock can answer it"]


@pytest.mark.requirement("C7")
@pytest.mark.parametrize("name", ["create_event", "show_map"])
def test_what_can_not_be_real_is_an_error(tmp_path: Path, name: str) -> None:
    assert (
        f"error: {name!r} can't be real: only webhook tools and `read_only` integration tools reach their endpoint"
        in tools(tmp_path, world={"real": [name]})
    )


@pytest.mark.requirement("C11")
def test_mocks_and_real_for_tools_that_the_agent_lacks_are_warnings(tmp_path: Path) -> None:
    """T25: told with the nearest name, never an error, since a guard is shared by agents."""
    found = findings(tmp_path, world={"mocks": [{"tool": "list_boat", "result": 1}], "real": ["refund"]})
    assert found == [
        "warning: this mock answers nothing: the agent has no tool 'list_boat'; did you mean 'list_boats'?",
        "warning: the agent has no tool 'refund'",
    ]


FORMS = {"refund-request": {"name": "Refund request", "fields": {"order": "string"}}}


@pytest.mark.requirement("E1", "C11")
@pytest.mark.parametrize(
    ("check", "found"),
    [
        ({"called": "Collect data: Refund request"}, []),
        ({"called": {"tool": "Collect data: refund-request", "with": {"order": "1"}}}, []),
        ({"not_called": "Escalate to a person"}, []),
        (
            {"called": {"tool": "Collect data: Refund request", "with": {"ordr": "1"}}},
            ["warning: the form 'refund-request' has no field 'ordr'; did you mean 'order'?"],
        ),
        (
            {"not_called": "Collect data: Refund requests"},
            ["warning: the agent has no form 'Refund requests'; did you mean 'Refund request'?"],
        ),
        (
            {"not_called": "Escalate to person"},
            ["warning: the agent has no tool 'Escalate to person'; did you mean 'Escalate to a person'?"],
        ),
        ({"called": "Collect contact details"}, ["warning: the agent has no tool 'Collect contact details'"]),
    ],
)
def test_labels_of_actions_are_looked_up_on_the_agent(
    tmp_path: Path, check: Mapping[str, object], found: list[str]
) -> None:
    assert findings(tmp_path, agent={"forms": FORMS, "hand_over": {}}, expect=[check]) == found


@pytest.mark.requirement("D2", "E1")
@pytest.mark.parametrize(
    ("channel", "named", "other"), [("phone_inbound", "hand_over", "transfer"), ("web", "transfer", "hand_over")]
)
def test_the_action_that_takes_its_place_on_this_channel_is_named_with_the_label_of_both(
    tmp_path: Path, channel: str, named: str, other: str
) -> None:
    agent = {"hand_over": {}, "channels": {"phone": {"number": "+15550100"}}}
    assert findings(tmp_path, agent=agent, channel=channel, expect=[{"not_called": named}]) == [
        f"warning: the agent has no {named!r} on the channel {channel}: there {other!r} takes its place, and the label "
        "'Escalate to a person' stands for both"
    ]


@pytest.mark.requirement("D2", "D3")
def test_a_transfer_check_away_from_the_phone_is_warned_of(tmp_path: Path) -> None:
    assert findings(tmp_path, channel="auto", expect=[{"ended_by": "transfer"}]) == [
        "warning: a transfer only happens on a phone channel, so this always fails on web voice"
    ]
    phone = {**DESK, "channels": {"phone": {"number": "+15550100"}}}
    assert findings(tmp_path, agent=phone, channel="auto", expect=[{"ended_by": "transfer"}]) == []
    assert findings(tmp_path, agent=phone, expect=[{"ended_by": "transfer"}]) == [
        "warning: a transfer only happens on a phone channel, so this always fails on web chat; "
        "write `channel: auto`, which is the phone for an agent with a number"
    ]


@pytest.mark.requirement("B3")
@pytest.mark.parametrize(
    ("now", "said"),
    [
        (
            "2026-03-29T02:30",
            "doesn't show this time on that day, when it is set forward; taken as 2026-03-29T03:00+02:00",
        ),
        (
            "2026-10-25T02:30",
            "shows this time twice on that day; the first is taken, 2026-10-25T02:30+02:00, "
            "the other is 2026-10-25T02:30+01:00",
        ),
        ("2026-10-25T02:30+01:00", ""),
        ("2026-10-25T03:30", ""),
    ],
)
def test_a_time_that_the_agents_clock_skips_or_shows_twice_is_noticed(tmp_path: Path, now: str, said: str) -> None:
    """T30."""
    found = findings(tmp_path, agent={"time_zone": "Europe/Berlin"}, world={"now": now})
    assert found == ([f"warning: the clock in Europe/Berlin {said}"] if said else [])


@pytest.mark.requirement("A5", "B3")
def test_a_skipped_time_is_taken_as_one_moment_wherever_a_case_writes_it(tmp_path: Path) -> None:
    """T30."""
    busy = {"start": "2026-03-29T02:15", "end": "2026-03-29T04:00"}
    found = findings(
        tmp_path,
        agent={"time_zone": "Europe/Berlin", "scheduling": {"hours": {"daily": "00:00-09:00"}}},
        person="visitor",
        appointments=[{"title": "Boat", "start": "2026-03-29T02:30"}],
        world={"calendar": {"busy": [busy]}},
        expect=[{"appointment": {"start": {"one_of": ["2026-03-29T02:45", "2026-10-25T02:30", "2026-03-29"]}}}],
    )
    said = "doesn't show this time on that day, when it is set forward; taken as 2026-03-29T03:00+02:00"
    assert found == [f"warning: the clock in Europe/Berlin {said}"] * 3


@pytest.mark.requirement("A3")
@pytest.mark.parametrize(
    ("slot", "warned"),
    [
        ("2026-03-29T02:30", True),
        ("2026-03-29T02:30+01:00", False),
        ("2026-03-29T03:30", False),
        ("2026-10-25T02:30", False),
        ("first", False),
        ("2:30 am", False),
    ],
)
def test_a_tap_on_a_time_that_the_clock_skips_is_warned_of(tmp_path: Path, slot: str, warned: bool) -> None:
    """T30: it would say the fallback in every run."""
    found = findings(
        tmp_path,
        agent={"time_zone": "Europe/Berlin", "scheduling": {"hours": {"daily": "00:00-09:00"}}},
        script=[{"tap": {"slot": slot, "otherwise": "Half past two"}}],
    )
    said = (
        "warning: the clock in Europe/Berlin doesn't show this time on that day, when it is set forward, so there is "
        "never such a time to tap and `otherwise` is said; the next that there is is 2026-03-29T03:00+02:00"
    )
    assert found == ([said] if warned else [])

"""Forms, contact details, confirmations and what playbooks use, as they are written in an agent."""

import pytest
from tests import builders

from greenroom.documents.agent import DataForm, FormField
from greenroom.errors import DocumentsInvalid

FORM = {"fields": {"order": {"type": "string", "required": True}, "amount": "number"}}
EVENTS = {
    "create_event": {"kind": "integration", "confirm_with": "confirm_event"},
    "confirm_event": {"kind": "integration"},
}


def refused(**written: object) -> str:
    with pytest.raises(DocumentsInvalid) as found:
        builders.agent(**written)
    return str(found.value)


def test_a_form_has_typed_fields_and_a_bare_type_will_do() -> None:
    agent = builders.agent(forms={"refund-request": FORM})
    assert agent.forms == {
        "refund-request": DataForm(
            fields={"order": FormField(type="string", required=True), "amount": FormField(type="number")}
        )
    }


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ({"Refund Request": FORM}, "the id 'Refund Request' is not lower-case words joined by hyphens"),
        ({"refund": {"fields": {}}}, "at least"),
        ({"refund": {"name": "Refund"}}, "`fields` is missing"),
        ({"refund": {"fields": {"order": "text"}}}, "one of string, number, integer, boolean, date is wanted here"),
        ({"refund": {"fields": {"order": {"requird": True}}}}, "unknown key 'requird'; did you mean 'required'?"),
        ({"refund": FORM, "money": {**FORM, "name": "refund"}}, "the forms 'refund' and 'money' have one name"),
    ],
)
def test_a_form_that_can_not_be_read_says_where_and_what_to_write(written: object, why: str) -> None:
    assert why in refused(forms=written)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Collect data: Refunds", "there is no form 'Refunds'; did you mean 'refund'?"),
        ("Collect data: xyz", "there is no form 'xyz'; forms are refund"),
        ("Procedure: Booking", "'Procedure: Booking' is a playbook, and a playbook uses tools and capabilities only"),
        ("Escalate to person", "did you mean 'Escalate to a person'?"),
        ("send_message", "is how every agent speaks or stops, and is always there; leave it out"),
        (
            "scheduling",
            "'scheduling' needs the agent's hours; write `scheduling: {hours: {weekdays: \"09:00-17:00\"}}`",
        ),
        (
            "find_times",
            "'find_times' needs the agent's hours; write `scheduling: {hours: {weekdays: \"09:00-17:00\"}}`",
        ),
        ("list_boat", "did you mean 'list_boats'?"),
    ],
)
def test_what_a_playbook_can_not_use_is_told(name: str, why: str) -> None:
    assert why in refused(forms={"refund": FORM}, playbooks={"help": {"when": "always", "uses": [name]}})


@pytest.mark.parametrize("name", ["forms", "Collect data: Refund"])
def test_forms_can_be_used_only_where_there_are_some(name: str) -> None:
    assert "the agent has no `forms`" in refused(playbooks={"help": {"when": "always", "uses": [name]}})


@pytest.mark.requirement("C9")
@pytest.mark.parametrize(
    ("tools", "why"),
    [
        ({"create_event": EVENTS["create_event"]}, "there is no tool 'confirm_event' to confirm with"),
        (
            {**EVENTS, "confirm_event": {"url": "https://events.example"}},
            "'confirm_event' is a webhook tool; what confirms a write is an integration tool",
        ),
        ({**EVENTS, "create_event": {"kind": "client", "confirm_with": "confirm_event"}}, "only an integration tool"),
        (
            {**EVENTS, "confirm_event": {"kind": "integration", "confirm_with": "create_event"}},
            "'confirm_event' confirms 'create_event', so it has no `confirm_with` of its own",
        ),
    ],
)
def test_what_confirms_a_write_is_another_integration_tool(tools: object, why: str) -> None:
    assert why in refused(tools=tools)


@pytest.mark.parametrize("name", ["submit_form", "collect_contact", "forms", "contact"])
def test_no_tool_takes_the_name_of_an_action_or_capability(name: str) -> None:
    assert f"the tool name {name!r} belongs to a built-in action" in refused(
        tools={name: {"url": "https://tools.example"}}
    )


@pytest.mark.requirement("H6")
@pytest.mark.parametrize(
    ("mock", "why"),
    [
        (
            {"fault": "timout"},
            "one of none, timeout, reset is wanted here, not the text 'timout'; did you mean 'timeout'?",
        ),
        ({"fault": "reset", "result": 1}, "a call that ends in a `fault` has no answer; leave `result` out"),
        ({"faults": ["reset", "timeout"], "status": 200}, "leave `status` out"),
        ({"fault": "reset", "faults": ["none"]}, "a mock has `fault` or `faults`, not both"),
        ({"status": 503, "statuses": [503]}, "a mock has `status` or `statuses`, not both"),
        ({"result": 1, "results": [1]}, "a mock has `result` or `results`, not both"),
        ({"statuses": []}, "`statuses` is empty; write at least one"),
        ({"result": 1, "then": "cycle"}, "`then` says what follows the last of `results`"),
    ],
)
def test_a_mock_that_contradicts_itself_is_refused(mock: dict[str, object], why: str) -> None:
    with pytest.raises(DocumentsInvalid) as found:
        builders.case(world={"mocks": [{"tool": "list_boats", **mock}]})
    assert why in str(found.value)


@pytest.mark.requirement("H6")
@pytest.mark.parametrize(
    "mock",
    [
        {"faults": ["timeout", "none"], "result": {"ok": True}, "then": "cycle"},
        {"statuses": [503, 200], "results": ["busy", "free"], "then": "unanswered"},
        {"fault": "reset", "delay": 2},
    ],
)
def test_faults_and_statuses_are_sequences_too(mock: dict[str, object]) -> None:
    (read,) = builders.case(world={"mocks": [{"tool": "list_boats", **mock}]}).world.mocks
    assert {name: value for name, value in read.model_dump(mode="json").items() if name in mock} == mock

"""Contact details and data forms, through a conversation (documents.md: built-in actions; page B)."""

from collections.abc import Mapping

import pytest
from tests.agents.stage import Stage, calls, desk, in_turn, says, world_of

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.events import Said
from greenroom.conversation.json_values import Json
from greenroom.conversation.transcript import render_transcript
from greenroom.conversation.turns import Turn
from greenroom.documents.agent import Agent
from greenroom.documents.suite import PersonStart

ALWAYS = ("send_message", "end_conversation")
FORMS: Json = {
    "refund-request": {
        "name": "Refund request",
        "description": "When money is wanted back.",
        "fields": {
            "order": {"type": "string", "required": True},
            "amount": {"type": "number"},
            "reason": {"type": "string", "options": ["late", "broken"]},
            "bought_on": {"type": "date"},
        },
    },
    "damage-report": {"fields": {"boat": {"type": "string", "required": True}}},
}


async def one_call(agent: Agent, action: str, arguments: Json, *, person: PersonStart | None = None) -> Turn:
    world = world_of(agent, person=person)
    session = await Stage(agent, in_turn(calls((action, arguments)), says("Done.")), world=world).opened()
    return await session.send(Said(text="Go on"))


@pytest.mark.requirement("A5", "A8", "A9", "E1")
async def test_contact_details_are_kept_on_the_case_s_own_person_and_shown() -> None:
    agent = desk(contact={})
    world = world_of(agent, person=PersonStart(first_name="Ana"))
    details: Json = {"last_name": "Lee", "email": "ana@example.com"}
    model = in_turn(calls(("collect_contact", details)), says("Noted."), says("Yes."))
    session = await Stage(agent, model, world=world).opened()
    turn = await session.send(Said(text="I am Ana Lee, ana@example.com"))
    await session.send(Said(text="Do you know me?"))
    assert render_transcript([turn]).split("\n\n")[1:] == [
        "[contact: last_name = Lee, email = ana@example.com]",
        "Agent: Noted.",
    ]
    (effect,) = turn.effects
    assert (effect.effect, effect.captured, effect.data["details"]) == (EffectKind.CONTACT, True, details)
    assert turn.calls[0].answered_by is AnsweredBy.BUILT_IN
    person = await world.people.find("visitor-1")
    assert person is not None
    assert (person.last_name, person.email) == ("Lee", "ana@example.com")
    assert "ana@example.com" in model.asked[-1].system


async def test_contact_details_of_somebody_who_is_not_on_record_are_shown_all_the_same() -> None:
    agent = desk(contact={}, people={"auto_create": False})
    turn = await one_call(agent, "collect_contact", {"phone": "+15550100"})
    assert [(effect.summary, effect.data["person"]) for effect in turn.effects] == [("phone = +15550100", None)]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"first_name": "Ana"}, "'email' is a required property"),
        ({"email": "ana at example"}, "'ana at example' is no email address; one looks like ana@example.com; nothing"),
        ({"email": "a@b.example\nBcc: c@d.example"}, "is no email address"),
        ({"email": "a@b.example", "phone": "call me maybe"}, "'call me maybe' is no phone number; one looks like +1 "),
        ({"email": "a@b.example", "phone": ""}, "phone: '' should be non-empty"),
        ({"e_mail": "a@b.example"}, "did you mean 'email'?"),
        ({}, "'email' is a required property"),
    ],
)
async def test_contact_details_that_do_not_fit_go_back_to_the_model_and_nothing_is_kept(
    arguments: Json, why: str
) -> None:
    turn = await one_call(desk(contact={"required": ["email"]}), "collect_contact", arguments)
    assert turn.calls[0].error is not None
    assert why in turn.calls[0].error
    assert turn.effects == ()


@pytest.mark.requirement("A8", "A9", "E1")
async def test_a_submitted_form_is_one_line_with_its_values() -> None:
    values: Json = {"order": "W100", "amount": 44.5, "reason": "late", "bought_on": "2026-05-01"}
    turn = await one_call(desk(forms=FORMS), "submit_form", {"form": "refund-request", "values": values})
    assert render_transcript([turn]).split("\n\n")[1] == (
        "[form refund-request: order = W100, amount = 44.5, reason = late, bought_on = 2026-05-01]"
    )
    (effect,) = turn.effects
    assert (effect.effect, effect.data) == (EffectKind.FORM, {"form": "refund-request", "values": values})


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"form": "refund-request", "values": {"amount": 4}}, "values: 'order' is a required property"),
        ({"form": "refund-request", "values": {"order": 100}}, "values.order: 100 is not of type 'string'"),
        ({"form": "refund-request", "values": {"order": "1", "reason": "bored"}}, "values.reason: 'bored' is not one"),
        ({"form": "refund-request", "values": {"order": "1", "bought_on": "May"}}, "values.bought_on: 'May' is not a"),
        ({"form": "refund-request", "values": {"order": "1", "colour": "red"}}, "'colour' was unexpected"),
        ({"form": "damage-report", "values": {"order": "W100"}}, "values: 'boat' is a required property"),
        ({"form": "refunds", "values": {"order": "1"}}, "form: 'refunds' is not one of ['refund-request', 'damage"),
        ({"form": "refund-request"}, "'values' is a required property"),
        ({"form": "refund-request", "values": "W100"}, "values: 'W100' is not of type 'object'"),
    ],
)
async def test_values_are_checked_against_the_form_that_was_meant(arguments: Json, why: str) -> None:
    turn = await one_call(desk(forms=FORMS), "submit_form", arguments)
    assert turn.calls[0].answered_by is AnsweredBy.REFUSED
    assert why in (turn.calls[0].error or "")
    assert turn.effects == ()


def test_the_model_reads_what_each_form_asks_for() -> None:
    agent = desk(forms=FORMS)
    both = HostedAgent(agent).offer(None, Channel.WEB).by_name["submit_form"].spec.parameters["properties"]
    assert isinstance(both, Mapping)
    assert both["form"] == {
        "type": "string",
        "enum": ["refund-request", "damage-report"],
        "description": "refund-request: When money is wanted back.; damage-report: damage-report",
    }
    one = desk(forms={"damage-report": {"fields": {"boat": {"type": "string", "required": True}}}})
    alone = HostedAgent(one).offer(None, Channel.WEB).by_name["submit_form"].spec.parameters["properties"]
    assert isinstance(alone, Mapping)
    assert alone["values"] == {
        "type": "object",
        "properties": {"boat": {"type": "string"}},
        "additionalProperties": False,
        "required": ["boat"],
        "minProperties": 1,
    }


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    ("uses", "offered"),
    [
        (["contact"], ("collect_contact",)),
        ([" collect  Contact details"], ("collect_contact",)),
        (["Escalate to a person"], ("hand_over",)),
        (["hand_over"], ("hand_over",)),
        (["transfer"], ()),
        (["notify_team"], ("notify_team",)),
        (["forms"], ("submit_form",)),
        (["people", "contact", "forms", "hand_over"], ("update_person", "collect_contact", "submit_form", "hand_over")),
        (["Collect data: refund  Request"], ("submit_form",)),
        (["Collect data: damage report"], ("submit_form",)),
    ],
)
def test_a_playbook_uses_capabilities_actions_and_labels(uses: list[str], offered: tuple[str, ...]) -> None:
    agent = HostedAgent(desk(forms=FORMS, playbooks={"help": {"uses": uses}}))
    assert agent.offer("help", Channel.WEB).names == (*offered, *ALWAYS)


def test_a_phone_call_is_escalated_by_transferring_it() -> None:
    agent = HostedAgent(desk(playbooks={"help": {"uses": ["Escalate to a person"]}}))
    assert agent.offer("help", Channel.PHONE_OUTBOUND).names == ("transfer", *ALWAYS)


def test_a_label_brings_its_form_only() -> None:
    agent = HostedAgent(desk(forms=FORMS, playbooks={"help": {"uses": ["Collect data: Refund request"]}}))
    submit = agent.offer("help", Channel.WEB).by_name["submit_form"]
    assert submit.arguments.problem({"form": "refund-request", "values": {"order": "1"}}) is None
    assert "'damage-report' is not one of ['refund-request']" in (
        submit.arguments.problem({"form": "damage-report", "values": {"boat": "x"}}) or ""
    )
    assert agent.facts(Channel.WEB).forms == {"refund-request": "Refund request"}


@pytest.mark.requirement("C9")
def test_a_tool_that_asks_for_a_confirmation_brings_the_tool_that_commits() -> None:
    tools: Json = {
        "create_event": {"kind": "integration", "confirm_with": "confirm_event"},
        "confirm_event": {"kind": "integration"},
    }
    agent = HostedAgent(desk(tools=tools, playbooks={"booking": {"uses": ["create_event"]}}))
    assert agent.offer("booking", Channel.WEB).names == ("create_event", "confirm_event", *ALWAYS)


def test_an_agent_without_playbooks_offers_forms_and_contact_once_it_has_them() -> None:
    assert HostedAgent(desk(contact={}, forms=FORMS)).offer(None, Channel.WEB).names == (
        "collect_contact",
        "submit_form",
        *ALWAYS,
    )
    assert HostedAgent(desk()).offer(None, Channel.WEB).names == ALWAYS


def test_the_judge_reads_of_forms_in_the_digest() -> None:
    assert HostedAgent(desk(forms=FORMS)).digest.endswith(
        "Forms:\n- Refund request: When money is wanted back. Fields: order (required), amount, reason, bought_on\n"
        "- damage-report: Fields: boat (required)"
    )

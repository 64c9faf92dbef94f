"""Which tools a turn offers."""

import pytest
from tests.agents.stage import Stage, calls, desk, in_turn

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said
from greenroom.conversation.json_values import Json
from greenroom.conversation.turns import StopReason
from greenroom.errors import CaseFault

ALWAYS = ("send_message", "end_conversation")
TOOLS: dict[str, Json] = {
    "show_map": {"kind": "client"},
    "get_order": {"kind": "webhook", "url": "https://orders.example"},
    "get_weather": {"kind": "integration", "url": "https://weather.example"},
}


def test_a_playbook_offers_only_what_it_uses_in_the_order_it_is_written() -> None:
    books = {
        "booking": {"when": "boats", "uses": ["get_weather", "people", "get_order"]},
        "refunds": {"when": "money", "uses": ["notify", "knowledge", "hand_over"]},
        "chat": {"when": "else"},
    }
    agent = HostedAgent(desk(tools=TOOLS, playbooks=books))
    assert agent.offer("booking", Channel.WEB).names == ("get_weather", "get_order", "update_person", *ALWAYS)
    assert agent.offer("refunds", Channel.WEB).names == ("notify_team", "search_knowledge", "hand_over", *ALWAYS)
    assert agent.offer("chat", Channel.WEB).names == ALWAYS
    assert agent.offer(None, Channel.WEB).names == ALWAYS


def test_an_agent_without_playbooks_offers_its_tools_and_the_capabilities_it_configures() -> None:
    bare = HostedAgent(desk(tools=TOOLS))
    full = HostedAgent(
        desk(people={"fields": {}}, notifications={"to": []}, knowledge={"a": {"text": "b"}}, hand_over={"email": []})
    )
    assert bare.offer(None, Channel.WEB).names == (*TOOLS, *ALWAYS)
    assert full.offer(None, Channel.WEB).names == (
        "update_person",
        "notify_team",
        "search_knowledge",
        "hand_over",
        *ALWAYS,
    )


@pytest.mark.requirement("C8", "D2")
@pytest.mark.parametrize("channel", [Channel.PHONE_INBOUND, Channel.PHONE_OUTBOUND])
def test_a_phone_has_no_client_tools_and_transfers(channel: Channel) -> None:
    agent = HostedAgent(desk(tools=TOOLS, hand_over={"email": []}))
    assert agent.offer(None, channel).names == ("get_order", "get_weather", "transfer", *ALWAYS)
    assert "show_map" in agent.offer(None, Channel.WEB_VOICE).names


@pytest.mark.requirement("C8")
async def test_a_client_tool_that_is_called_on_a_phone_is_refused() -> None:
    session = await Stage(desk(tools=TOOLS), in_turn(calls(("show_map", {}), text="Look."), calls())).opened(
        Channel.PHONE_INBOUND
    )
    turn = await session.send(Said(text="Where is it?"))
    assert turn.calls[0].error == (
        "'show_map' can't be used on this channel or in this part of the conversation; "
        "there are get_order, get_weather, send_message, end_conversation"
    )


@pytest.mark.parametrize(
    "parameters", [{"type": "strange"}, {"properties": 7}, {"$ref": "https://schemas.example/order.json"}]
)
async def test_a_tool_whose_schema_can_not_be_used_is_named_and_nothing_is_fetched(parameters: Json) -> None:
    agent = desk(tools={"get_order": {"url": "https://orders.example", "parameters": parameters}})
    session = await Stage(agent, in_turn(calls(("get_order", {"a": 1})))).opened()
    with pytest.raises(
        CaseFault, match="the parameters of the tool get_order are no JSON Schema that can be used"
    ) as caught:
        await session.send(Said(text="Where is it?"))
    assert caught.value.stopped == StopReason.AGENT_ERROR


def test_a_person_can_be_written_by_the_declared_fields_and_their_types() -> None:
    fields: Json = {
        "party_size": {"type": "number", "description": "How many come"},
        "day": {"type": "date"},
        "boat": {"type": "string", "options": ["kayak"]},
    }
    agent = HostedAgent(desk(people={"fields": fields}, representatives={"dana": {"name": "Dana"}}))
    parameters = agent.offer(None, Channel.WEB).by_name["update_person"].spec.parameters
    properties = parameters["properties"]
    assert isinstance(properties, dict)
    assert list(properties)[:8] == [
        "first_name",
        "last_name",
        "email",
        "phone",
        "company",
        "title",
        "product_interest",
        "status",
    ]
    assert {name: properties[name] for name in ("representative", "party_size", "day", "boat")} == {
        "representative": {"type": "string", "enum": ["dana"]},
        "party_size": {"type": "number", "description": "How many come"},
        "day": {"type": "string", "format": "date"},
        "boat": {"type": "string", "enum": ["kayak"]},
    }

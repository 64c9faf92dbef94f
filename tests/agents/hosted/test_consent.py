"""Consent to messages as a person says it: by a flow, by the model, and by the words that carriers have heeded (A5)."""

from collections.abc import Sequence

import pytest
from tests.agents.flows import agent_with, on_stage, shown, tapped
from tests.agents.stage import Stage, calls, desk, in_turn, never_asked, says, world_of

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said, TapKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.turns import Turn
from greenroom.documents.suite import PersonStart
from greenroom.world.sandbox.world import SandboxWorld

pytestmark = pytest.mark.requirement("A5")

NO_MORE = "Lakeside: You will get no more messages from us. Reply START to get them again."
AGAIN = "Lakeside: You will get messages from us again. Reply STOP to get no more."


def summaries(turn: Turn) -> list[str]:
    return [effect.summary for effect in turn.effects]


async def consent_in(world: SandboxWorld) -> dict[str, bool] | None:
    person = await world.people.find("visitor-1")
    return None if person is None else dict(person.consent)


@pytest.mark.requirement("A8")
async def test_a_flow_keeps_what_somebody_answers_and_goes_by_it_at_once() -> None:
    flow: Sequence[object] = [
        {
            "when": {"person.consent.messages": False},
            "do": [{"say": "You get none."}],
            "otherwise": [
                {"ask": {"text": "May we write to you?", "confirm": ["Gladly", "No"], "field": "consent.messages"}},
                {"when": {"person.consent.messages": True}, "do": [{"say": "Thanks."}]},
                {"set": {"consent.messages": False}},
            ],
        },
        {"when": {"person.consent.messages": False}, "do": [{"say": "We will not."}, {"end": "resolved"}]},
    ]
    agent = agent_with(flow, people={"consent": ["messages"]})
    world = world_of(agent)
    session = await Stage(agent, never_asked(), world=world).opened()
    asked = await session.send(Said(text="Hi"))
    answered = await session.send(tapped("Gladly", TapKind.CONFIRM))
    assert shown(asked) == ["May we write to you?", "confirm Gladly | No"]
    assert shown(answered) == ["Thanks.", "We will not."]
    assert summaries(answered) == ["consent.messages = true", "consent.messages = false"]
    assert [effect.captured for effect in answered.effects] == [True, True]
    assert await consent_in(world) == {"messages": False}

    refused = world_of(agent, person=PersonStart(consent={"messages": False}))
    first = await (await Stage(agent, never_asked(), world=refused).opened()).send(Said(text="Hi"))
    assert shown(first) == ["You get none.", "We will not."]


async def test_the_model_records_what_the_document_lets_it_and_is_told_of_nothing() -> None:
    agent = desk(people={"consent": ["messages"]})
    world = world_of(agent, person=PersonStart(first_name="Ana", consent={"messages": True}))
    wanted: Json = {"status": "customer", "consent": {"messages": False}}
    model = in_turn(calls(("update_person", wanted)), says("Noted."))
    turn = await (await Stage(agent, model, world=world).opened()).send(Said(text="Please don't text me any more"))
    assert summaries(turn) == ["status = customer", "consent.messages = false"]
    assert await consent_in(world) == {"messages": False}
    assert "consent" not in model.asked[0].system.casefold()


@pytest.mark.parametrize(
    ("people", "consent", "why"),
    [
        ({}, {"messages": False}, "('consent' was unexpected)"),
        ({"consent": ["messages"]}, {"calls": True}, "('calls' was unexpected)"),
        ({"consent": ["messages"]}, {"messages": "no"}, "consent.messages: 'no' is not of type 'boolean'"),
    ],
)
async def test_no_other_consent_is_recorded(people: Json, consent: Json, why: str) -> None:
    agent = desk(people=people)
    world = world_of(agent)
    model = in_turn(calls(("update_person", {"consent": consent})), says("Hm."))
    turn = await (await Stage(agent, model, world=world).opened()).send(Said(text="Hi"))
    assert why in (turn.calls[0].error or "")
    assert await consent_in(world) == {}


@pytest.mark.requirement("A1")
@pytest.mark.parametrize(
    "word",
    [
        *("STOP", " stop. ", "Stopall", "UNSUBSCRIBE", "cancel", "End", "quit", "revoke", "Opt  out"),
        # As telephones write it: in their own quotes, behind marks that nobody sees, in wide letters.
        *("“STOP”", "«Stop»", "\u200fSTOP", "STOP\u200b\0", "\ufeffstop\n", "ＳＴＯＰ", "STOP 🛑", "opt-out", "Stop,"),
    ],
)
async def test_a_word_that_carriers_know_takes_consent_back_and_one_message_says_so(word: str) -> None:
    agent = desk()
    world = world_of(agent, person=PersonStart(first_name="Ana", consent={"messages": True}))
    session = await Stage(agent, never_asked(), world=world).opened(Channel.SMS)
    turn = await session.send(Said(text=word))
    assert shown(turn) == [NO_MORE]
    assert summaries(turn) == ["consent.messages = false"]
    assert await consent_in(world) == {"messages": False}

    back = await session.send(Said(text="Start"))
    assert shown(back) == [AGAIN]
    assert await consent_in(world) == {"messages": True}


@pytest.mark.parametrize(
    ("channel", "text"),
    [
        (Channel.WEB, "STOP"),
        (Channel.RICH, "STOP"),
        (Channel.SMS, "Stop by at nine"),
        (Channel.SMS, "Stop?"),
        (Channel.SMS, "🛑"),
        (Channel.SMS, "stop it"),
        (Channel.SMS, "START"),
        (Channel.SMS, "unstop"),
    ],
)
async def test_all_else_is_the_agents_to_answer_and_changes_nothing(channel: Channel, text: str) -> None:
    """START takes back a STOP, and is a word like any other where there was none."""
    agent = desk()
    world = world_of(agent, person=PersonStart(consent={"messages": True}))
    session = await Stage(agent, in_turn(says("Yes?")), world=world).opened(channel)
    assert shown(await session.send(Said(text=text))) == ["Yes?"]
    assert await consent_in(world) == {"messages": True}


async def test_a_stranger_who_wants_none_is_put_on_record_with_that_whatever_the_agent_does_with_strangers() -> None:
    agent = desk(people={"auto_create": False})
    world = world_of(agent)
    session = await Stage(agent, never_asked(), world=world).opened(Channel.SMS)
    assert shown(await session.send(Said(text="STOP"))) == [NO_MORE]
    assert await consent_in(world) == {"messages": False}


async def test_the_business_words_it_or_leaves_it_to_the_provider_and_a_flow_goes_on_waiting() -> None:
    words = {"stopped": "Adieu {{person.first_name}}.", "started": ""}
    flow = [{"ask": {"text": "How many?", "type": "integer", "as": "count"}}, {"say": "{{count}} it is."}]
    agent = agent_with(flow, channels={"sms": {"words": words}})
    world = world_of(agent, person=PersonStart(first_name="Ana"))
    session = await on_stage(agent, world=world).opened(Channel.SMS)
    turns = [await session.send(Said(text=text)) for text in ("Hi", "STOP", "stop", "START", "6")]
    assert [shown(turn) for turn in turns] == [["How many?"], ["Adieu Ana."], ["Adieu Ana."], [], ["6 it is."]]
    assert [summaries(turn) for turn in turns][1:4] == [["consent.messages = false"], [], ["consent.messages = true"]]

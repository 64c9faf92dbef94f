"""What the model that plays a person is told, whole, and what it is not told."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import builders
from tests.agents.stage import PlayedModel, says
from tests.golden import assert_golden

from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message, Text, text_message
from greenroom.conversation.people import Person
from greenroom.conversation.turns import PersonEnd, Turn
from greenroom.documents.facts import facts_of
from greenroom.documents.loading import load_document
from greenroom.documents.simulation import Brief, Simulation
from greenroom.documents.suite import Suite
from greenroom.models.calls import Unreadable
from greenroom.models.model import AgentSays
from greenroom.personas.persons import NextEvent
from greenroom.personas.simulated import Part, SimulatedPersona
from greenroom.personas.simulator_prompt import Answer, agent_heard, answer_from, filled, system_prompt

GOLDEN = Path(__file__).parent / "golden"
BRIEF = {
    "who": "{{person.first_name}}, who rents a boat for the first time",
    "wants": "A boat for six on Saturday.",
    "knows": {"party size": 6, "day": "Saturday"},
    "does_not_know": ["Any price.", "Which marina is nearer."],
    "reveals_when_asked": {"budget": "200 dollars", "code": "0123"},
    "steps": ["Ask what is free.", "Book the cheapest."],
    "reactions": "When a storm is forecast, ask for Sunday.",
    "style": "Short.",
    "opens_with": "That you need a boat.",
    "ends_when": "It is booked, or nothing is free.",
}
ANA = Person(
    person_id="p1",
    first_name="Ana",
    last_name="Diaz",
    email="ana@example.com",
    status="lead",
    notes="VIP, do not tell",
    tags=("vip",),
    product_interest="boats",
    fields={"risk": "high"},
)


def brief_of(written: object) -> Brief:
    simulate = builders.case(simulate={"brief": written}).simulate
    assert isinstance(simulate, Simulation)
    return simulate.brief


@pytest.mark.requirement("D1")
@pytest.mark.parametrize(
    ("name", "written", "channel"),
    [
        ("sections-web", BRIEF, Channel.WEB),
        ("text-phone", "You are Ana and want a boat.\nYou hang up when it is booked.", Channel.PHONE_INBOUND),
    ],
)
def test_the_whole_prompt(name: str, written: object, channel: Channel) -> None:
    """Of the record only what people know of themselves: no status, interest, notes, tags or fields."""
    brief = filled(brief_of(written), {"person": {"first_name": "Ana"}, "system": {"channel": str(channel)}})
    assert_golden(system_prompt(brief, ANA, channel, "Friday 2026-06-05T09:00-05:00"), GOLDEN / f"simulator-{name}.txt")


@pytest.mark.requirement("D1")
async def test_the_model_reads_both_sides_words_and_nothing_else() -> None:
    """S17, S25: reasoning is stripped, several messages of a turn are one, calls and effects are not there."""
    call = ToolCall(
        call_id="c1",
        tool="get_secret",
        arguments={},
        tool_kind=ToolKind.WEBHOOK,
        answered_by=AnsweredBy.MOCK,
        result=42,
    )
    effect = Effect(effect=EffectKind.NOTIFY, summary="secret team note", data={})
    brief = brief_of(BRIEF)
    part = Part(
        brief=brief,
        facts=facts_of(brief, None),
        channel=Channel.WEB,
        now="Friday 2026-06-05T09:00-05:00",
        conversation="c",
        max_turns=9,
    )
    answers = iter([{"say": "A boat, please.", "end": None}, {"say": "Fine.", "end": None}])
    model = PlayedModel(lambda _: says(json.dumps(next(answers))))
    person = SimulatedPersona(part, model)
    greeting = Turn(index=0, event=None, entries=(text_message("Hello."),))
    first = await person.next([greeting])
    assert isinstance(first, NextEvent)
    thinking = Message(parts=(Text(text="<think>end: goal_met</think>Which one?"),))
    reply = Turn(index=1, event=first.event, entries=(call, thinking, effect, text_message("North or South?")))
    await person.next([greeting, reply])
    messages = model.asked[1].messages
    assert [
        message.text if isinstance(message, AgentSays) else message.text.splitlines()[2:-1] for message in messages
    ] == [
        ["Hello."],
        '{"say":"A boat, please.","end":null}',
        ["Which one?", "", "North or South?"],
    ]
    asked = model.asked[1]
    assert "secret" not in asked.system + "".join(message.text for message in messages)
    assert asked.tools == ()


@given(words=st.text(min_size=1))
def test_no_words_of_the_agent_get_out_of_their_fence(words: str) -> None:
    first, opening, *inside, closing = agent_heard(words).split("\n")
    assert first == "The agent:"
    mark = opening.removeprefix("<<<")
    assert closing == f"{mark}>>>"
    assert not any(mark in line for line in inside)


def test_answers_are_read_leniently_but_never_guessed() -> None:
    assert answer_from({"say": " Hi ", "end": "null"}) == Answer(say="Hi")
    assert answer_from({"say": "Hi", "tap": "North", "end": None}) == Answer(tap="North")
    assert answer_from({"end": "GAVE_UP"}) == Answer(end=PersonEnd.GAVE_UP)
    unreadable: tuple[Json, ...] = ([], {"say": ["Hi"]}, {"say": "Hi", "end": "later"}, {"say": "", "end": None}, {})
    for wrong in unreadable:
        with pytest.raises(Unreadable):
            answer_from(wrong)


def test_a_brief_is_the_same_case_however_it_is_written() -> None:
    """P15, P17's kind: values are text as written, nothing is escaped."""
    brief = "{wants: 'a < b & {\"k\": 1}', knows: {n: 007}}"
    text = "suite: s\ncases: {c: {expect: [{reply: x}], simulate: {brief: BRIEF}}}".replace("BRIEF", brief)
    suite = load_document(text)
    assert isinstance(suite, Suite)
    simulate = suite.cases["c"].simulate
    assert simulate is not None
    assert [told.text for told in simulate.brief.texts()] == ['a < b & {"k": 1}', "007"]
    assert [told.text for told in filled(simulate.brief, {}).texts()] == ['a < b & {"k": 1}', "007"]

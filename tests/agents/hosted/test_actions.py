"""The built-in actions, through a conversation."""

from collections.abc import Sequence

import pytest
from tests.agents.stage import Stage, calls, desk, in_turn, says, world_of

from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.events import Said
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Card, Carousel, Chip, ChipAction, Chips, Message, Text, text_message
from greenroom.conversation.turns import StopReason, Turn
from greenroom.documents.agent import Agent
from greenroom.documents.mocks import Mock
from greenroom.documents.rich import parts_from
from greenroom.documents.suite import PersonStart

FIELDS: Json = {
    "party_size": {"type": "integer"},
    "vip": {"type": "boolean"},
    "birthday": {"type": "date"},
    "boat": {"type": "string", "options": ["kayak", "powerboat"]},
}


async def one_call(
    agent: Agent,
    action: str,
    arguments: Json,
    *,
    channel: Channel = Channel.WEB,
    mocks: Sequence[Mock] = (),
) -> Turn:
    world = world_of(agent, person=PersonStart(first_name="Ana"), mocks=mocks)
    session = await Stage(agent, in_turn(calls((action, arguments)), says("Done.")), world=world).opened(channel)
    return await session.send(Said(text="Go on"))


@pytest.mark.requirement("A5", "A8")
async def test_a_person_is_written_through_the_world_field_by_field() -> None:
    agent = desk(people={"fields": FIELDS})
    world = world_of(agent)
    model = in_turn(
        calls(("update_person", {"party_size": 6, "email": "ana@example.com", "birthday": "1990-02-28"})),
        says("Noted."),
        says("Six."),
    )
    session = await Stage(agent, model, world=world).opened()
    turn = await session.send(Said(text="We are six"))
    await session.send(Said(text="How many?"))
    assert [effect.summary for effect in turn.effects] == [
        "party_size = 6",
        "email = ana@example.com",
        "birthday = 1990-02-28",
    ]
    person = await world.people.find("visitor-1")
    assert person is not None
    assert person.fields["party_size"] == 6
    assert "party_size: 6" in model.asked[-1].system


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"party_size": "six"}, "party_size: 'six' is not of type 'integer'"),
        ({"birthday": "tomorrow"}, "birthday: 'tomorrow' is not a 'date'"),
        ({"boat": "yacht"}, "boat: 'yacht' is not one of ['kayak', 'powerboat']"),
        ({"party_sise": 6}, "('party_sise' was unexpected); did you mean 'party_size'?"),
        ({"notes": "rude"}, "('notes' was unexpected)"),
        ({"party_size": 6, "email": "not an email"}, "'not an email' is no email address; one looks like"),
        ({"email": "x@y.example\nBcc: evil@z.example"}, "is no email address"),
        ({"phone": "call me maybe"}, "'call me maybe' is no phone number; one looks like +1 555 0100"),
        ({}, "{} should be non-empty"),
    ],
)
async def test_only_declared_fields_of_the_declared_type_are_written(arguments: Json, why: str) -> None:
    turn = await one_call(desk(people={"fields": FIELDS}), "update_person", arguments)
    (call,) = turn.calls
    assert call.error is not None
    assert why in call.error
    assert turn.effects == ()


async def test_a_person_who_is_not_on_record_can_not_be_written() -> None:
    agent = desk(people={"auto_create": False, "fields": FIELDS})
    model = in_turn(calls(("update_person", {"party_size": 6})), says("Fine."))
    session = await Stage(agent, model).opened()
    turn = await session.send(Said(text="We are six"))
    assert turn.calls[0].error == "this person isn't on record and strangers are not put on record; nothing was kept"


async def test_knowledge_is_found_by_its_words() -> None:
    knowledge = {
        "cancelling": {"title": "Cancelling", "text": "Free until a day before."},
        "pets": {"text": "Dogs are welcome on kayaks, a day's notice is enough."},
        "weather": {"title": "Weather", "text": "Boats stay in port above force 6."},
    }
    turn = await one_call(desk(knowledge=knowledge), "search_knowledge", {"query": "May dogs come aboard?"})
    assert turn.calls[0].result == [
        {"entry": "pets", "title": "pets", "text": "Dogs are welcome on kayaks, a day's notice is enough."}
    ]
    assert turn.effects == ()
    nothing = await one_call(desk(knowledge=knowledge), "search_knowledge", {"query": "xyz"})
    assert nothing.calls[0].result == "nothing was found"


@pytest.mark.requirement("D3")
async def test_handing_over_ends_the_conversation_after_a_last_word() -> None:
    turn = await one_call(desk(hand_over={"email": []}), "hand_over", {"reason": "asks for a human"})
    assert turn.ended is StopReason.HANDED_OVER
    assert [effect.effect for effect in turn.effects] == [EffectKind.HANDED_OVER]
    assert turn.messages == (text_message("Done."),)


@pytest.mark.requirement("D2", "D3")
async def test_a_phone_call_is_transferred_in_place_of_being_handed_over() -> None:
    agent = desk(hand_over={"email": []})
    turn = await one_call(agent, "transfer", {"reason": "billing", "to": "Dana"}, channel=Channel.PHONE_INBOUND)
    assert turn.ended is StopReason.TRANSFERRED
    assert [effect.summary for effect in turn.effects] == ["Dana: billing"]
    refused = await one_call(agent, "hand_over", {"reason": "billing"}, channel=Channel.PHONE_INBOUND)
    assert refused.ended is None
    assert refused.calls[0].answered_by is AnsweredBy.REFUSED


@pytest.mark.parametrize(("arguments", "ended"), [({"resolved": True}, "resolved"), ({}, "agent_ended")])
async def test_an_agent_ends_the_conversation_and_is_not_asked_again_once_it_has_spoken(
    arguments: Json, ended: str
) -> None:
    model = in_turn(calls(("end_conversation", arguments), text="Goodbye!"))
    session = await Stage(desk(), model).opened()
    turn = await session.send(Said(text="Thanks, bye"))
    assert turn.ended == StopReason(ended)
    assert turn.messages == (text_message("Goodbye!"),)


async def test_an_agent_that_ends_without_a_word_beside_it_may_still_take_its_leave() -> None:
    """What it said before the last call is no farewell; and what it calls after the end is refused and seen (T16)."""
    agent = desk(tools={"get_order": {"url": "https://orders.example", "mocks": [{"result": "shipped"}]}})
    model = in_turn(
        calls(("get_order", {}), text="One moment."),
        calls(("end_conversation", {"resolved": True})),
        calls(("get_order", {}), text="Shipped. Goodbye!"),
    )
    session = await Stage(agent, model).opened()
    turn = await session.send(Said(text="Where is it?"))
    assert [entry.kind for entry in turn.entries] == ["message", "call", "call", "message", "call"]
    assert turn.messages[-1] == text_message("Shipped. Goodbye!")
    assert turn.ended is StopReason.RESOLVED
    assert (turn.calls[-1].tool, turn.calls[-1].answered_by) == ("get_order", AnsweredBy.REFUSED)
    assert turn.calls[-1].error == "the conversation is over"


async def test_a_farewell_may_be_sent_as_a_message_of_parts() -> None:
    model = in_turn(
        calls(("hand_over", {"reason": "asks"})),
        calls(("send_message", {"parts": ["Goodbye!"]}), ("end_conversation", {"resolved": True})),
    )
    session = await Stage(desk(hand_over={"email": []}), model).opened()
    turn = await session.send(Said(text="A human, please"))
    assert turn.messages == (text_message("Goodbye!"),)
    assert turn.ended is StopReason.HANDED_OVER
    assert [call.error for call in turn.calls] == [None, None, "the conversation is over"]


async def test_an_agent_may_end_the_conversation_without_a_word() -> None:
    session = await Stage(desk(), in_turn(calls(("end_conversation", {})), says(""))).opened()
    turn = await session.send(Said(text="Bye"))
    assert (turn.messages, turn.ended) == ((), StopReason.AGENT_ENDED)


async def test_a_template_is_sent_by_name_with_its_values_filled_in() -> None:
    marinas: Json = [
        {"text": "We rent from two marinas, {{person.first_name}}."},
        {"carousel": [{"title": "North", "chips": [{"label": "Book for {{person.first_name}}"}]}]},
        {"chips": ["Something else", {"label": "Rates", "link": "https://lakeside.example/rates"}]},
    ]
    agent = desk(templates={"marinas": parts_from(marinas)})
    turn = await one_call(agent, "send_message", {"template": "marinas"})
    assert turn.messages[0] == Message(
        parts=(
            Text(text="We rent from two marinas, Ana."),
            Carousel(cards=(Card(title="North", chips=(Chip(label="Book for Ana"),)),)),
            Chips(
                chips=(
                    Chip(label="Something else"),
                    Chip(label="Rates", action=ChipAction.LINK, target="https://lakeside.example/rates"),
                )
            ),
        )
    )


UNREADABLE: list[tuple[Json, str]] = [
    ({"template": "marina"}, "there is no template 'marina'; did you mean 'marinas'?; nothing was sent"),
    ({}, "send_message takes either `parts` or the name of a `template`; nothing was sent"),
    ({"parts": [], "template": "marinas"}, "send_message takes either `parts` or the name of a `template`"),
    ({"parts": []}, "parts: the list is empty"),
    ({"parts": [{"card": {"titel": "North"}}]}, "parts.0.card: unknown key 'titel'"),
    ({"parts": [{"text": " "}]}, "nothing of it can be shown on this channel; say it in words; nothing was sent"),
    (
        {"parts": [{"chips": [{"label": "Pay", "link": "javascript:pay()"}]}]},
        "parts.0.chips.0.link: a link begins with https:// or http://, and this is 'javascript:pay()'",
    ),
    ({"parts": [{"carusel": []}]}, "parts.0: there is no part 'carusel'"),
    ({"partz": ["x"]}, "'partz' was unexpected); did you mean 'parts'?"),
]


@pytest.mark.parametrize(("arguments", "why"), UNREADABLE)
async def test_a_message_that_can_not_be_read_is_told_to_the_model_and_not_sent(arguments: Json, why: str) -> None:
    agent = desk(templates={"marinas": parts_from([{"text": "Two."}])})
    turn = await one_call(agent, "send_message", arguments)
    assert turn.calls[0].error is not None
    assert why in turn.calls[0].error
    assert turn.messages == (text_message("Done."),)


async def test_what_a_model_writes_into_a_message_is_no_template() -> None:
    turn = await one_call(desk(), "send_message", {"parts": ["{{person.first_name}}"]})
    assert turn.messages[0] == text_message("{{person.first_name}}")


async def test_a_case_may_answer_a_built_in_action_in_its_place() -> None:
    agent = desk(hand_over={"email": []})
    turn = await one_call(
        agent, "hand_over", {"reason": "asks"}, mocks=[Mock(tool="hand_over", result="nobody is there now")]
    )
    assert turn.ended is None
    assert turn.effects == ()
    assert [(call.answered_by, call.result) for call in turn.calls] == [(AnsweredBy.MOCK, "nobody is there now")]

"""The conversation service: the one way to a hosted agent."""

import asyncio

import pytest
from tests.agents.stage import PlayedModel, Stage, calls, desk, heard, in_turn, never_asked, says, world_of

from greenroom.agents.hosted.record import TurnInProgress
from greenroom.clock import SystemClock
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Event, Inbound, Opened, Said
from greenroom.conversation.messages import Message, text_message
from greenroom.conversation.turns import StopReason
from greenroom.documents.suite import PersonStart
from greenroom.errors import CaseFault, ModelUnreachable
from greenroom.models.model import ModelAnswer, ModelRequest


def inbound(event: Event, message_id: str = "m-1", conversation: str = "talk-1") -> Inbound:
    return Inbound(
        conversation=conversation, channel=Channel.WEB, identity="visitor-1", message_id=message_id, event=event
    )


@pytest.mark.requirement("A1", "B10")
async def test_opening_a_conversation_is_answered_by_the_greeting_for_this_person() -> None:
    agent = desk(greeting="Hi {{person.first_name}}, this is Lakeside.")
    world = world_of(agent, person=PersonStart(first_name="Ana"))
    delivered = await Stage(agent, never_asked(), world=world).service.deliver(inbound(Opened()))
    assert delivered.turn.index == 0
    assert delivered.turn.messages == (text_message("Hi Ana, this is Lakeside."),)


async def test_an_agent_without_a_greeting_opens_with_silence() -> None:
    delivered = await Stage(desk(), never_asked()).service.deliver(inbound(Opened()))
    assert delivered.turn.entries == ()


@pytest.mark.requirement("A6")
@pytest.mark.parametrize("auto_create", [True, False])
async def test_a_stranger_becomes_a_person_only_if_the_agent_has_it_so(auto_create: bool) -> None:
    agent = desk(people={"auto_create": auto_create})
    stage = Stage(agent, in_turn(says("Hello.")))
    await stage.service.deliver(inbound(Opened(), "m-0"))
    assert await stage.world.people.find("visitor-1") is None
    await stage.service.deliver(inbound(Said(text="Hi"), "m-1"))
    assert (await stage.world.people.find("visitor-1") is not None) is auto_create


@pytest.mark.requirement("A5")
async def test_a_person_is_found_by_the_conversations_identity_and_read_into_the_turn() -> None:
    agent = desk()
    world = world_of(agent, person=PersonStart(first_name="Ana", company="Acme", notes="pays late"))
    stage = Stage(agent, in_turn(says("Hello Ana.")), world=world)
    delivered = await stage.service.deliver(inbound(Said(text="Hi")))
    assert "Name: Ana\nCompany: Acme" in delivered.record.prompt
    assert "pays late" not in delivered.record.prompt


async def test_a_message_that_is_delivered_again_changes_nothing() -> None:
    stage = Stage(desk(), in_turn(says("Hello.")))
    await stage.service.deliver(inbound(Said(text="Hi")))
    before = await stage.world.conversations.load("talk-1")
    again = await stage.service.deliver(inbound(Said(text="Hi")))
    assert again.repeated
    assert again.turn.entries == ()
    assert await stage.world.conversations.load("talk-1") == before


async def test_a_message_that_was_not_served_may_be_delivered_again() -> None:
    answers = iter([ModelUnreachable("m", "the server answered 500"), says("Hello.")])

    def answering(request: ModelRequest) -> ModelAnswer:
        answer = next(answers)
        if isinstance(answer, ModelAnswer):
            return answer
        raise answer

    stage = Stage(desk(), PlayedModel(answering))
    with pytest.raises(CaseFault):
        await stage.service.deliver(inbound(Said(text="Hi")))
    delivered = await stage.service.deliver(inbound(Said(text="Hi")))
    assert delivered.turn.messages == (text_message("Hello."),)
    assert heard(stage.model.asked[-1]) == ["Hi"]


@pytest.mark.requirement("A1")
async def test_events_of_one_conversation_are_served_in_order_and_others_meanwhile() -> None:
    """S26: the second line is answered after the first, however long that takes."""
    first_asked, go_on = asyncio.Event(), asyncio.Event()

    async def answering(request: ModelRequest) -> ModelAnswer:
        if heard(request) == ["one"]:
            first_asked.set()
            await asyncio.wait_for(go_on.wait(), 5)
        return says("/".join(heard(request)))

    stage = Stage(desk(), PlayedModel(answering))
    one = asyncio.create_task(stage.service.deliver(inbound(Said(text="one"), "m-1")))
    await asyncio.wait_for(first_asked.wait(), 5)
    two = asyncio.create_task(stage.service.deliver(inbound(Said(text="two"), "m-2")))
    three = asyncio.create_task(stage.service.deliver(inbound(Said(text="three"), "m-3")))
    other = await stage.service.deliver(inbound(Said(text="other"), "m-1", conversation="talk-2"))
    assert other.turn.messages == (text_message("other"),)
    assert not two.done()
    go_on.set()
    served = await asyncio.gather(one, two, three)
    assert [(delivered.turn.index, delivered.turn.messages) for delivered in served] == [
        (1, (text_message("one"),)),
        (2, (text_message("one/two"),)),
        (3, (text_message("one/two/three"),)),
    ]


async def test_an_agent_that_has_ended_the_conversation_keeps_silent() -> None:
    stage = Stage(desk(), in_turn(calls(("end_conversation", {"resolved": True}), text="Goodbye!")))
    await stage.service.deliver(inbound(Said(text="That's all"), "m-1"))
    after = await stage.service.deliver(inbound(Said(text="Hello?"), "m-2"))
    assert after.turn.entries == ()
    assert after.turn.ended is StopReason.RESOLVED


async def test_whoever_watches_a_turn_sees_each_message_when_it_is_shown() -> None:
    seen: list[tuple[Message, int]] = []
    model = in_turn(calls(("send_message", {"parts": ["Two"]}), text="One"), says("Three"))
    stage = Stage(desk(), model)
    watching = TurnInProgress(SystemClock(), on_message=lambda message: seen.append((message, len(model.asked))))
    await stage.service.deliver(inbound(Said(text="Hi")), watching)
    assert seen == [(text_message("One"), 1), (text_message("Two"), 1), (text_message("Three"), 2)]

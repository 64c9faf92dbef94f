"""What the transaction that keeps an agent's own message asks once more, since it may have changed since the look."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.stores import NOON

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said
from greenroom.conversation.people import Person, with_consent
from greenroom.store.inbound import Arrival, Delivery
from greenroom.store.opening import Store
from greenroom.store.partition import Partition
from greenroom.store.people import Wanted
from greenroom.store.speaking import Whereabouts
from greenroom.store.timers import NotSaid
from greenroom.store.turn_work import WORK_TURNS, WithTurn
from greenroom.world.ports import ConversationState

AT = Whereabouts(agent="desk", channel=Channel.SMS, identity="sms:ana")
ALIVE = NOON - timedelta(days=1)


async def somebody(store: Store, **consent: bool) -> str:
    person = Person(person_id="", consent=consent)
    return (await store.people(Partition.LIVE).add(person, "sms:ana")).person_id


async def asked(store: Store, write: WithTurn) -> str:
    """Empty when it holds."""
    try:
        await store.writer.write(write, *WORK_TURNS)
    except NotSaid as reason:
        return reason.why
    return ""


async def talk(store: Store, name: str) -> None:
    state = ConversationState(conversation=name, channel=AT.channel, identity=AT.identity)
    await store.conversations(ConversationState, Partition.LIVE, agent="desk").save(state)


def begins(conversation: str) -> ConversationState:
    return ConversationState(conversation=conversation, channel=AT.channel, identity=AT.identity)


async def arrives(store: Store, begin: Callable[[str], ConversationState] = begins) -> int:
    arrival = Arrival(
        agent="desk",
        message_id="m1",
        named=None,
        channel=AT.channel,
        identity=AT.identity,
        fresh_id="fresh",
        begin=begin,
        event=Said(text="Hello"),
        delivery=Delivery.WEBHOOK,
        close_after_s=86_400,
    )
    return (await store.inbox().receive(arrival)).number


@pytest.mark.requirement("A7")
async def test_consent_is_asked_again(store: Store) -> None:
    speaking, ana = store.speaking(), await somebody(store, messages=True)
    assert await asked(store, speaking.consents(ana, "messages")) == ""
    refuses = Wanted(person_id=ana, change=lambda person: with_consent(person, "messages", False, "2026-11-30"))
    await store.people(Partition.LIVE).keep([refuses])
    assert await asked(store, speaking.consents(ana, "messages")) == "the consent was withdrawn"
    assert await asked(store, speaking.has_not_refused(ana, "messages")) == "the person refused messages"
    assert await asked(store, speaking.consents("gone", "messages")) == "the consent was withdrawn"
    assert await asked(store, speaking.has_not_refused("gone", "messages")) == ""


async def test_nobody_is_spoken_to_who_waits_for_an_answer(store: Store) -> None:
    await talk(store, "talk")
    quiet = store.speaking().nothing_waits("talk")
    assert await asked(store, quiet) == ""
    number = await arrives(store)
    assert await asked(store, quiet) == "the person is being answered"
    await store.inbox().served(number)
    assert await asked(store, quiet) == ""


async def test_no_second_conversation_begins_beside_one_that_has_begun_meanwhile(store: Store) -> None:
    alone = store.speaking().begins("mine", AT, alive=ALIVE)
    assert await asked(store, alone) == ""
    await talk(store, "mine")
    assert await asked(store, alone) == ""
    await arrives(store)
    assert await asked(store, store.speaking().begins("other", AT, alive=ALIVE)) == "another conversation has begun"

"""What every keeper of people and conversations promises the world: the store on both databases, and the sandbox."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.stores import opened

from greenroom.clock import FrozenClock
from greenroom.conversation.channels import Channel
from greenroom.errors import NotFound
from greenroom.models.model import AgentSays, RequestedCall, ToolAnswer, UserSays
from greenroom.store.opening import Store
from greenroom.store.partition import Partition, Sandbox
from greenroom.world.live.people import LivePeople
from greenroom.world.ports import Conversations, ConversationState, People
from greenroom.world.sandbox.conversations import SandboxConversations
from greenroom.world.sandbox.people import MemoryPeople, SandboxPeople

KEEPERS = ["sandbox", "sqlite", "postgresql"]

STATE = ConversationState(
    conversation="web:visitor-7",
    channel=Channel.WEB,
    identity="visitor-7",
    playbook="booking",
    messages=(
        UserSays(text="A boat for Saturday 🛶"),
        AgentSays(text="", calls=(RequestedCall(call_id="1", tool="list_boats", arguments={"people": 6.0}),)),
        ToolAnswer(call_id="1", tool="list_boats", text='[{"boat": "pontoon"}]'),
        AgentSays(text="A pontoon is free."),
    ),
    turns=1,
    seen=("m1",),
)


@pytest.fixture(params=KEEPERS)
def kept(request: pytest.FixtureRequest) -> Store | None:
    """The store that keeps it, or None for the sandbox, which keeps it in memory."""
    if request.param == "sandbox":
        return None
    return request.getfixturevalue(f"{request.param}_store")


@pytest.fixture
def people(kept: Store | None) -> People:
    if kept is None:
        return SandboxPeople(MemoryPeople("case-1", "nobody", None, FrozenClock(datetime(2026, 6, 5, tzinfo=UTC))))
    return LivePeople(kept.people(Partition.LIVE))


@pytest.fixture
def conversations(kept: Store | None) -> Conversations:
    if kept is None:
        return SandboxConversations()
    return kept.conversations(ConversationState, Partition.LIVE)


@pytest.mark.requirement("A5")
async def test_a_person_is_found_by_the_identity_bound_to_them(people: People) -> None:
    assert await people.find("visitor-7") is None

    person = await people.create("visitor-7")

    assert await people.find("visitor-7") == person
    assert await people.find("visitor-8") is None


async def test_a_second_creation_gives_the_person_already_bound(people: People) -> None:
    first, second = await asyncio.gather(people.create("visitor-7"), people.create("visitor-7"))

    assert first == second


async def test_what_is_written_of_a_person_is_persisted(people: People) -> None:
    person = await people.create("visitor-7")

    await people.write(person.person_id, "first_name", "Ada")
    written = await people.write(person.person_id, "guests", 6)

    found = await people.find("visitor-7")
    assert found == written.person
    assert found is not None
    assert (found.first_name, found.fields) == ("Ada", {"guests": 6})


@pytest.mark.requirement("A5")
async def test_consent_is_written_with_the_time_it_was_said_at_and_said_again_keeps_it(people: People) -> None:
    person = await people.create("visitor-7")

    said = (await people.write(person.person_id, "consent.messages", False)).person
    again = (await people.write(person.person_id, "consent.messages", False)).person

    assert again.consent == {"messages": False}
    assert again.fields == {}
    assert datetime.fromisoformat(again.consent_at["messages"]).utcoffset() == timedelta(0)
    assert again.consent_at == said.consent_at


@pytest.mark.requirement("A7")
async def test_a_phone_or_an_email_finds_nobody(people: People) -> None:
    person = await people.create("visitor-7")

    await people.write(person.person_id, "phone", "+15550100")

    assert await people.find("+15550100") is None


async def test_nobody_is_written_who_is_not_there(people: People) -> None:
    with pytest.raises(NotFound, match="there is no person 'nobody'"):
        await people.write("nobody", "first_name", "Ada")


async def test_a_conversation_is_remembered_as_it_was_saved(conversations: Conversations) -> None:
    assert await conversations.load("web:visitor-7") is None

    await conversations.save(STATE)

    assert await conversations.load("web:visitor-7") == STATE
    assert await conversations.load("web:visitor-8") is None


async def test_saving_again_takes_the_place_of_what_was_kept(conversations: Conversations) -> None:
    await conversations.save(STATE)
    later = replace(STATE, turns=2, ended="resolved", person_id="person-1")

    await conversations.save(later)

    assert await conversations.load("web:visitor-7") == later


@pytest.mark.requirement("A7")
async def test_live_and_the_sandboxes_never_see_each_other(store: Store) -> None:
    here, there = Sandbox("chat-1"), Sandbox("chat-2")
    person = await store.people(here).create("visitor-7")
    await store.conversations(ConversationState, here).save(STATE)

    for elsewhere in (Partition.LIVE, there):
        assert await store.people(elsewhere).find("visitor-7") is None
        with pytest.raises(NotFound):
            await store.people(elsewhere).write(person.person_id, "first_name", "Ada")
        assert await store.conversations(ConversationState, elsewhere).load("web:visitor-7") is None
        assert await store.people(elsewhere).create("visitor-7") != person
    assert await store.people(here).find("visitor-7") == person


async def test_workspaces_on_one_database_never_see_each_other(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path, workspace="north") as north:
        await north.people(Partition.LIVE).create("visitor-7")
        await north.conversations(ConversationState, Partition.LIVE).save(STATE)
    async with opened(database_url, tmp_path, workspace="south") as south:
        assert await south.people(Partition.LIVE).find("visitor-7") is None
        assert await south.conversations(ConversationState, Partition.LIVE).load("web:visitor-7") is None

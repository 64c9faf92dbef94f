"""The sandbox of one case: its person, its time, and that nothing of it is shared or left (features.md A5–A11)."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from tests.world.makers import IDENTITY, ask, case, desk, sandbox, tool

from greenroom.clock import FrozenClock, SystemClock
from greenroom.conversation.channels import Channel
from greenroom.conversation.people import full_name
from greenroom.errors import NotFound
from greenroom.world.ports import ConversationState

ANA = {
    "first_name": "Ana",
    "last_name": "Ruiz",
    "phone": "+15550100",
    "status": "lead",
    "fields": {"party_size": 6},
    "consent": {"messages": True},
    "tags": ["vip"],
}


@pytest.mark.requirement("A5")
async def test_the_case_s_person_is_found_by_the_identity_and_by_nothing_else() -> None:
    around = sandbox(case(person=ANA))
    person = await around.people.find(IDENTITY)
    assert person is not None
    assert (person.first_name, person.fields, person.tags) == ("Ana", {"party_size": 6}, ("vip",))
    assert await around.people.find("+15550100") is None
    assert await around.people.find("somebody else") is None


@pytest.mark.requirement("A5")
async def test_what_is_written_is_read_back_and_the_case_stays_as_it_was() -> None:
    start = case(person=ANA)
    around = sandbox(start)
    person = await around.people.create(IDENTITY)
    declared = await around.people.write(person.person_id, "party_size", 8)
    core = await around.people.write(person.person_id, "company", "Acme")
    assert (declared.effect.summary, core.effect.summary) == ("party_size = 8", "company = Acme")
    assert declared.effect.captured
    found = await around.people.find(IDENTITY)
    assert found == core.person
    assert found is not None
    assert (found.fields["party_size"], found.company, found.first_name) == (8, "Acme", "Ana")
    again = await sandbox(start).people.find(IDENTITY)
    assert again is not None
    assert (again.fields, again.company) == ({"party_size": 6}, "")


@pytest.mark.requirement("B10")
async def test_a_visitor_is_called_test_visitor() -> None:
    person = await sandbox(case(person="visitor")).people.find(IDENTITY)
    assert person is not None
    assert full_name(person) == "Test visitor"


@pytest.mark.requirement("A6")
async def test_a_cold_inbound_is_nobody_until_the_agent_puts_them_on_record() -> None:
    around = sandbox()
    assert await around.people.find(IDENTITY) is None
    created = await around.people.create(IDENTITY)
    assert await around.people.find(IDENTITY) == created
    assert await around.people.create(IDENTITY) == created


async def test_writing_to_nobody_is_refused() -> None:
    with pytest.raises(NotFound):
        await sandbox().people.write("nobody", "status", "lead")


@pytest.mark.requirement("A11")
async def test_nothing_is_left_when_the_case_is_over() -> None:
    around = sandbox(case(person=ANA))
    await around.conversations.save(ConversationState(conversation="c", channel=Channel.WEB, identity=IDENTITY))
    assert list(await around.close()) == []
    assert await around.people.find(IDENTITY) is None
    assert await around.conversations.load("c") is None
    assert list(await around.close()) == []


@pytest.mark.requirement("A5", "A7")
async def test_a_hundred_sandboxes_at_once_share_nothing() -> None:
    """C12: samples of one case, side by side."""
    start = case(person=ANA, world={"mocks": [{"tool": "get_order", "results": ["a", "b"]}]})
    counting = tool()

    async def play(number: int) -> tuple[object, ...]:
        around = sandbox(start, conversation=f"booking/saturday/{number}")
        person = await around.people.find(IDENTITY)
        assert person is not None
        await around.people.write(person.person_id, "party_size", number)
        heard = [(await ask(around.tools, counting)).result]
        await asyncio.wait([asyncio.ensure_future(around.notify.team("x"))])
        heard.append((await ask(around.tools, counting)).result)
        found = await around.people.find(IDENTITY)
        await around.close()
        return person.person_id, found and found.fields["party_size"], *heard

    played = await asyncio.gather(*(play(number) for number in range(100)))
    assert played == [(f"booking/saturday/{number}/person-1", number, "a", "b") for number in range(100)]


@pytest.mark.requirement("A8")
async def test_what_would_leave_is_captured() -> None:
    around = sandbox()
    told = await around.notify.team("New call booked for Tuesday 2 pm")
    handed = await around.hand_overs.hand_over("wants a person")
    moved = await around.hand_overs.transfer("billing", "Dana")
    assert [(effect.effect.value, effect.summary, effect.captured) for effect in (told, handed, moved)] == [
        ("notify", "New call booked for Tuesday 2 pm", True),
        ("handed_over", "wants a person", True),
        ("transferred", "Dana: billing", True),
    ]


async def test_the_time_of_a_case_stands_still_and_its_limits_do_not() -> None:
    """T30: tomorrow is the case's tomorrow; durations are real."""
    start = case(world={"now": "2026-02-28T23:59:00-05:00"})
    around = sandbox(start)
    assert (around.clock.now() + timedelta(days=1)).date().isoformat() == "2026-03-01"
    assert around.clock.now() == around.clock.now()
    before = around.clock.monotonic()
    await around.clock.sleep(0.001)
    assert around.clock.monotonic() > before
    assert around.clock.new_id("x") != around.clock.new_id("x")
    assert 0 <= around.clock.chance() < 1


def test_a_time_without_an_offset_is_the_agent_s() -> None:
    from_agent = sandbox(case(world={"now": "2026-02-28T12:00:00"}), agent=desk(time_zone="America/New_York"))
    assert from_agent.clock.now().isoformat() == "2026-02-28T12:00:00-05:00"


async def test_without_a_time_of_its_own_a_case_has_the_run_s() -> None:
    clock = FrozenClock(datetime(2026, 11, 30, tzinfo=UTC))
    assert sandbox(clock=clock).clock.now() == datetime(2026, 11, 30, tzinfo=UTC)
    assert isinstance(sandbox().clock, SystemClock)

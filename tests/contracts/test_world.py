"""What every world keeps, live or sandbox, and each of its ports (architecture: one conversation, two worlds)."""

import inspect
import pkgutil
from collections.abc import AsyncIterator, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import cast

import pytest
from tests.servers.webhooks import endpoint
from tests.world.makers import case, desk, live, live_side, tool

import greenroom.store
import greenroom.world
from greenroom.clock import SystemClock
from greenroom.conversation.calls import AnsweredBy, ToolKind
from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.json_values import Json
from greenroom.documents.scheduling import Weekday
from greenroom.errors import NotFound
from greenroom.models.model import AgentSays, RequestedCall, ToolAnswer, UserSays
from greenroom.store.opening import Store, open_store
from greenroom.world import ports
from greenroom.world.policy import case_world
from greenroom.world.ports import ConversationState, FreeTimes, NotScheduled, Scheduled, World
from greenroom.world.sandbox.world import Outside
from greenroom.world.webhooks import Webhooks

pytestmark = [
    pytest.mark.requirement("A8"),
    # Apprise still looks for a module of the standard library that goes with Python 3.13.
]

KINDS = ("live", "sandbox", "live-test")
STRANGER = "web:stranger"

IMPLEMENTATIONS: Mapping[str, Mapping[str, str]] = {
    "People": {"live": "LivePeople", "sandbox": "SandboxPeople", "live-test": "SandboxPeople"},
    "Notify": {"live": "LiveNotify", "sandbox": "SandboxNotify", "live-test": "SandboxNotify"},
    "Mail": {"live": "LiveMail", "sandbox": "SandboxMail", "live-test": "SandboxMail"},
    "HandOvers": {"live": "LiveHandOvers", "sandbox": "SandboxHandOvers", "live-test": "LiveHandOvers"},
    "Intake": {"live": "LiveIntake", "sandbox": "SandboxIntake", "live-test": "SandboxIntake"},
    "Scheduling": {"live": "AgentScheduling", "sandbox": "AgentScheduling", "live-test": "AgentScheduling"},
    "Tools": {"live": "LiveTools", "sandbox": "SandboxTools", "live-test": "SandboxTools"},
    "Conversations": {"live": "Conversations", "sandbox": "SandboxConversations", "live-test": "LeavingWithTurns"},
}
"""Every implementation of every port, by the world in which this suite runs it."""
PARTS = {
    "People": "people",
    "Notify": "notify",
    "Mail": "mail",
    "HandOvers": "hand_overs",
    "Intake": "intake",
    "Scheduling": "scheduling",
    "Tools": "tools",
    "Conversations": "conversations",
}


ALWAYS_OPEN = desk(
    scheduling={"hours": {day: [{"opens": 0, "closes": 1440}] for day in Weekday}},
    representatives={"dana": {"name": "Dana"}, "lee": {"name": "Lee"}},
)


@pytest.fixture
async def webhooks() -> AsyncIterator[Webhooks]:
    opened = Webhooks()
    yield opened
    await opened.close()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await open_store("sqlite:///greenroom.db", tmp_path)
    yield opened
    await opened.close()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def world(kind: str, store: Store, webhooks: Webhooks) -> World:
    """One world of each kind, for a stranger; in the sandbox its tools may reach their endpoints."""
    if kind == "live":
        return live(store, webhooks, agent=ALWAYS_OPEN)
    return case_world(
        agent=ALWAYS_OPEN,
        case=case(world={"mock": "none", "policy": kind}),
        clock=SystemClock(),
        conversation="talk-1",
        identity=STRANGER,
        outside=Outside(environment={}, webhooks=webhooks),
        live=live_side(store),
    )


async def test_a_stranger_is_nobody_until_put_on_record_once(world: World) -> None:
    assert await world.people.find(STRANGER) is None
    person = await world.people.create(STRANGER)
    assert await world.people.find(STRANGER) == person
    assert await world.people.create(STRANGER) == person
    assert await world.people.find("web:somebody-else") is None


@pytest.mark.parametrize(
    ("field", "value", "summary"),
    [
        ("status", "lead", "status = lead"),
        ("party_size", 6, "party_size = 6"),
        ("windy", False, "windy = false"),
        ("note", None, "note = null"),
        ("extras", ["cooler", "é 🚤"], 'extras = ["cooler", "é 🚤"]'),
    ],
)
async def test_a_written_field_is_read_back_and_shown(world: World, field: str, value: Json, summary: str) -> None:
    person = await world.people.create(STRANGER)
    written = await world.people.write(person.person_id, field, value)
    found = await world.people.find(STRANGER)
    assert found == written.person
    assert found is not None
    assert (getattr(found, field) if field == "status" else found.fields[field]) == value
    assert (written.effect.effect, written.effect.summary) == (EffectKind.PERSON, summary)
    assert written.effect.data == {"person": person.person_id, "field": field, "value": value}


async def test_contact_details_are_read_back_from_the_person_and_shown(world: World) -> None:
    person = await world.people.create(STRANGER)
    effect = await world.intake.contact(person.person_id, {"first_name": "Ana", "email": "ana@example.com"})
    found = await world.people.find(STRANGER)
    assert found is not None
    assert (found.first_name, found.email) == ("Ana", "ana@example.com")
    assert (effect.effect, effect.summary) == (EffectKind.CONTACT, "first_name = Ana, email = ana@example.com")
    assert effect.data["person"] == person.person_id


async def test_contact_details_of_nobody_on_record_put_nobody_on_record(world: World) -> None:
    effect = await world.intake.contact(None, {"phone": "+15550100"})
    assert (effect.effect, effect.summary, effect.data["person"]) == (EffectKind.CONTACT, "phone = +15550100", None)
    assert await world.people.find(STRANGER) is None


async def test_a_form_is_shown_with_its_id_and_values(world: World) -> None:
    effect = await world.intake.form("refund-request", {"order": "W100", "amount": 4.5, "urgent": True})
    assert (effect.effect, effect.summary) == (EffectKind.FORM, "order = W100, amount = 4.5, urgent = true")
    assert (effect.data["form"], effect.data["values"]) == (
        "refund-request",
        {"order": "W100", "amount": 4.5, "urgent": True},
    )


async def test_writing_to_somebody_unknown_is_refused(world: World) -> None:
    with pytest.raises(NotFound):
        await world.people.write("person-0", "status", "lead")


async def test_every_effect_says_what_happened_and_whether_it_was_captured(world: World, kind: str) -> None:
    """A9: the same list, live and captured."""
    person = await world.people.create(STRANGER)
    effects = [
        (await world.people.write(person.person_id, "status", "lead")).effect,
        await world.notify.team("New call booked for Tuesday 2 pm"),
        await world.hand_overs.hand_over("wants a person"),
        await world.hand_overs.transfer("billing", "Dana"),
        await world.hand_overs.transfer("billing", ""),
    ]
    assert [(effect.effect.value, effect.summary) for effect in effects] == [
        ("person", "status = lead"),
        ("notify", "New call booked for Tuesday 2 pm"),
        ("handed_over", "wants a person"),
        ("transferred", "Dana: billing"),
        ("transferred", "billing"),
    ]
    handed_over = {"handed_over", "transferred"}
    for effect in effects:
        is_real = kind == "live" or (kind == "live-test" and effect.effect in handed_over)
        assert effect.captured is not is_real


async def test_an_appointment_is_made_moved_and_taken_back_and_read_back(world: World, kind: str) -> None:
    person = (await world.people.create(STRANGER)).person_id
    other = (await world.people.create("web:other")).person_id
    scheduling = world.scheduling
    found = await scheduling.free_times(most=3)
    assert isinstance(found, FreeTimes)
    first, second, third = (time.start for time in found.times)
    booked = await scheduling.book(person_id=person, title="Boat", start=first)
    assert isinstance(booked, Scheduled)
    assert await scheduling.of_person(person) == (booked.appointment,)
    again = await scheduling.book(person_id=other, title="Boat", start=first, representative="dana")
    assert isinstance(again, NotScheduled)
    moved = await scheduling.move(booked.appointment.appointment_id, person_id=person, start=third)
    assert isinstance(moved, Scheduled)
    assert (moved.appointment.start, moved.appointment.representative) == (third, "dana")
    freed = await scheduling.book(person_id=other, title="Boat", start=first, representative="dana")
    assert isinstance(freed, Scheduled)
    assert isinstance(await scheduling.move("nothing", person_id=person, start=second), NotScheduled)
    cancelled = await scheduling.cancel(moved.appointment.appointment_id, person_id=person)
    assert isinstance(cancelled, Scheduled)
    assert await scheduling.of_person(person) == (cancelled.appointment,)
    assert isinstance(await scheduling.cancel(moved.appointment.appointment_id, person_id=person), NotScheduled)
    effects = [booked.effect, moved.effect, cancelled.effect]
    assert [each.effect.value for each in effects] == ["booked", "moved", "cancelled"]
    assert {each.captured for each in effects} == {kind == "sandbox"}
    assert [each.data["status"] for each in effects] == ["booked", "booked", "cancelled"]


async def test_a_call_comes_back_with_its_answer(world: World) -> None:
    async with endpoint() as here:
        asked = tool(url=here.url + "/orders/{id}")
        answer = await world.tools.call(name="get_order", tool=asked, call_id="call-7", arguments={"id": "1"})
    assert (answer.call_id, answer.tool, answer.arguments, answer.tool_kind) == (
        "call-7",
        "get_order",
        {"id": "1"},
        ToolKind.WEBHOOK,
    )
    assert (answer.answered_by, answer.result, answer.status, answer.error) == (
        AnsweredBy.REAL,
        {"ok": True},
        200,
        None,
    )


@pytest.mark.parametrize(
    "written",
    [
        {"url": "http://127.0.0.1:9/"},
        {"url": "http://127.0.0.1:9/{id}"},
        {"url": "nonsense"},
        {"url": "http://127.0.0.1:9/", "headers": {"X": "${NOWHERE}"}},
        {"kind": "client"},
        {"kind": "integration"},
        {},
    ],
)
async def test_a_call_never_raises_for_what_its_endpoint_did(world: World, written: dict[str, object]) -> None:
    answer = await world.tools.call(name="get_order", tool=tool(**written), call_id="1", arguments={})
    assert answer.error
    assert answer.result == "The tool is not available at the moment."


@pytest.mark.requirement("C8")
async def test_a_tool_that_nobody_waits_for_is_acknowledged_and_called_when_its_time_has_come(
    world: World, kind: str
) -> None:
    """In a sandbox before it closes; live with the turn, so not by the world at all."""
    async with endpoint() as here:
        asked = tool(url=here.url, waits=False, method="POST")
        answer = await world.tools.call(name="log", tool=asked, call_id="1", arguments={"a": 1})
        await world.close()
        assert [one.body for one in here.received] == ([] if kind == "live" else ['{"a":1}'])
    assert (answer.result, answer.error) == ("The call was accepted. There will be no answer.", None)


async def test_a_built_in_action_for_which_nothing_is_prepared_goes_its_way(world: World) -> None:
    assert await world.tools.intercept(name="notify_team", call_id="1", arguments={"text": "x"}) is None


async def test_a_conversation_is_remembered_as_it_was(world: World) -> None:
    state = ConversationState(
        conversation="talk-1",
        channel=Channel.SMS,
        identity=STRANGER,
        person_id="person-1",
        playbook="booking",
        messages=(
            UserSays(text="hi 🚤"),
            AgentSays(calls=(RequestedCall(call_id="1", tool="get_order", arguments={"id": [1, None]}),)),
            ToolAnswer(call_id="1", tool="get_order", text="{}", failed=True),
        ),
        turns=2,
        ended="resolved",
        seen=("m1", "m2"),
    )
    assert await world.conversations.load("talk-1") is None
    await world.conversations.save(state)
    assert await world.conversations.load("talk-1") == state
    later = ConversationState(conversation="talk-1", channel=Channel.SMS, identity=STRANGER, turns=3)
    await world.conversations.save(later)
    assert await world.conversations.load("talk-1") == later


async def test_the_clock_knows_its_time_zone(world: World) -> None:
    assert world.clock.now().tzinfo is not None


async def test_a_world_may_be_closed_twice(world: World) -> None:
    assert list(await world.close()) == []
    assert list(await world.close()) == []


def test_this_suite_runs_every_implementation_of_each_port(kind: str, world: World) -> None:
    running = {port: type(getattr(world, part)).__name__ for port, part in PARTS.items()}
    assert running == {port: listed[kind] for port, listed in IMPLEMENTATIONS.items()}


@pytest.mark.parametrize("port", IMPLEMENTATIONS)
def test_no_implementation_of_a_port_goes_unlisted(port: str) -> None:
    members = cast("Mapping[str, object]", vars(getattr(ports, port)))
    wanted = {name for name in members if not name.startswith("_")}
    found = {one.__name__ for one in _classes() if wanted <= set(dir(one))}
    # What the people of a world stand on, and what sends messages: a store and a sender are no world.
    assert found - {"People", "MemoryPeople", "Outbound"} == set(IMPLEMENTATIONS[port].values())


def test_there_are_two_worlds_and_a_live_test_is_made_of_both() -> None:
    worlds = {one.__name__ for one in _classes() if one.__name__.endswith("World")}
    assert worlds == {"LiveWorld", "SandboxWorld", "LiveTestWorld"}


def _classes() -> Iterator[type]:
    """Every class that is defined in the world or the store, protocols aside."""
    for package in (greenroom.world, greenroom.store):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations." in found.name:
                continue
            module = import_module(found.name)
            for _, one in inspect.getmembers(module, inspect.isclass):
                if one.__module__ == found.name and not getattr(one, "_is_protocol", False):
                    yield one

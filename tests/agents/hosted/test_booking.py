"""What the agent does with `find_times`, `book_appointment`, `move_appointment` and `cancel_appointment` (issue 4)."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.stage import PlayedModel, Stage, calls, desk, says, world_of

from greenroom.clock import FrozenClock
from greenroom.conversation.calls import ToolCall
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said, Tap, TapKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message, TimePicker
from greenroom.conversation.transcript import render_transcript
from greenroom.conversation.turns import Turn
from greenroom.documents.agent import Agent
from greenroom.documents.suite import PersonStart
from greenroom.models.model import ModelAnswer, ModelRequest, ToolAnswer, UserSays
from greenroom.personas.script import labels_shown
from greenroom.world.sandbox.world import SandboxWorld

ZONES = (ZoneInfo("America/Chicago"), ZoneInfo("Europe/Berlin"))
"""Read from their files here: documents read them when they are loaded, which happens in a thread."""
FRIDAY = datetime(2026, 6, 5, 17, 30, tzinfo=UTC)
"""12:30 in Chicago."""
NO_TIME = "`{}` is a time such as 2026-06-06T14:00, not '{}'; nothing was done"
pytestmark = pytest.mark.requirement("A3", "A5", "A8")


def lake(**given: object) -> Agent:
    """In Chicago, open on Saturday and Sunday from 9 to 13, with two people on the team."""
    hours: Json = {day: [{"opens": 540, "closes": 780}] for day in ("sat", "sun")}
    whole = {
        "time_zone": "America/Chicago",
        "scheduling": {"hours": hours, "offer": 3},
        "representatives": {"dana": {"name": "Dana Whitfield"}, "lee": {"name": "Lee"}},
        "people": {"fields": {"time_zone": {"type": "string"}}},
    }
    return desk(**{**whole, **given})


def stage(agent: Agent, model: PlayedModel, person: PersonStart | None = None, now: datetime = FRIDAY) -> Stage:
    world: SandboxWorld = world_of(agent, person=person, clock=FrozenClock(now))
    return Stage(agent, model, world=world)


async def played(
    *wanted: tuple[str, Json],
    agent: Agent | None = None,
    person: PersonStart | None = None,
    now: datetime = FRIDAY,
    channel: Channel = Channel.WEB,
) -> Turn:
    """The turn in which a model makes these calls, one after another."""
    left = list(wanted)

    def answering(_: ModelRequest) -> ModelAnswer:
        return calls(left.pop(0)) if left else says("There you are.")

    session = await stage(agent or lake(), PlayedModel(answering), person, now).opened(channel)
    return await session.send(Said(text="A boat, please"))


def answers(turn: Turn) -> Sequence[Json]:
    return [call.error or call.result for call in turn.entries if isinstance(call, ToolCall)]


def picker(turn: Turn) -> Mapping[str, str]:
    """What the person may tap: labels to starts."""
    messages = [entry for entry in turn.entries if isinstance(entry, Message)]
    slots = [part.slots for message in messages for part in message.parts if isinstance(part, TimePicker)]
    return {slot.label: slot.start for slot in slots[0]} if slots else {}


async def test_times_are_shown_to_tap_and_told_to_the_model_with_their_start() -> None:
    turn = await played(("find_times", {}))
    assert picker(turn) == {
        "Sat 6 June, 09:00": "2026-06-06T09:00-05:00",
        "Sat 6 June, 10:00": "2026-06-06T10:00-05:00",
        "Sat 6 June, 11:00": "2026-06-06T11:00-05:00",
    }
    (told,) = answers(turn)
    assert isinstance(told, Mapping)
    assert told["times"] == [
        {"start": start, "label": label, "representative": "dana"} for label, start in picker(turn).items()
    ]
    assert "[time picker, 3 slots: Sat 6 June, 09:00 | Sat 6 June, 10:00 | Sat 6 June, 11:00]" in render_transcript([
        turn
    ])


async def test_a_tap_on_a_time_reaches_the_agent_as_its_start_and_is_booked() -> None:
    def answering(request: ModelRequest) -> ModelAnswer:
        last = request.messages[-1]
        if isinstance(last, ToolAnswer):
            return says("Done." if last.tool == "book_appointment" else "When suits you?")
        assert isinstance(last, UserSays)
        if last.text.startswith("2026-"):
            return calls(("book_appointment", {"start": last.text, "title": "Powerboat", "representative": "lee"}))
        return calls(("find_times", {}))

    session = await stage(lake(), PlayedModel(answering)).opened()
    shown = await session.send(Said(text="A boat, please"))
    label = labels_shown(shown)[1]
    booked = await session.send(Tap(tapped=TapKind.SLOT, label=label, value=picker(shown)[label]))
    assert "[booked: Powerboat, Sat 6 June 2026, 10:00–11:00, with Lee]" in render_transcript([booked])


@pytest.mark.parametrize(
    ("wanted", "first"),
    [
        ({"from": "2026-06-07"}, "2026-06-07T09:00-05:00"),
        ({"from": "2026-06-06", "to": "2026-06-06"}, "2026-06-06T09:00-05:00"),
        ({"from": "2026-06-06T10:30"}, "2026-06-06T11:00-05:00"),
        ({"from": "2026-06-06T17:00+02:00"}, "2026-06-06T10:00-05:00"),
        ({"to": "2026-06-06T10:00"}, "2026-06-06T09:00-05:00"),
        ({"from": "2020-01-01"}, "2026-06-06T09:00-05:00"),
    ],
)
async def test_days_and_moments_bound_what_is_found(wanted: Json, first: str) -> None:
    assert next(iter(picker(await played(("find_times", wanted))).values())) == first


@pytest.mark.parametrize(
    ("action", "wanted", "why"),
    [
        ("find_times", {"from": "Saturday"}, NO_TIME.format("from", "Saturday")),
        ("find_times", {"from": "0001-01-01T00:00+14:00"}, NO_TIME.format("from", "0001-01-01T00:00+14:00")),
        ("find_times", {"from": "2026-06-07", "to": "2026-06-06"}, "`to` is before `from`; nothing was done"),
        ("book_appointment", {"start": "at two", "title": "B"}, NO_TIME.format("start", "at two")),
        (
            "book_appointment",
            {"start": "2027-03-14T02:30", "title": "B"},
            "no clock shows 2027-03-14T02:30 there: clocks are put forward then; nothing was done",
        ),
        ("cancel_appointment", {}, "this person has no appointment to come; nothing was done"),
        (
            "cancel_appointment",
            {"appointment": "appointment-7"},
            "there is no appointment 'appointment-7'; this person has none to come",
        ),
    ],
)
async def test_what_can_not_be_done_is_told_to_the_model(action: str, wanted: Json, why: str) -> None:
    turn = await played((action, wanted))
    assert answers(turn) == [why]
    assert picker(turn) == {}


@settings(max_examples=60, deadline=None)
@given(
    action=st.sampled_from(["find_times", "book_appointment", "move_appointment"]),
    written=st.one_of(st.datetimes().map(str), st.dates().map(str), st.text(max_size=30), st.just("9999-12-31T23:59Z")),
    other=st.one_of(st.datetimes(timezones=st.timezones()).map(str), st.dates().map(str)),
)
def test_whatever_a_model_writes_for_a_time_is_answered(action: str, written: str, other: str) -> None:
    wanted: Json = {"from": written, "to": other} if action == "find_times" else {"start": written or "x"}
    if action == "book_appointment":
        wanted = {**wanted, "title": "Boat"}
    (answer,) = answers(asyncio.run(played((action, wanted))))
    assert answer


async def test_when_nothing_is_free_the_model_hears_what_is_next_and_the_person_sees_nothing() -> None:
    turn = await played(("find_times", {"from": "2026-06-08", "to": "2026-06-12"}))
    assert answers(turn) == ["nothing is free then; the next free time is 2026-06-13T09:00-05:00; nothing was shown"]
    assert picker(turn) == {}


async def test_somebody_who_has_a_representative_is_offered_their_times_unless_another_is_named() -> None:
    ana = PersonStart(first_name="Ana", representative="lee")
    book: Json = {"start": "2026-06-06T09:00", "title": "Boat"}
    turn = await played(("book_appointment", book), ("find_times", {}), person=ana)
    assert "with Lee" in render_transcript([turn])
    assert next(iter(picker(turn))) == "Sat 6 June, 10:00"
    turn = await played(("book_appointment", {**book, "representative": "dana"}), ("find_times", {}), person=ana)
    assert "with Dana Whitfield" in render_transcript([turn])
    assert next(iter(picker(turn))) == "Sat 6 June, 09:00"


async def test_an_appointment_is_moved_and_cancelled_without_its_id_when_there_is_one_only() -> None:
    turn = await played(
        ("book_appointment", {"start": "2026-06-06T09:00", "title": "Boat"}),
        ("move_appointment", {"start": "2026-06-07T09:00"}),
        ("book_appointment", {"start": "2026-06-06T10:00", "title": "Canoe"}),
        ("cancel_appointment", {}),
        ("cancel_appointment", {"appointment": "appointment-1"}),
    )
    assert answers(turn)[3] == (
        "say which `appointment` is meant: appointment-2 (Canoe, Sat 6 June 2026, 10:00–11:00), "
        "appointment-1 (Boat, Sun 7 June 2026, 09:00–10:00); nothing was done"
    )
    assert [line for line in render_transcript([turn]).split("\n") if line.startswith("[")] == [
        "[booked: Boat, Sat 6 June 2026, 09:00–10:00, with Dana Whitfield]",
        "[moved: Boat, Sun 7 June 2026, 09:00–10:00, with Dana Whitfield, instead of Sat 6 June 2026, 09:00]",
        "[booked: Canoe, Sat 6 June 2026, 10:00–11:00, with Dana Whitfield]",
        "[cancelled: Boat, Sun 7 June 2026, 09:00–10:00, with Dana Whitfield]",
    ]


async def test_somebody_elsewhere_sees_times_by_their_own_clock() -> None:
    """The zone is told, since the business's clock shows another time."""
    berlin = PersonStart(first_name="Ana", fields={"time_zone": "Europe/Berlin"})
    turn = await played(
        ("find_times", {"from": "2026-06-06T17:00"}),
        ("book_appointment", {"start": "2026-06-06T17:00", "title": "Boat"}),
        person=berlin,
    )
    assert picker(turn) == {
        "Sat 6 June, 17:00 (CEST)": "2026-06-06T17:00+02:00",
        "Sat 6 June, 18:00 (CEST)": "2026-06-06T18:00+02:00",
        "Sat 6 June, 19:00 (CEST)": "2026-06-06T19:00+02:00",
    }
    assert "[booked: Boat, Sat 6 June 2026, 10:00–11:00, with Dana Whitfield]" in render_transcript([turn])
    nowhere = PersonStart(first_name="Ana", fields={"time_zone": "Mars/Olympus"})
    assert next(iter(picker(await played(("find_times", {}), person=nowhere)))) == "Sat 6 June, 09:00"


async def test_an_hour_shown_twice_is_told_apart_and_can_be_meant_either_way() -> None:
    hours: Json = {"sun": [{"opens": 60, "closes": 120}]}
    agent = lake(scheduling={"hours": hours, "clock": "12h", "offer": 3}, representatives={})
    book: Json = {"start": "2026-11-01T01:00", "title": "Boat"}
    turn = await played(
        ("find_times", {}),
        ("book_appointment", {**book, "start": "2026-11-01T01:00-05:00"}),
        ("cancel_appointment", {}),
        ("book_appointment", book),
        agent=agent,
        now=datetime(2026, 10, 31, 12, tzinfo=UTC),
    )
    assert list(picker(turn)) == [
        "Sun 1 November, 1:00 am (CDT)",
        "Sun 1 November, 1:00 am (CST)",
        "Sun 8 November, 1:00 am",
    ]
    last = answers(turn)[-1]
    assert isinstance(last, Mapping)
    booked = last["booked"]
    assert isinstance(booked, Mapping)
    assert booked["start"] == "2026-11-01T01:00:00-05:00"


async def test_the_year_is_told_when_it_is_another() -> None:
    turn = await played(("find_times", {}), now=datetime(2026, 12, 31, 12, tzinfo=UTC))
    assert next(iter(picker(turn))) == "Sat 2 January 2027, 09:00"


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        (Channel.SMS, "- Sat 6 June, 09:00\n- Sat 6 June, 10:00\n- Sat 6 June, 11:00"),
        (Channel.PHONE_INBOUND, "There is Sat 6 June, 09:00, Sat 6 June, 10:00 or Sat 6 June, 11:00."),
    ],
)
async def test_a_channel_without_pickers_shows_times_in_words(channel: Channel, words: str) -> None:
    assert words in render_transcript([await played(("find_times", {}), channel=channel)])


async def test_a_stranger_who_is_not_put_on_record_can_look_and_not_book() -> None:
    turn = await played(
        ("find_times", {}),
        ("book_appointment", {"start": "2026-06-06T09:00", "title": "Boat"}),
        agent=lake(people={"auto_create": False}),
    )
    assert len(picker(turn)) == 3
    assert answers(turn)[1] == ("this person isn't on record and strangers are not put on record; nothing was done")


async def test_the_agent_reads_which_appointments_the_person_has_to_come() -> None:
    """In the turn after it; the one rendering of a person has them, and one that is over or cancelled is not there."""
    asked: list[str] = []
    left = [("book_appointment", {"start": "2026-06-06T09:00", "title": "Boat", "notes": "wants a cooler"})]

    def answering(request: ModelRequest) -> ModelAnswer:
        asked.append(request.system)
        return calls(left.pop()) if left else says("Fine.")

    session = await stage(lake(), PlayedModel(answering), PersonStart(first_name="Ana")).opened()
    await session.send(Said(text="A boat at nine"))
    await session.send(Said(text="What have I booked?"))
    line = "\nAppointment: Boat, Sat 6 June 2026, 09:00–10:00, with dana (id appointment-1)\n"
    assert (line in asked[0], line in asked[-1]) == (False, True)


def test_only_an_agent_with_scheduling_is_offered_its_actions() -> None:
    names = Stage(desk(), PlayedModel(lambda _: says("x"))).agent.offer(None, Channel.WEB).names
    assert not any("appointment" in name or name == "find_times" for name in names)
    offer = Stage(lake(), PlayedModel(lambda _: says("x"))).agent.offer(None, Channel.WEB)
    assert [spec.name for spec in offer.specs][-6:-2] == [
        "find_times",
        "book_appointment",
        "move_appointment",
        "cancel_appointment",
    ]
    book = next(spec for spec in offer.specs if spec.name == "book_appointment").parameters
    assert orjson.loads(orjson.dumps(book))["properties"]["representative"]["enum"] == ["dana", "lee"]


def test_when_appointments_may_be_stands_in_the_prompt_and_in_the_digest() -> None:
    agent = lake(
        scheduling={
            "hours": {"sat": [{"opens": 540, "closes": 780}], "sun": [{"opens": 1320, "closes": 1560}]},
            "closed": ["2026-12-25"],
        },
        representatives={
            "dana": {"name": "Dana Whitfield"},
            "lee": {"name": "Lee", "time_zone": "America/New_York", "hours": {}},
        },
    )
    told = (
        "- 60 minutes each; hours are America/Chicago unless another zone is named\n"
        "- Dana Whitfield: sat 09:00-13:00; sun 22:00-02:00\n"
        "- Lee: never (America/New_York)\n"
        "- closed: 2026-12-25"
    )
    hosted = Stage(agent, PlayedModel(lambda _: says("x"))).agent
    prompt = hosted.layout(None, Channel.WEB).prompt(None, FRIDAY, {})
    assert f"# Appointments\n{told}\n" in prompt
    assert f"Appointments:\n{told}" in hosted.digest
    assert "ppointments" not in Stage(desk(), PlayedModel(lambda _: says("x"))).agent.digest

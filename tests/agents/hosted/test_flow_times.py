"""Flows that offer times, and book, move and cancel appointments (features.md A5, A8)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from tests.agents.flows import on_stage, shown
from tests.agents.stage import Stage, in_turn, says, world_of
from tests.builders import agent as read_agent

from greenroom.agents.hosted.session import HostedSession
from greenroom.clock import FrozenClock
from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.events import Said, Tap, TapKind
from greenroom.conversation.messages import TimePicker
from greenroom.conversation.turns import Turn
from greenroom.documents.agent import Agent
from greenroom.documents.mocks import Mock

pytestmark = pytest.mark.requirement("A3", "A8")

ZONES = (ZoneInfo("America/Chicago"),)
"""Read from its file here, as documents are read in a thread."""
FRIDAY = datetime(2026, 6, 5, 17, 30, tzinfo=UTC)
"""12:30 in Chicago."""
BOOKING: Sequence[object] = [
    {
        "ask": {"text": "When?", "slots": {}, "as": "slot"},
        "if_none": [{"say": "Nothing is free."}, {"end": "agent_ended"}],
    },
    {"book": {"title": "Powerboat", "start": "{{slot}}", "as": "booking"}, "otherwise": [{"say": "That is taken."}]},
    {"say": "See you {{slot.label}} for {{booking.title}}: {{booking}}."},
]


def lake(flow: Sequence[object], **given: object) -> Agent:
    written: dict[str, object] = {
        "time_zone": "America/Chicago",
        "scheduling": {"hours": {"weekend": "09:00-13:00"}, "offer": 3},
        "representatives": {"dana": {"name": "Dana Whitfield"}, "lee": {"name": "Lee"}},
        "playbooks": {"booking": {"flow": flow}},
    }
    return read_agent(**{**written, **given})


def stage(agent: Agent, **given: object) -> Stage:
    world = world_of(agent, clock=FrozenClock(FRIDAY), **given)  # pyright: ignore[reportArgumentType]
    return on_stage(agent, world=world)


def picked(turn: Turn, number: int) -> Tap:
    (slots,) = [part.slots for message in turn.messages for part in message.parts if isinstance(part, TimePicker)]
    return Tap(tapped=TapKind.SLOT, label=slots[number].label, value=slots[number].start)


async def booked(session: HostedSession) -> Turn:
    return await session.send(picked(await session.send(Said(text="A boat, please")), 1))


async def test_a_time_is_picked_and_booked_without_a_model() -> None:
    session = await stage(lake(BOOKING)).opened()

    first = await session.send(Said(text="A boat, please"))
    second = await session.send(picked(first, 1))

    assert [part.kind for message in first.messages for part in message.parts] == ["text", "time_picker"]
    assert first.calls == ()
    (call,) = second.calls
    assert call.tool == "book_appointment"
    assert call.arguments == {"title": "Powerboat", "start": "2026-06-06T10:00-05:00", "representative": "dana"}
    assert [effect.effect for effect in second.effects] == [EffectKind.BOOKED]
    assert shown(second) == ["See you Sat 6 June, 10:00 for Powerboat: Powerboat, Sat 6 June, 10:00."]


@pytest.mark.parametrize("said", ["sat 6 june, 10:00", "2026-06-06T10:00", "2026-06-06T15:00+00:00"])
async def test_a_time_may_be_written_by_its_label_or_as_the_same_moment(said: str) -> None:
    session = await stage(lake(BOOKING)).opened(Channel.SMS)
    first = await session.send(Said(text="A boat, please"))

    second = await session.send(Said(text=said))

    assert shown(first) == ["When?\n- Sat 6 June, 09:00\n- Sat 6 June, 10:00\n- Sat 6 June, 11:00"]
    assert [call.error for call in second.calls] == [None]


async def test_a_time_that_was_taken_meanwhile_goes_otherwise() -> None:
    agent = lake([*BOOKING[:2], {"say": "Done."}], representatives={})
    here = stage(agent)
    session = await here.opened()
    first = await session.send(Said(text="A boat, please"))
    person = await here.world.people.find("visitor-1")
    assert person is not None
    await here.world.scheduling.book(
        person_id=person.person_id, title="Other", start=datetime.fromisoformat(picked(first, 1).value)
    )

    second = await session.send(picked(first, 1))

    assert shown(second) == ["That is taken.", "Done."]
    assert second.calls[0].error is not None


async def test_days_and_representatives_may_come_of_earlier_answers() -> None:
    flow = [
        {"ask": {"text": "Which day?", "type": "date", "as": "day"}},
        {"ask": {"text": "With whom?", "options": [{"label": "Lee", "value": "lee"}], "as": "whom"}},
        {"ask": {"text": "When?", "slots": {"day": "{{day}}", "representative": "{{whom}}"}, "as": "slot"}},
        {"say": "{{slot.representative}} {{slot.start}}"},
    ]
    session = await stage(lake(flow)).opened()
    for text in ("Hi", "on 2026-06-07", "Lee"):
        turn = await session.send(Said(text=text))

    assert shown(await session.send(picked(turn, 0))) == ["lee 2026-06-07T09:00-05:00"]


async def test_when_nothing_is_free_its_branch_is_done() -> None:
    flow = [{"ask": {"text": "When?", "slots": "2026-06-08"}, "if_none": [{"say": "Nothing is free."}]}]
    session = await stage(lake(flow)).opened()

    assert shown(await session.send(Said(text="A boat"))) == ["Nothing is free."]


async def test_a_day_that_is_none_leaves_the_flow_with_what_is_wrong() -> None:
    agent = lake([{"ask": {"text": "When?", "slots": {"day": "{{system.channel}}"}}}])
    here = Stage(agent, in_turn(says("Which day?")), world=world_of(agent, clock=FrozenClock(FRIDAY)))
    session = await here.opened()

    assert shown(await session.send(Said(text="A boat"))) == ["Which day?"]
    assert "`from` is a time such as" in here.model.asked[0].system
    assert "`from` is a time such as" in session.records[-1].flow[-1].why


async def test_appointments_to_come_may_be_chosen_from_moved_and_cancelled() -> None:
    flow = [
        *BOOKING[:2],
        {"ask": {"text": "Which?", "options": {"from": "appointments"}, "as": "one"}},
        {"ask": {"text": "Till when?", "slots": {"from": "2026-06-07"}, "as": "other"}},
        {"move": {"appointment": "{{one.id}}", "start": "{{other}}", "as": "moved"}},
        {"say": "{{moved.label}}"},
        {"cancel": "{{one}}"},
        {"ask": {"text": "Which?", "options": {"from": "appointments"}}, "if_none": [{"say": "None is left."}]},
    ]
    session = await stage(lake(flow)).opened()

    which = await booked(session)
    when = await session.send(Said(text="powerboat, sat 6 june, 10:00"))
    last = await session.send(picked(when, 0))

    assert shown(which) == ["Which?", "options Powerboat, Sat 6 June, 10:00"]
    assert shown(last) == ["Powerboat, Sun 7 June, 09:00", "None is left."]
    assert [effect.effect for effect in last.effects] == [EffectKind.MOVED, EffectKind.CANCELLED]


async def test_a_case_may_answer_a_booking_in_its_place() -> None:
    agent = lake([{"book": {"title": "Boat", "start": "2026-06-06T09:00", "as": "one"}}, {"say": "{{one.title}}"}])
    mocks = [Mock.model_validate({"tool": "book_appointment", "result": {"title": "Mocked"}})]

    session = await stage(agent, mocks=mocks).opened()

    assert shown(await session.send(Said(text="Hi"))) == ["Mocked"]

"""Flows through the gateway: taps and words lead them, servers come and go in between, and so do revisions."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import cast

import aiohttp
import orjson
import pytest
from tests.projects import ProjectMaker
from tests.servers.gateway import (
    Answered,
    Channel,
    Held,
    desk_project,
    document_of,
    only_conversation,
    serving,
    started_process,
)
from tests.servers.webhooks import endpoint

from greenroom.clock import FrozenClock, SystemClock
from greenroom.conversation.records import FlowCame
from greenroom.operations.appointments import AppointmentsRequest, list_appointments
from greenroom.operations.context import opened
from greenroom.operations.gateway import open_gateway
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.operations.tick import tick

pytestmark = pytest.mark.requirement("A3")

FLOW: Sequence[object] = [
    {"ask": {"text": "Which booking?", "options": [{"label": "Kayak", "value": "B-2"}, "Canoe"], "as": "booking"}},
    {"ask": {"text": "Cancel it?", "confirm": ["Yes", "No"], "as": "sure"}},
    {"when": {"sure": "No"}, "do": [{"say": "Nothing changed."}, {"end": "resolved"}]},
    {"http": {"tool": "cancel", "with": {"id": "{{booking}}"}}},
    {"set": {"last_cancelled": "{{booking}}"}},
    {"say": "It is cancelled."},
]


def cancelling(root: Path, url: str, *, database: str | None = None, flow: Sequence[object] = FLOW) -> ProjectMaker:
    parameters = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    return desk_project(
        root,
        database=database,
        rules=[{"when": {"role": "agent"}, "reply": "Where were we?"}],
        agent={
            "tools": {"cancel": {"method": "POST", "url": url, "parameters": parameters}},
            "people": {"fields": {"last_cancelled": {}}},
            "playbooks": {"cancelling": {"flow": flow}},
        },
    )


def tap_in(answered: Answered, label: str) -> Mapping[str, object]:
    """The tap that came with a message, as a channel sends it back."""
    taps = [one for one in _mappings(answered.body["messages"]) if "tapped" in one and one.get("label") == label]
    return {"kind": "tap", **taps[0]}


def _mappings(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, dict):
        found = cast("Mapping[str, object]", value)
        yield found
        for inner in found.values():
            yield from _mappings(inner)
    elif isinstance(value, list):
        for item in cast("Sequence[object]", value):
            yield from _mappings(item)


async def test_taps_lead_a_flow_over_a_restart_of_the_server(tmp_path: Path, database_url: str) -> None:
    async with endpoint() as bookings:
        maker = cancelling(tmp_path, bookings.url, database=database_url)
        async with serving(maker) as (channel, _):
            first = await channel.said("cancel, please", message_id="a")
            second = await channel.event(tap_in(first, "Kayak"), message_id="b")
        async with serving(maker, published=False) as (channel, context):
            third = await channel.event(tap_in(second, "Yes"), message_id="c")
            again = await channel.event(tap_in(second, "Yes"), message_id="c")
            shown = await only_conversation(context)

    assert [answered.texts[0].splitlines()[0] for answered in (first, second, third)] == [
        "Which booking?",
        "Cancel it?",
        "It is cancelled.",
    ]
    assert again.body == third.body
    assert [orjson.loads(one.body) for one in bookings.received] == [{"id": "B-2"}]
    records = [kept.record for kept in shown.turns if kept.record is not None]
    assert [record.model_calls for record in records] == [()] * 3
    assert [one.came for one in records[-1].flow] == [FlowCame.ON, FlowCame.OTHERWISE, *[FlowCame.ON] * 3]


async def test_a_revision_that_changes_the_flow_in_the_middle_leaves_it_to_the_model(tmp_path: Path) -> None:
    maker = cancelling(tmp_path, "http://127.0.0.1:9/nobody")
    async with serving(maker) as (channel, context):
        first = await channel.said("cancel, please")
        document = document_of(maker)
        maker.write("agents/desk.yaml", {**document, "playbooks": {"cancelling": {"flow": [{"say": "New."}]}}})
        await publish(context, PublishRequest(agent="desk"))
        second = await channel.event(tap_in(first, "Kayak"))
        third = await channel.said("Hello?")

        shown = await only_conversation(context)

    assert second.texts == third.texts == ["Where were we?"]
    record = shown.turns[1].record
    assert record is not None
    assert "They were changed in the meantime" in record.prompt


async def test_a_revision_that_changes_something_else_goes_on_with_the_flow(tmp_path: Path) -> None:
    maker = cancelling(tmp_path, "http://127.0.0.1:9/nobody")
    async with serving(maker) as (channel, context):
        first = await channel.said("cancel, please")
        maker.write("agents/desk.yaml", {**document_of(maker), "greeting": "Welcome."})
        await publish(context, PublishRequest(agent="desk"))

        second = await channel.event(tap_in(first, "Kayak"))

    assert second.texts[0].startswith("Cancel it?")


@pytest.mark.slow
async def test_killed_in_the_middle_of_a_flow_the_event_is_served_once_by_the_next_server(
    tmp_path: Path, database_url: str
) -> None:
    held = Held()
    async with endpoint(held.answer) as bookings:
        maker = cancelling(tmp_path, bookings.url, database=database_url)
        async with maker.open() as context:
            await publish(context, PublishRequest(agent="desk"))
        async with started_process(maker) as server, aiohttp.ClientSession() as session:
            channel = Channel(url=server.url, session=session)
            second = await channel.event(tap_in(await channel.said("cancel, please"), "Kayak"))
            sending = asyncio.create_task(channel.event(tap_in(second, "Yes")))
            await asyncio.wait_for(held.came.wait(), 20)
            await server.kill()
            with pytest.raises(aiohttp.ClientError):
                await sending
        held.go.set()
        later = FrozenClock(SystemClock().now() + timedelta(minutes=2))
        async with opened(maker.root, environment=maker.environment, clock=later) as context:
            async with open_gateway(context) as gateway:
                assert (await tick(context, gateway)).served == 1
            shown = await only_conversation(context)

    keys = {one.headers["Idempotency-Key"] for one in bookings.received}
    assert (len(bookings.received), len(keys)) == (2, 1)
    last = shown.turns[-1]
    assert [type(entry).__name__ for entry in last.turn.entries] == ["ToolCall", "ToolCall", "Effect", "Message"]
    assert last.record is not None
    assert [one.at for one in last.record.flow] == ["2", "3", "4", "5", "6"]
    assert [kept.turn.index for kept in shown.turns] == [1, 2, 3]


LESSONS: Sequence[object] = [
    {"ask": {"text": "When?", "slots": {"day": ""}, "as": "slot"}},
    {"book": {"title": "Lesson", "start": "{{slot}}"}},
    {"say": "See you {{slot.label}}."},
]


@pytest.mark.requirement("A8")
async def test_a_time_that_is_picked_live_is_an_appointment_once(tmp_path: Path, database_url: str) -> None:
    maker = desk_project(
        tmp_path,
        database=database_url,
        agent={
            "scheduling": {"hours": {"daily": "09:00-17:00"}},
            "playbooks": {"lessons": {"flow": LESSONS}},
        },
    )
    async with serving(maker) as (channel, context):
        first = await channel.said("a lesson", message_id="a")
        picked = next(one for one in _mappings(first.body["messages"]) if one.get("tapped") == "slot")
        second = await channel.event({"kind": "tap", **picked}, message_id="b")
        again = await channel.event({"kind": "tap", **picked}, message_id="b")

        listed = await list_appointments(context, AppointmentsRequest())

    assert second.texts == again.texts == [f"See you {picked['label']}."]
    assert [one.appointment.title for one in listed.page.appointments] == ["Lesson"]

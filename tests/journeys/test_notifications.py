"""Telling the team at places that can't be told: nothing else waits for them."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.servers.gateway import Held, eventually, only_conversation, serving
from tests.servers.office import office
from tests.servers.webhooks import endpoint

from greenroom.conversation.sent import SentStatus
from greenroom.conversation.summaries import ErrandSummary
from greenroom.operations.context import Context
from greenroom.operations.gateway import open_gateway

pytestmark = [
    pytest.mark.requirement("A8"),
    # Apprise still looks for a module of the standard library that goes with Python 3.13.
]


async def errands(context: Context) -> Sequence[ErrandSummary]:
    return (await only_conversation(context)).errands


async def test_an_address_that_is_none_is_told_and_stands_in_the_way_of_nothing(tmp_path: Path) -> None:
    async with endpoint() as team:
        desk = office(tmp_path, team=team, agent={"notifications": {"to": ["json://${PLACE}", "${TEAM}"]}})
        desk.environment["PLACE"] = "[not-a-host"
        trouble: list[str] = []
        async with serving(desk, trouble=trouble) as (channel, context):
            await channel.said("tell them")

            async def both_were_tried() -> bool:
                return all(one.error or one.status is SentStatus.SENT for one in await errands(context))

            await eventually(both_were_tried)
            async with open_gateway(context) as gateway:
                await gateway.jobs.errands_due()
            first, second = await errands(context)
    assert trouble == [
        "agent 'desk': the team is not told at address 1 of `notifications.to` (${PLACE}): something of it is missing "
        "or wrong; Apprise says at its service 'json' how it is written"
    ]
    assert first.status is SentStatus.WAITING
    assert first.error == "its address in `notifications.to` can't be read by Apprise"
    assert second.status is SentStatus.SENT


async def test_services_that_do_not_answer_keep_nobody_from_the_database(tmp_path: Path) -> None:
    """Apprise blocks a thread for each of its calls; the database is read in the loop's own threads."""
    held = Held()
    async with endpoint(held.answer) as silent:
        desk = office(tmp_path, team=silent, agent={"notifications": {"to": ["${TEAM}"] * 20}})
        async with serving(desk) as (channel, context):
            loop = asyncio.get_running_loop()
            loop.set_default_executor(ThreadPoolExecutor(max_workers=2))
            await channel.said("tell them")
            await asyncio.wait_for(held.came.wait(), 20)
            assert len(await errands(context)) == 20
            assert not any(one.error for one in await errands(context))
            held.go.set()

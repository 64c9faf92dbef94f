"""Calls that nobody waits for, when the case is over."""

import asyncio

import pytest
from aiohttp import web
from tests.servers.webhooks import endpoint
from tests.world.makers import ask, case, sandbox, tool

from greenroom.world.webhooks import Webhooks


@pytest.mark.requirement("C8", "F9")
async def test_a_cancelled_case_waits_for_no_call_that_nobody_waits_for() -> None:
    """Ctrl-C is at once, whatever the tool's timeout."""
    reached = asyncio.Event()

    async def silent(_request: web.Request) -> web.Response:
        reached.set()
        await asyncio.Event().wait()
        raise AssertionError

    webhooks = Webhooks()
    async with endpoint(silent) as here:
        around = sandbox(case(world={"mock": "none"}), webhooks=webhooks)

        async def talking() -> None:
            try:
                await ask(around.tools, tool(url=here.url, waits=False, timeout=600))
                await asyncio.Event().wait()
            finally:
                await around.close()

        talk = asyncio.create_task(talking())
        await reached.wait()
        talk.cancel()
        async with asyncio.timeout(10):
            await asyncio.wait([talk])
        await webhooks.close()
    assert talk.cancelled()

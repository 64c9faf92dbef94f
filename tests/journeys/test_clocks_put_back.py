"""A clock that was far ahead and was put right: what was put off till then is done now, and nobody waits so long."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.days import desk_at
from tests.journeys.live_desk import live_desk

pytestmark = pytest.mark.requirement("A1", "A8")

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
AHEAD = timedelta(days=400)


async def test_a_conversation_that_a_dead_process_holds_till_next_year_is_served(
    tmp_path: Path, database_url: str
) -> None:
    async with desk_at(tmp_path, NOW, agent={}, database=database_url) as desk:
        answer = await desk.says("one")
        desk.clock.at = NOW + AHEAD
        assert await desk.context.store.inbox().hold(answer.conversation, "dead")
        desk.clock.at = NOW
        async with asyncio.timeout(10):
            await desk.says("two")
        await desk.ticks()
        assert desk.texts == ["You said: one", "You said: two"]


async def test_a_message_that_was_put_off_till_next_year_leaves(tmp_path: Path) -> None:
    async with desk_at(tmp_path, NOW + AHEAD, agent={}) as desk:
        desk.down = True
        await desk.says("one")
        assert (await desk.ticks()).delivered == 1
        desk.down = False
        assert (await desk.ticks(NOW)).delivered == 1
        assert desk.texts == ["You said: one"] * 2


async def test_a_conversation_that_was_closed_next_year_is_reviewed(tmp_path: Path) -> None:
    desk = await live_desk(tmp_path, review=["The agent was polite."])
    desk.judged_by({"when": {"role": "judge"}, "verdicts": ["pass"]})
    now, desk.now = desk.now, desk.now + AHEAD
    await desk.closed("c")
    desk.now = now
    assert (await desk.tick()).reviewed == 1

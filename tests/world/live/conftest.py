"""A live world over a database of its own."""

from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import pytest
from tests.world.makers import UnderWay
from tests.world.makers import live as live_of

from greenroom.documents.agent import Agent
from greenroom.store.opening import open_store
from greenroom.world.live.world import LiveWorld
from greenroom.world.webhooks import Webhooks

NO_VARIABLES: Mapping[str, str] = {}


@pytest.fixture
def turn() -> UnderWay:
    """The turn that is served, with what is to leave with it."""
    return UnderWay(event="m1")


@pytest.fixture
async def live(tmp_path: Path, webhooks: Webhooks, turn: UnderWay) -> AsyncIterator[Callable[..., LiveWorld]]:
    """Makes the live world of a conversation of this agent."""
    store = await open_store("sqlite:///greenroom.db", tmp_path)

    def make(agent: Agent, environment: Mapping[str, str] = NO_VARIABLES) -> LiveWorld:
        return live_of(store, webhooks, agent=agent, turn=turn, environment=environment)

    try:
        yield make
    finally:
        await store.close()

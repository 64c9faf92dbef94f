"""Open stores on both databases."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from greenroom.clock import FrozenClock
from greenroom.store.opening import Store, open_store

CLOCK = FrozenClock(datetime(2026, 11, 30, 9, 30, tzinfo=UTC))


@pytest.fixture
async def store(database_url: str, tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store, once on SQLite and once on PostgreSQL."""
    opened = await open_store(database_url, tmp_path, clock=CLOCK)
    try:
        yield opened
    finally:
        await opened.close()

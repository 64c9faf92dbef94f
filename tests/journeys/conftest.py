"""Desks whose conversations are reviewed."""

from pathlib import Path

import pytest
from tests.journeys.live_desk import LiveDesk, live_desk
from tests.journeys.reviewed_desk import CRITERIA, PASSES


@pytest.fixture
async def desk(tmp_path: Path, database_url: str) -> LiveDesk:
    made = await live_desk(tmp_path, database=database_url, review=CRITERIA)
    made.judged_by(PASSES)
    return made


@pytest.fixture
async def small_desk(tmp_path: Path) -> LiveDesk:
    """On SQLite alone, for what no database decides."""
    made = await live_desk(tmp_path, review=CRITERIA)
    made.judged_by(PASSES)
    return made

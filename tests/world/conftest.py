"""What tests of the world share."""

from collections.abc import AsyncIterator

import pytest

from greenroom.world.webhooks import Webhooks


@pytest.fixture
async def webhooks() -> AsyncIterator[Webhooks]:
    """Real calls, closed afterwards."""
    opened = Webhooks()
    yield opened
    await opened.close()

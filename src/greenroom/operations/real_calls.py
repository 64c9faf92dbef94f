"""What calls out of this process for real, opened together and closed together."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from greenroom.world.calendars import Calendars
from greenroom.world.webhooks import Webhooks

__all__ = ["RealCalls", "real_calls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RealCalls:
    """The ways out that agents have in every world; what each of them needs is loaded at its first call."""

    webhooks: Webhooks
    """The endpoints of tools."""
    calendars: Calendars
    """The business's own, where appointments are read and written."""


@asynccontextmanager
async def real_calls() -> AsyncGenerator[RealCalls]:
    """Open for as long as somebody may call."""
    calls = RealCalls(webhooks=Webhooks(), calendars=Calendars())
    try:
        yield calls
    finally:
        await calls.calendars.close()
        await calls.webhooks.close()

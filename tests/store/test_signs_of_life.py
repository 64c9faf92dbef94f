"""What is held is held on to while somebody is at work on it."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from greenroom.clock import FrozenClock
from greenroom.errors import StoreError
from greenroom.store.signs_of_life import signs_of_life

AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


class WaitedFor(FrozenClock):
    """A clock on which time passes only while somebody sleeps."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        self._at += timedelta(seconds=seconds)


class Held:
    """Something that can be held; the database is away when it is taken hold of for the second time."""

    def __init__(self, clock: FrozenClock) -> None:
        self._clock = clock
        self.at: list[float] = []
        self.enough = asyncio.Event()

    async def hold(self) -> None:
        self.at.append((self._clock.now() - AT).total_seconds())
        if len(self.at) == 2:
            raise StoreError("the database is away")
        if len(self.at) >= 4:
            self.enough.set()


async def test_a_sign_is_given_every_third_also_after_one_that_failed_and_none_afterwards() -> None:
    clock = WaitedFor(AT)
    held = Held(clock)
    async with signs_of_life(clock, held.hold, held_for_s=60):
        async with asyncio.timeout(5):
            await held.enough.wait()
    given = list(held.at)
    assert given[:4] == [20, 40, 60, 80]
    for _ in range(10):
        await clock.sleep(0)
    assert held.at == given


async def test_no_sign_is_given_on_a_clock_that_stands_still() -> None:
    clock = FrozenClock(AT)
    held = Held(clock)
    async with signs_of_life(clock, held.hold, held_for_s=60):
        for _ in range(10):
            await clock.sleep(0)
    assert held.at == []


async def test_what_goes_wrong_meanwhile_passes_through() -> None:
    clock = WaitedFor(AT)
    with pytest.raises(ValueError, match="broken"):
        async with signs_of_life(clock, Held(clock).hold, held_for_s=60):
            raise ValueError("broken")

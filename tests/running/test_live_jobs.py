"""Errands one of which breaks us, and what is told of those that don't leave (features.md A8)."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.stores import NOON, SQLITE, opened

from greenroom.clock import FrozenClock
from greenroom.conversation.sent import SentStatus
from greenroom.running.errands import ErrandsOfKind
from greenroom.running.live_jobs import Deliveries
from greenroom.store.errands import DueErrand, Errand
from greenroom.world.live.sending import Sending, SendingResult


@pytest.mark.requirement("A8")
async def test_an_errand_that_breaks_us_is_put_off_like_any_other_and_the_rest_is_done(tmp_path: Path) -> None:
    async def send(errand: DueErrand) -> Sending:
        if errand.summary == "broken":
            raise ZeroDivisionError("with somebody's password in it")
        return Sending(result=SendingResult.SENT)

    async with opened(SQLITE, tmp_path) as store:
        errands = store.errands()
        for lane in ("broken", "fine"):
            errand = Errand(kind="notify", agent="desk", summary=lane, lane=lane, body={}, conversation="c")
            await errands.put(errand, name=lane)
        deliveries = Deliveries(
            what="errands",
            queue=ErrandsOfKind(errands=errands, kind="notify"),
            send=send,
            clock=store.clock,
            holder="sender",
        )
        assert await deliveries.deliver_all_due() == 2
        broken, fine = await errands.of_conversation("c")
    assert (broken.status, broken.error) == (SentStatus.WAITING, "Greenroom itself failed (ZeroDivisionError)")
    assert fine.status is SentStatus.SENT


class Line:
    """Two mails that wait: every look takes both once more, and after the fourth nothing is left to do."""

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop
        self._looks = 0

    async def take(self, holder: str, *, limit: int) -> Sequence[DueErrand]:
        self._looks += 1
        if self._looks > 4:
            self._stop.set()
            return ()
        return [
            DueErrand(
                number=number,
                key="k",
                kind="email",
                agent="desk",
                conversation="c",
                summary="to Ana",
                body={},
                tries=self._looks,
                created_at="2026-06-01T12:00:00+00:00",
            )
            for number in (1, 2)
        ]

    async def sent(self, row: DueErrand, holder: str) -> None: ...

    async def refused(self, row: DueErrand, holder: str, why: str) -> None: ...

    async def put_off(self, row: DueErrand, holder: str, why: str, *, seconds: float) -> None: ...


@pytest.mark.requirement("A8")
async def test_whoever_runs_the_server_hears_once_why_nothing_leaves() -> None:
    """Not at the first try, which may be a blip, and not for each mail that waits for the same reason."""
    told, tried, stop = list[str](), list[int](), asyncio.Event()

    async def send(errand: DueErrand) -> Sending:
        tried.append(errand.tries)
        if errand.number == 1 and errand.tries == 4:
            return Sending(result=SendingResult.REFUSED, why="550 no such mailbox")
        return Sending(result=SendingResult.FAILED, why="it can't be reached.")

    deliveries = Deliveries(what="mails", queue=Line(stop), send=send, clock=FrozenClock(NOON), holder="sender")
    await deliveries.deliver_until(stop, lambda text: told.append(f"{max(tried)}: {text}"))

    assert sorted(told) == [
        "3: mails don't leave (they are tried again): it can't be reached; see `greenroom conversations c`",
        "4: mails don't leave (one is given up): 550 no such mailbox; see `greenroom conversations c`",
    ]

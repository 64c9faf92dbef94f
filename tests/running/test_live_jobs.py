"""Errands one of which breaks us (features.md A8)."""

from pathlib import Path

import pytest
from tests.stores import SQLITE, opened

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

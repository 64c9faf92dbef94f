"""What leaves with a live test (features.md C13)."""

from collections.abc import Sequence

import pytest

from greenroom.conversation.turns import Turn
from greenroom.world.leaving import Leaving, ToLeave
from greenroom.world.live.sending import Sending, SendingResult


@pytest.mark.requirement("C13")
async def test_what_breaks_us_on_its_way_out_did_not_arrive_and_the_case_goes_on() -> None:
    async def send(one: ToLeave, _: Sequence[Turn]) -> Sending:
        if one.summary == "broken":
            raise ZeroDivisionError("with somebody's password in it")
        return Sending(result=SendingResult.SENT)

    leaving = Leaving(identity="sandbox:1", conversation="c")
    for summary in ("broken", "fine"):
        leaving.add(kind="notify", lane="0", summary=summary, body={})
    leaving.keep(Turn(index=0, event=None, duration_s=0))
    broken, fine = await leaving.leave(send)
    assert (broken.arrived, broken.why) == (False, "Greenroom itself failed (ZeroDivisionError)")
    assert fine.arrived

"""One pass over everything that happens by itself; `greenroom serve` makes one each minute."""

from greenroom.conversation.summaries import Ticked
from greenroom.operations.context import Context
from greenroom.operations.conversations import close_silent, drop_old_records
from greenroom.operations.gateway import Gateway

__all__ = ["tick"]


async def tick(context: Context, gateway: Gateway) -> Ticked:
    """Do whatever is due now."""
    served = await gateway.serve_left_over()
    delivered = 0
    while count := await gateway.deliveries.deliver_due():
        delivered += count
    return Ticked(
        served=served,
        delivered=delivered,
        closed=await close_silent(context),
        records_dropped=await drop_old_records(context),
    )
